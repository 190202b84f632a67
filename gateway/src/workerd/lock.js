// One gateway for each folder of data: two would each admit the same create.
import { randomUUID } from "node:crypto";
import {
  readFile,
  readlink,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "../failure.js";

/** In the folder: the processes that use it. */
const NAME = "gateway.lock";
/** Milliseconds between the heartbeats by which a gateway in another container or machine is known to run. */
const BEAT_MS = 1_000;
/** Milliseconds after which the last of several that start at once is known: it keeps the folder. */
const SETTLE_MS = 300;

/**
 * The content of the file.
 *
 * @typedef {object} Lock
 * @property {string} [id] of the gateway
 * @property {string} [place]
 * @property {number[]} pids
 * @property {string} [url] the address of the gateway, once it serves
 */

/**
 * A folder that this process has reserved.
 *
 * @typedef {object} Held
 * @property {(pid: number) => Promise<void>} hold adds workerd's process, which runs on for a while
 *   where this one is killed
 * @property {(url: string) => Promise<void>} serve adds the address of the gateway
 * @property {() => Promise<void>} release is for once the gateway has ended
 */

/**
 * Reserves a folder for this process.
 *
 * @param {string} folder
 * @returns {Promise<Held>}
 * @throws {Failure} where another gateway uses it
 */
export async function lockFolder(folder) {
  const file = join(folder, NAME);
  await checkFolder(folder);
  await checkElsewhere(folder);
  /** @type {Lock} */
  const own = { id: randomUUID(), place: await place(), pids: [process.pid] };
  // Renamed, so that no one reads half of it, and nothing is written through a symbolic link.
  const write = async () => {
    const fresh = `${file}.${own.id}`;
    try {
      await writeFile(fresh, JSON.stringify(own), { flag: "wx", mode: 0o600 });
      await rename(fresh, file);
    } catch (error) {
      await rm(fresh, { force: true }).catch(() => undefined);
      const { code } = /** @type {NodeJS.ErrnoException} */ (error);
      throw new Failure(
        `the gateway can't write in the folder ${folder}, where it stores its data (${code})`,
      );
    }
  };
  await write();
  await sleep(SETTLE_MS);
  if ((await read(file)).id !== own.id) throw inUse(folder, SIMULTANEOUS);
  const beat = setInterval(
    () => utimes(file, new Date(), new Date()).catch(() => {}),
    BEAT_MS,
  ).unref();
  return {
    hold: (pid) => {
      own.pids.push(pid);
      return write();
    },
    serve: (url) => {
      own.url = url;
      return write();
    },
    release: async () => {
      clearInterval(beat);
      if ((await read(file)).id === own.id) await rm(file, { force: true });
    },
  };
}

/**
 * Checks that no gateway of this machine uses a folder, which may be missing. Unlike `lockFolder`,
 * it waits for nothing.
 *
 * @param {string} folder
 * @throws {Failure} that names the process which uses it, and its address
 */
export async function checkFolder(folder) {
  const lock = await read(join(folder, NAME));
  if (await isElsewhere(lock)) return;
  const users = await Promise.all(lock.pids.map(processOf));
  const user = users.find((found) => found !== undefined);
  if (user !== undefined) throw inUse(folder, { ...user, url: lock.url });
}

/** The same for other containers and machines. What an ended gateway left behind does not count. */
async function checkElsewhere(folder) {
  const file = join(folder, NAME);
  if ((await isElsewhere(await read(file))) && (await isBeating(file)))
    throw inUse(folder, ELSEWHERE);
}

const isElsewhere = async (lock) =>
  lock.place !== undefined && lock.place !== (await place());

/** @type {(folder: string, user: { name: string, remedy: string, url?: string }) => Failure} */
const inUse = (folder, { name, remedy, url }) =>
  new Failure(
    `the folder ${folder} is in use by another gateway (${name}${url ? ` at ${url}` : ""}); ${remedy}, or take another folder. If there is none, delete ${join(folder, NAME)}`,
  );

/** Where ids of processes mean the same: this machine, and in Linux the container. */
const place = async () =>
  `${hostname()} ${await readlink("/proc/self/ns/pid").catch(() => "")}`;

/** Of several users of a folder, what they are called and how to stop them. */
const SIMULTANEOUS = {
  name: "which has started at the same time",
  remedy: "stop that one",
};
const ELSEWHERE = {
  name: "in another container or machine",
  remedy: "stop that one",
};
const withProcess = (pid) => ({
  name: `process ${pid}`,
  remedy: `end it with \`kill ${pid}\``,
});
/** Its id may be another program's by now, which must not be ended. */
const perhapsWithProcess = (pid) => ({
  name: `process ${pid}, if that is a gateway`,
  remedy: "stop that one",
});

async function isBeating(file) {
  const before = (await stat(file)).mtimeMs;
  await sleep(3 * BEAT_MS);
  return (
    (await stat(file).catch(() => ({ mtimeMs: before }))).mtimeMs !== before
  );
}

/** @returns {Promise<Lock>} */
async function read(file) {
  try {
    const { id, place, pids, url } = JSON.parse(await readFile(file, "utf8"));
    return {
      id,
      place,
      // A folder from elsewhere may have any text there, which a terminal must not get.
      url: URL.canParse(url) ? new URL(url).origin : undefined,
      pids: pids.filter(
        (it) => Number.isInteger(it) && it > 0 && it !== process.pid,
      ),
    };
  } catch {
    return { pids: [] };
  }
}

/** What a process is called if it runs and may be a gateway's: an id is used again for another program later. */
async function processOf(pid) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it runs as another user.
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== "EPERM")
      return undefined;
  }
  // Only Linux says simply which program it is: this one, or workerd with this one's configuration.
  const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(
    () => undefined,
  );
  if (command === undefined) return perhapsWithProcess(pid);
  return /mediagate-/.test(command) ? withProcess(pid) : undefined;
}
