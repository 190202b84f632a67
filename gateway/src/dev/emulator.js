// The emulator of `dev`, with the tasks of the last run, and in the network if `dev` listens there.
import { readFile, rm, writeFile } from "node:fs/promises";
import { openResults } from "../emulator/network.js";
import { startEmulator } from "../emulator/run.js";
import { EMULATOR_DATA, EMULATOR_PORT } from "../local.js";
import { isFree } from "../workerd/address.js";

/**
 * @typedef {object} Local
 * @property {string} upstream the emulator's URL for the gateway
 * @property {string[]} results the origins of results
 * @property {string} uploads the gateway's mode of uploads
 *
 * @typedef {Awaited<ReturnType<typeof startEmulator>> & Local} LocalEmulator
 */

/**
 * Starts the emulator, at the address of the last run if its port is free.
 *
 * @param {string} apiKey
 * @param {string[]} addresses of this machine in the network; none if only this machine uses it
 * @param {object} options
 * @param {boolean} options.isBucket true if only its bucket is used, which needs no ffmpeg
 * @param {string} [options.ffmpeg] the path of the program; without it, the emulator looks for one
 * @returns {Promise<LocalEmulator>}
 */
export async function startLocalEmulator(
  apiKey,
  addresses,
  { isBucket, ffmpeg },
) {
  const port = await readFile(EMULATOR_PORT, "utf8").catch(() => "");
  const listen =
    /^\d+$/.test(port) && (await isFree(Number(port))) ? port : "0";
  const emulator = await startEmulator({
    apiKey,
    args: [
      ...["--listen", `127.0.0.1:${listen}`, "--admin", "127.0.0.1:0"],
      ...["--data", EMULATOR_DATA],
      ...(isBucket ? ["--results", "placeholder"] : []),
      ...(ffmpeg === undefined ? [] : ["--ffmpeg", ffmpeg]),
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
  // Stored only now: in the network, another program may use the same port.
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

/** Stores the port for the next run. Without it, only the addresses of results change. */
async function store({ url }) {
  await rm(EMULATOR_PORT, { force: true }).catch(() => undefined);
  await writeFile(EMULATOR_PORT, new URL(url).port, { flag: "wx" }).catch(
    () => undefined,
  );
}
