// The alarms of Durable Objects that are overdue when workerd starts.
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import sqlite from "node-sqlite3-wasm";
import { keyOf, OBJECTS } from "./config.js";

/**
 * Alarms per second of each kind of object. An object stays open for ten seconds after its alarm.
 * Overdue alarms of all five kinds thus open at most 1,000 objects, beside the alarms that the objects
 * set anew and the streams that come back, and creates are still admitted.
 */
const PER_SECOND = 20;
const SECOND_NS = 1_000_000_000n;

/**
 * Gives the overdue alarms of a folder later times, a few for each second. workerd would run them
 * all at its start, and open an object for each. No process uses the folder meanwhile.
 *
 * The object's own table has the earlier time. workerd compares the two when the alarm fires, and
 * then runs it: an alarm is only put off if its object has a later time.
 *
 * A failure is ignored: workerd reports a file that it can't read.
 *
 * @param {string} folder
 */
export function spreadAlarms(folder) {
  for (const name of Object.values(OBJECTS)) {
    const file = join(folder, keyOf(name), "metadata.sqlite");
    try {
      if (existsSync(file)) spread(file);
    } catch {}
  }
}

/** @param {string} file the database with the alarms of one kind of object */
function spread(file) {
  // The library locks a file by a folder, which is left behind if its process is killed.
  rmSync(`${file}.lock`, { recursive: true, force: true });
  const database = new sqlite.Database(file);
  try {
    // The library has no shared memory, without which only an exclusive lock can read the log.
    database.exec("PRAGMA locking_mode = EXCLUSIVE");
    const now = BigInt(Date.now()) * 1_000_000n;
    database.run(
      `UPDATE _cf_ALARM SET scheduled_time = ?1 + turn * ?2 / ${PER_SECOND}
       FROM (
         SELECT actor_id AS overdue, row_number() OVER (ORDER BY scheduled_time) AS turn
         FROM _cf_ALARM WHERE scheduled_time < ?1
       )
       WHERE actor_id = overdue AND turn > ${PER_SECOND}`,
      [now, SECOND_NS],
    );
  } finally {
    database.close();
  }
}
