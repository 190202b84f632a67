// Removes the databases of Durable Objects that have nothing stored. workerd leaves one for each
// object that was only read or has deleted everything.
import { readdirSync, readlinkSync } from "node:fs";
import { opendir, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { keyOf, OBJECTS } from "./config.js";
import { isEmptyDatabase, removeDatabase } from "./database.js";
import { whilePaused } from "./pause.js";

const HOUR_MS = 60 * 60 * 1_000;
/** Matches the database of an object, which is named after the object's id. */
const NAME = /^[0-9a-f]{64}\.sqlite$/;
const ALARMS = "metadata.sqlite";
/** The databases that are removed in one pause, at most. */
const BATCH = 100;
/** The time that workerd runs between two pauses, in multiples of the pause. */
const REST = 20;

/**
 * Removes all empty databases of a folder that no process uses.
 *
 * @param {string} folder
 */
export async function removeEmpty(folder) {
  for await (const file of emptyDatabases(folder)) remove(file);
}

/**
 * Removes the empty databases of a folder once an hour, while workerd uses the folder. workerd can
 * only be paused on Linux; on other platforms this does nothing, and the next start removes them.
 *
 * @param {string} folder
 * @param {import("./pause.js").Child} workerd
 * @param {number} intervalMs
 * @returns {() => void} ends it
 */
export function removeEmptyHourly(folder, workerd, intervalMs = HOUR_MS) {
  if (process.platform !== "linux") return () => {};
  const state = { isOver: false, isRunning: false };
  const timer = setInterval(async () => {
    // The previous run is not over.
    if (state.isRunning) return;
    state.isRunning = true;
    // The next run tries again after a failure.
    await removeUnused(folder, workerd, () => state.isOver).catch(
      () => undefined,
    );
    state.isRunning = false;
  }, intervalMs).unref();
  return () => {
    state.isOver = true;
    clearInterval(timer);
  };
}

async function removeUnused(folder, workerd, isOver) {
  // /proc has paths without symbolic links.
  const databases = emptyDatabases(await realpath(folder));
  for (
    let batch = await take(databases);
    batch.length > 0 && !isOver();
    batch = await take(databases)
  ) {
    const start = performance.now();
    whilePaused(workerd, () => removeBatch(batch, workerd.pid));
    await sleep(REST * (performance.now() - start), undefined, { ref: false });
  }
}

/**
 * Removes the databases of a batch that workerd does not have open. workerd is paused.
 *
 * An object has its database open from its first request until it is evicted. If it starts after
 * this, it makes a new database, which is as empty as the old one was. Each file is read again
 * here: the object may have run, stored something and been evicted since the batch was made.
 */
function removeBatch(batch, pid) {
  const open = openFilesOf(pid);
  for (const file of batch) {
    // workerd always has the alarms open. If they are not listed, the two paths can't be compared,
    // so nothing is removed.
    const isKnown = open.has(join(dirname(file), ALARMS));
    if (isKnown && !open.has(file) && isEmptyDatabase(file)) remove(file);
  }
}

function openFilesOf(pid) {
  const folder = `/proc/${pid}/fd`;
  return new Set(
    readdirSync(folder).map((descriptor) =>
      readlinkSync(join(folder, descriptor)),
    ),
  );
}

/** Removes a database. A file that can't be removed, such as on a read-only disk, stays. */
function remove(file) {
  try {
    removeDatabase(file);
  } catch {}
}

/** Returns the next databases of a generator, at most as many as one pause removes. */
async function take(databases) {
  const batch = [];
  while (batch.length < BATCH) {
    const { value, done } = await databases.next();
    if (done) break;
    batch.push(value);
  }
  return batch;
}

async function* emptyDatabases(folder) {
  for (const name of Object.values(OBJECTS)) {
    const objects = join(folder, keyOf(name));
    // There is no such folder before the first start.
    const entries = await opendir(objects).catch(() => []);
    for await (const entry of entries) {
      const file = join(objects, entry.name);
      if (NAME.test(entry.name) && isEmptyDatabase(file)) yield file;
    }
  }
}
