// Everything that a page needs: the emulator, and in front of it the gateway, which also serves the playground.
import { createServer } from "node:net";
import { startEmulator } from "./emulator.mjs";
import { startGateway } from "./gateway.mjs";

/**
 * Starts both on free ports.
 *
 * @param {{ flags?: string[], settings?: Record<string, string>, assets?: boolean }} options `flags` are the emulator's,
 *   `settings` the gateway's; `assets` is whether the gateway serves the playground
 * @returns {Promise<{ url: string, emulator: string, logs: string[], stop: () => Promise<void> }>}
 */
export async function startStack({ flags = ["--task-seconds", "1"], settings = {}, assets = true } = {}) {
  const emulator = await startEmulator(flags);
  const port = await freePort();
  const pageSettings = {
    UPSTREAM_BASE_URL: emulator.url,
    ALLOWED_ORIGINS: `http://127.0.0.1:${port}`,
    ANONYMOUS_SESSIONS: "on",
    PUBLIC_ASSETS: "*",
    UPLOAD_HOSTS: "127.0.0.1",
    MEDIA_HOSTS: emulator.url,
  };
  try {
    const gateway = await startGateway({ ...pageSettings, ...settings }, { port, assets });
    const stop = async () => {
      await gateway.stop();
      await emulator.stop();
    };
    return { url: gateway.url, emulator: emulator.url, logs: gateway.logs, stop };
  } catch (error) {
    await emulator.stop();
    throw error;
  }
}

/** A page's origin is part of the gateway's settings, so the port is needed before the gateway runs. */
function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
