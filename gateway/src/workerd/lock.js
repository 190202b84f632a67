// Lets only one gateway use a folder of data: two would each admit the same create.
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
import { codeOf, Failure } from "../failure.js";

/** A file in the folder that lists the processes that use it. */
const NAME = "gateway.lock";
/**
 * Milliseconds between heartbeats. They show that a gateway in another container or on another
 * machine runs.
 */
const BEAT_MS = 1_000;
/**
 * Milliseconds until the lock is read again. If several gateways start at once, the last one to
 * write it keeps the folder.
 */
const SETTLE_MS = 300;

/**
 * The content of the lock's file.
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
 * @property {(pid: number) => Promise<void>} hold names workerd's process, which runs on for a
 *   while if this one is killed
 * @property {(url: string) => Promise<void>} serve adds the address of the gateway
 * @property {() => Promise<void>} release frees the folder, once the gateway has ended
 */

/**
 * @param {string} folder
 * @returns {Promise<Held>}
 * @throws {Failure} if another gateway uses it
 */
export async function lockFolder(folder) {
  const file = join(folder, NAME);
  await checkFolder(folder);
  await checkElsewhere(folder);
  /** @type {Lock} */
  const own = {
    id: randomUUID(),
    place: await findPlace(),
    pids: [process.pid],
  };
  // The rename keeps readers from seeing half a file, and does not follow a symbolic link.
  const write = async () => {
    const fresh = `${file}.${own.id}`;
    try {
      await writeFile(fresh, JSON.stringify(own), { flag: "wx", mode: 0o600 });
      await rename(fresh, file);
    } catch (error) {
      await rm(fresh, { force: true }).catch(() => undefined);
      throw new Failure(
        `the gateway can't write in ${folder}, the folder for its data (${codeOf(error)})`,
      );
    }
  };
  await write();
  await sleep(SETTLE_MS);
  if ((await read(file)).id !== own.id)
    throw inUse(folder, { name: "which has started at the same time" });
  const beat = setInterval(
    () => utimes(file, new Date(), new Date()).catch(() => {}),
    BEAT_MS,
  ).unref();
  return {
    hold: (pid) => {
      own.pids = [process.pid, pid];
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
 * @throws {Failure} if one does; the message names its process and address
 */
export async function checkFolder(folder) {
  const lock = await read(join(folder, NAME));
  // The ids of another place's processes mean nothing here; `checkElsewhere` judges that lock.
  if (await isElsewhere(lock)) return;
  const users = await Promise.all(lock.pids.map(processOf));
  const user = users.find((found) => found !== undefined);
  if (user !== undefined) throw inUse(folder, { ...user, url: lock.url });
}

/**
 * Checks that no gateway in another container or on another machine uses the folder. A lock that an
 * ended gateway left behind does not count.
 */
async function checkElsewhere(folder) {
  const file = join(folder, NAME);
  if ((await isElsewhere(await read(file))) && (await isBeating(file)))
    throw inUse(folder, { name: "in another container or machine" });
}

const isElsewhere = async (lock) =>
  lock.place !== undefined && lock.place !== (await findPlace());

/** @type {(folder: string, user: { name: string, remedy?: string, url?: string }) => Failure} */
const inUse = (folder, { name, remedy = "stop that one", url }) =>
  new Failure(
    `the folder ${folder} is in use by another gateway (${name}${url ? ` at ${url}` : ""}); ` +
      `${remedy}, or take another folder. If there is none, delete ${join(folder, NAME)}`,
  );

/** Returns the scope in which an id means one process: this machine, and on Linux the container. */
const findPlace = async () =>
  `${hostname()} ${await readlink("/proc/self/ns/pid").catch(() => "")}`;

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
      // A folder from elsewhere may contain any text, which must not reach the terminal.
      url: URL.canParse(url) ? new URL(url).origin : undefined,
      pids: pids.filter(
        (pid) => Number.isInteger(pid) && pid > 0 && pid !== process.pid,
      ),
    };
  } catch {
    return { pids: [] };
  }
}

/**
 * Describes a process if it runs and may be a gateway's. The system may have given the id to
 * another program.
 */
async function processOf(pid) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it runs as another user.
    if (codeOf(error) !== "EPERM") return undefined;
  }
  // Only on Linux can a file tell the program: this one, or workerd with this one's configuration.
  const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(
    () => undefined,
  );
  // The id may be another program's by now, so the remedy must not end it.
  if (command === undefined)
    return { name: `process ${pid}, if that is a gateway` };
  return /mediagate-/.test(command)
    ? { name: `process ${pid}`, remedy: `end it with \`kill ${pid}\`` }
    : undefined;
}
