// Checks the limit of open files, since workerd crashes if it can't open another one. Also counts
// workerd's open files and Durable Objects.
import { readdirSync, readlinkSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "../failure.js";
import { processReport } from "./report.js";

/**
 * The lowest limit that `serve` accepts. A stream of events has four files open, a Durable Object
 * three.
 */
const LEAST = 16_384;
/**
 * The share of the limit from which requests are refused. The rest is for requests and connections
 * under way.
 */
const FULL = 0.75;

/** The files that a Durable Object has open: its database, the log, and the log's index. */
const PER_OBJECT = 3;
/** The open files from which each one is read to count the objects. */
const COUNTED = 1_000;

const TELL_MS = 250;
/** Milliseconds until a gateway that has not taken a count is told the next one. */
const TELL_LIMIT_MS = 30_000;

export const REMEDY =
  "raise it: `ulimit -n 65536` in the shell, LimitNOFILE=65536 in the unit of systemd, " +
  "--ulimit nofile=65536:65536 of docker";

/**
 * Checks the limit of this process. Node has raised it to the hard limit, and workerd inherits it.
 *
 * @throws {Failure} if the limit is too low for a gateway on the internet
 */
export function checkOpenFiles() {
  const limit = openFilesLimit();
  if (limit === undefined || limit >= LEAST) return;
  throw new Failure(
    `the limit of open files is ${limit}, and the gateway needs ${LEAST}: ` +
      `it ends once it can't open another one; ${REMEDY}`,
  );
}

/**
 * Returns how many files this process and each process that it starts may have open; `undefined` if
 * there is no limit, or if the platform (Windows) does not say.
 *
 * @returns {number | undefined}
 */
export function openFilesLimit() {
  const { userLimits } = processReport();
  const limit = userLimits?.open_files?.soft;
  return typeof limit === "number" ? limit : undefined;
}

/**
 * @typedef {object} OpenFiles
 * @property {boolean} areShort true if the process should take no more requests
 * @property {number | undefined} objects the number of open Durable Objects, or a few more;
 *   `undefined` if the platform does not say
 * @property {number} at the time of the count, in milliseconds since 1970
 */

function countOpenFiles(pid, limit) {
  const at = Date.now();
  const files = openFilesOf(pid);
  if (files === undefined) return { areShort: false, objects: undefined, at };
  return {
    areShort: limit !== undefined && files >= FULL * limit,
    objects: openObjectsOf(pid, files),
    at,
  };
}

/**
 * Tells a gateway all the time how many files and objects it has open, which workerd can't count
 * itself. Resolves once it knows them for the first time.
 *
 * @param {string} url at which it listens to that
 * @param {{ pid: number, ended: Promise<unknown> }} running
 */
export async function tellOpenFiles(url, { pid, ended }) {
  const limit = openFilesLimit();
  const state = { isOver: false };
  void ended.then(() => (state.isOver = true));
  const tell = async () => {
    try {
      await fetch(url, {
        method: "POST",
        body: JSON.stringify(countOpenFiles(pid, limit)),
        signal: AbortSignal.timeout(TELL_LIMIT_MS),
      });
    } catch {
      // The process has ended, also during the count, or is busy. The next count follows soon.
    }
  };
  await tell();
  void (async () => {
    for (;;) {
      await sleep(TELL_MS, undefined, { ref: false });
      if (state.isOver) return;
      await tell();
    }
  })();
}

/**
 * Returns how many files a process has open; `undefined` if the platform does not say (only Linux
 * does).
 */
function openFilesOf(pid) {
  const folder = `/proc/${pid}/fd`;
  try {
    // Since Linux 6.2, the size is the number of open files. Before, it is 0.
    return statSync(folder).size || readdirSync(folder).length;
  } catch {
    return undefined;
  }
}

/** Returns the number of Durable Objects that a process has open, or a few more. */
function openObjectsOf(pid, files) {
  // Reading each file takes milliseconds, and so few files are not too many objects.
  if (files < COUNTED) return Math.floor(files / PER_OBJECT);
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).filter((descriptor) =>
    isDatabase(join(folder, descriptor)),
  ).length;
}

function isDatabase(descriptor) {
  try {
    return readlinkSync(descriptor).endsWith(".sqlite");
  } catch {
    // The file was closed meanwhile.
    return false;
  }
}
