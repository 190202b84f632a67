// Checks for workerd, which can't do so itself, whether the gateway can store data.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { constants } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { codeOf } from "../failure.js";

/** A file in the folder of data that exists only during a check. */
const NAME = "readiness.tmp";
/** About as many bytes as a create needs, with the log of its table. */
const SAMPLE = Buffer.alloc(65_536);
/** A symbolic link may have come with a project, so none is followed. Windows has no such flag. */
const FLAGS =
  constants.O_WRONLY |
  constants.O_CREAT |
  constants.O_TRUNC |
  (constants.O_NOFOLLOW ?? 0);
/** Milliseconds until a disk that does not respond counts as unusable. */
const LIMIT_MS = 2_000;

/**
 * Starts a server on this machine for the front. At `path`, it writes a small file into the folder,
 * and responds with the system's code if that fails, or else with no text.
 *
 * @param {string} folder
 * @returns {Promise<{ address: string, path: string, stop: () => void }>} `path` is secret, because
 *   not every user of this machine may cause a write
 */
export async function startReadiness(folder) {
  const path = `/${randomUUID()}`;
  let checking;
  // All requests that arrive during a check share it.
  const check = () => {
    checking ??= problemOf(folder).finally(() => {
      checking = undefined;
    });
    return Promise.race([
      checking,
      sleep(LIMIT_MS, "ETIMEDOUT", { ref: false }),
    ]);
  };
  const server = createServer(async (request, response) => {
    if (request.url === path) response.end(await check());
    else response.writeHead(404).end();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (
    server.address()
  );
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return { address: `127.0.0.1:${port}`, path, stop };
}

/** Resolves to the system's code, or to `undefined` if the file can be written. */
async function problemOf(folder) {
  const file = join(folder, NAME);
  const remove = () => rm(file, { force: true }).catch(() => undefined);
  // Removes a file that a killed process, or someone else, has left.
  await remove();
  try {
    await writeFile(file, SAMPLE, {
      mode: 0o600,
      flag: /** @type {any} */ (FLAGS),
    });
    return "";
  } catch (error) {
    return codeOf(error) ?? "unknown";
  } finally {
    await remove();
  }
}
