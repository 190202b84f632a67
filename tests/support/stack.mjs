// Everything that a page needs: the emulator, and in front of it the gateway, which also serves the playground.
import { startEmulator } from "./emulator.mjs";
import { startGateway } from "./gateway.mjs";
import { freePort } from "./port.mjs";
import { probe } from "./probe.mjs";
import { startSlowLine } from "./slow-line.mjs";

/**
 * Starts both on free ports.
 *
 * @param {{ flags?: string[], settings?: Record<string, string>, assets?: boolean, uploadSpeed?: number, probed?: boolean }}
 *   options `flags` are the emulator's, `settings` the gateway's; `assets` is whether the gateway serves the playground;
 *   pages upload at `uploadSpeed`, in bytes per second; where `probed` is set, the gateway has the settings that the probe
 *   finds
 * @returns {Promise<{ url: string, emulator: string, admin: string, logs: string[], stop: () => Promise<void> }>}
 */
export async function startStack({
  flags = ["--task-seconds", "1"],
  settings = {},
  assets = true,
  uploadSpeed,
  probed = false,
} = {}) {
  const emulator = await startStorage(flags, uploadSpeed);
  // A page's origin is part of the gateway's settings, so the port is needed before the gateway runs.
  const port = await freePort();
  const pageSettings = {
    UPSTREAM_BASE_URL: emulator.url,
    ALLOWED_ORIGINS: `http://127.0.0.1:${port}`,
    ANONYMOUS_SESSIONS: "on",
    PUBLIC_ASSETS: "*",
    UPLOAD_HOSTS: "127.0.0.1",
    OUTPUT_HOSTS: "127.0.0.1",
    MEDIA_HOSTS: emulator.pageUrl,
  };
  try {
    const found = probed ? await probe(emulator.url) : {};
    const gateway = await startGateway(
      { ...pageSettings, ...found, ...settings },
      { port, assets },
    );
    const stop = async () => {
      await gateway.stop();
      await emulator.stop();
    };
    return {
      url: gateway.url,
      emulator: emulator.url,
      admin: emulator.admin,
      logs: gateway.logs,
      stop,
    };
  } catch (error) {
    await emulator.stop();
    throw error;
  }
}

/** Starts the emulator, whose upload and output URLs lead pages over a slow line if there is a speed. */
async function startStorage(flags, uploadSpeed) {
  if (!uploadSpeed) {
    const emulator = await startEmulator(flags);
    return { ...emulator, pageUrl: emulator.url };
  }
  const port = await freePort();
  const line = await startSlowLine(port, uploadSpeed);
  // It prints the base URL as its own.
  const emulator = await startEmulator(
    [...flags, "--base-url", line.url],
    port,
  );
  const stop = async () => {
    await line.stop();
    await emulator.stop();
  };
  return {
    url: `http://127.0.0.1:${port}`,
    admin: emulator.admin,
    pageUrl: line.url,
    stop,
  };
}
