// One gateway for each folder of data: two would each admit the same create.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Failure } from "../failure.js";

/** In the folder: the processes that use it. */
const NAME = "gateway.lock";

/**
 * Reserves a folder for this process.
 *
 * @param {string} folder
 * @returns {Promise<{ hold: (pid: number) => Promise<void> }>} `hold` adds workerd's process, which outlives this one where
 *   this one is killed
 * @throws {Failure} where another gateway uses it
 */
export async function lockFolder(folder) {
  const file = join(folder, NAME);
  const user = await userOf(file);
  if (user !== undefined)
    throw new Failure(
      `the folder ${folder} is in use by another gateway (process ${user}); stop that one, or take another folder. If that process is none, delete ${file}`,
    );
  const write = (pids) => writeFile(file, JSON.stringify(pids));
  await write([process.pid]);
  return { hold: (pid) => write([process.pid, pid]) };
}

/** The process that uses the folder, if one does. What a gateway that has ended left behind does not count. */
async function userOf(file) {
  const text = await readFile(file, "utf8").catch(() => "[]");
  const running = await Promise.all(pidsOf(text).map(async (pid) => ((await isGateway(pid)) ? [pid] : [])));
  return running.flat()[0];
}

function pidsOf(text) {
  try {
    const pids = JSON.parse(text);
    return Array.isArray(pids) ? pids.filter((it) => Number.isInteger(it) && it > 1 && it !== process.pid) : [];
  } catch {
    return [];
  }
}

/** Whether a process runs, and may be a gateway's: an id is used again for another program later. */
async function isGateway(pid) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it runs as another user.
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== "EPERM") return false;
  }
  // Only Linux says simply which program it is.
  const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => undefined);
  return command === undefined || /workerd|mediagate-gateway/.test(command);
}
