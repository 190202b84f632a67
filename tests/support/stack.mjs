// Everything that a page needs: the emulator, and in front of it the gateway, which also serves the playground.
import { bucketOf } from "../../gateway/src/emulator/bucket.js";
import { startEmulator } from "./emulator.mjs";
import { startGateway } from "./gateway.mjs";
import { freePort } from "./port.mjs";
import { probe } from "./probe.mjs";
import { startSlowLine } from "./slow-line.mjs";
import { startStorageProxy } from "./storage-proxy.mjs";

/**
 * Starts both on free ports.
 *
 * @param {{ flags?: string[], settings?: Record<string, string>, assets?: boolean, uploadSpeed?: number, storage?: Parameters<typeof startStorageProxy>[1], probed?: boolean, bucket?: boolean }}
 *   options `flags` are the emulator's, `settings` the gateway's; `assets` is whether the gateway serves the playground;
 *   pages upload at `uploadSpeed`, in bytes per second, or through a proxy with the behaviour `storage`; where `probed` is set, the gateway has the settings that the probe
 *   finds; with `bucket`, it keeps results in the emulator's bucket
 * @returns {Promise<{ url: string, emulator: string, admin: string, logs: string[], uploads: () => number, stop: () => Promise<void> }>}
 */
export async function startStack({
  flags = ["--task-seconds", "1"],
  settings = {},
  assets = true,
  uploadSpeed,
  storage,
  probed = false,
  bucket = false,
} = {}) {
  const emulator = await startStorage(flags, uploadSpeed, storage);
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
    ...(bucket && bucketOf(emulator.url)),
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
      uploads: emulator.uploads,
      stop,
    };
  } catch (error) {
    await emulator.stop();
    throw error;
  }
}

/** @returns {never} */
function notCounted() {
  throw new Error("uploads are counted only with the option `storage`");
}

/** Starts the emulator. Its upload and output URLs lead pages over a slow line or a proxy, if one is given. */
async function startStorage(flags, uploadSpeed, storage) {
  if (!uploadSpeed && !storage) {
    const emulator = await startEmulator(flags);
    return { ...emulator, pageUrl: emulator.url, uploads: notCounted };
  }
  const port = await freePort();
  const line = storage
    ? await startStorageProxy(port, storage)
    : { ...(await startSlowLine(port, uploadSpeed)), uploads: notCounted };
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
    uploads: line.uploads,
    stop,
  };
}
