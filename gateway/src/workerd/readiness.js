// Says whether the gateway can store what it has to, and whether it has files left to open. workerd's process can't tell.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { constants } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** In the folder of data, for as long as a check takes. */
const NAME = "readiness.tmp";
/** About what a create needs, with the log of its table. */
const SAMPLE = Buffer.alloc(65_536);
/** A file, and nothing that a symbolic link leads to, which may have come with a project; Windows has no such flag. */
const FLAGS =
  constants.O_WRONLY |
  constants.O_CREAT |
  constants.O_TRUNC |
  (constants.O_NOFOLLOW ?? 0);
/** Milliseconds that a disk has for it: one that hangs stores nothing. */
const LIMIT_MS = 2_000;

/**
 * Starts a server on this machine for the front. It responds with text, which is empty if all is well:
 *
 * - at `path`, it writes a small file into the folder, and responds with the system's code if it can't;
 * - at `path` with `/open-files`, it responds with `short` if workerd should take no more requests.
 *
 * @param {string} folder
 * @param {() => boolean} areFilesShort
 * @returns {Promise<{ address: string, path: string, stop: () => void }>} `path` is secret: a write is not for every user of
 *   this machine to cause
 */
export async function startReadiness(folder, areFilesShort) {
  const path = `/${randomUUID()}`;
  let checking;
  // One for all who request it meanwhile.
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
    else
      response.end(
        request.url === `${path}/open-files` && areFilesShort() ? "short" : "",
      );
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

/** The system's code, or nothing. */
async function problemOf(folder) {
  const file = join(folder, NAME);
  const remove = () => rm(file, { force: true }).catch(() => undefined);
  // One that a kill, or someone else, has left.
  await remove();
  try {
    await writeFile(file, SAMPLE, {
      mode: 0o600,
      flag: /** @type {any} */ (FLAGS),
    });
    return "";
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code ?? "unknown";
  } finally {
    await remove();
  }
}
