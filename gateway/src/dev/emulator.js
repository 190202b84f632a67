// The emulator of `dev`: with the tasks of the last time, and for the network where `dev` is in one.
import { readFile, rm, writeFile } from "node:fs/promises";
import { openResults } from "../emulator/network.js";
import { startEmulator } from "../emulator/run.js";
import { EMULATOR_DATA, EMULATOR_PORT } from "../local.js";
import { isFree } from "../workerd/address.js";

/**
 * Starts the emulator, at the address of the last time if that is free.
 *
 * @param {string} apiKey
 * @param {string[]} addresses those under which others in the network reach this machine
 * @returns {Promise<Awaited<ReturnType<typeof startEmulator>> & { upstream: string, results: string[], uploads: string }>}
 *   `upstream` is its URL for the gateway, `results` the origins of what it makes, `uploads` the gateway's mode
 */
export async function startLocalEmulator(apiKey, addresses) {
  const port = await readFile(EMULATOR_PORT, "utf8").catch(() => "");
  const listen =
    /^\d+$/.test(port) && (await isFree(Number(port))) ? port : "0";
  const emulator = await startEmulator({
    apiKey,
    args: [
      ...["--listen", `127.0.0.1:${listen}`, "--admin", "127.0.0.1:0"],
      ...["--data", EMULATOR_DATA],
    ],
  });
  if (addresses.length === 0) {
    await store(emulator);
    return {
      ...emulator,
      upstream: emulator.url,
      results: [emulator.url],
      uploads: "direct",
    };
  }
  const opened = await openResults(emulator.url, addresses).catch(
    async (error) => {
      await emulator.stop();
      throw error;
    },
  );
  // Not before: in the network, the same port may be in use.
  await store(emulator);
  const stop = async () => {
    opened.stop();
    await emulator.stop();
  };
  return {
    ...emulator,
    stop,
    upstream: opened.url,
    results: [emulator.url, opened.results],
    uploads: "relay",
  };
}

/** Stores the port for the next time. Without it, only the addresses of results change. */
async function store({ url }) {
  await rm(EMULATOR_PORT, { force: true }).catch(() => undefined);
  await writeFile(EMULATOR_PORT, new URL(url).port, { flag: "wx" }).catch(
    () => undefined,
  );
}
