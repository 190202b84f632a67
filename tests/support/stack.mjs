// Starts all that a page needs: the emulator, and the gateway, which also serves the playground.
import { bucketOf } from "../../gateway/src/emulator/bucket.js";
import { startEmulator } from "./emulator.mjs";
import { startGateway } from "./gateway.mjs";
import { freePort } from "./port.mjs";
import { startSlowLine } from "./slow-line.mjs";
import { startStorageProxy } from "./storage-proxy.mjs";

/**
 * @typedef {object} Options
 * @property {string[]} [flags] the emulator's
 * @property {Record<string, string>} [settings] the gateway's
 * @property {boolean} [assets] true if the gateway serves the playground
 * @property {number} [uploadSpeed] the speed of pages' uploads, in bytes per second
 * @property {Parameters<typeof startStorageProxy>[1]} [storage] the behaviour of a proxy that pages
 *   upload through
 * @property {boolean} [bucket] true if the gateway keeps results in the emulator's bucket
 *
 * @typedef {object} Stack
 * @property {string} url
 * @property {string} emulator
 * @property {string} admin
 * @property {string[]} logs
 * @property {() => Promise<void>} stop
 */

/**
 * Starts the emulator and the gateway on free ports.
 *
 * @param {Options} options
 * @returns {Promise<Stack>}
 */
export async function startStack({
  flags = ["--task-seconds", "1"],
  settings = {},
  assets = true,
  uploadSpeed,
  storage,
  bucket = false,
} = {}) {
  const emulator = await startStorage(flags, uploadSpeed, storage);
  // The gateway's settings contain the page's origin, so the port must be chosen before the gateway
  // runs.
  const port = await freePort();
  const pageSettings = {
    UPSTREAM_BASE_URL: emulator.url,
    ALLOWED_ORIGINS: `http://127.0.0.1:${port}`,
    ANONYMOUS_SESSIONS: "on",
    PUBLIC_ASSETS: "*",
    UPLOAD_HOSTS: "127.0.0.1",
    OUTPUT_HOSTS: "127.0.0.1",
    MEDIA_HOSTS: emulator.pageUrl,
    ...(bucket && bucketOf(emulator)),
  };
  try {
    const gateway = await startGateway(
      { ...pageSettings, ...settings },
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

/** Starts the emulator. Its URLs lead to the slow line or the proxy, if there is one. */
async function startStorage(flags, uploadSpeed, storage) {
  if (!uploadSpeed && !storage) {
    const emulator = await startEmulator(flags);
    return { ...emulator, pageUrl: emulator.url };
  }
  const port = await freePort();
  const line = storage
    ? await startStorageProxy(port, storage)
    : await startSlowLine(port, uploadSpeed);
  // The emulator prints this base URL as its own, so the real one is set below.
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
    resultsSecret: emulator.resultsSecret,
    pageUrl: line.url,
    stop,
  };
}
