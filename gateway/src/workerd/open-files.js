// Checks the limit of open files. workerd crashes if it can't open another one.
import { readdirSync, statSync } from "node:fs";
import { Failure } from "../failure.js";

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

/** Instructions for raising the limit. */
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
  const report =
    /** @type {NodeJS.ProcessReport & { excludeNetwork?: boolean }} */ (
      process.report
    );
  // Without this, the report takes as long as its peers' names take to resolve.
  report.excludeNetwork = true;
  const { userLimits } = /** @type {any} */ (report.getReport());
  const limit = userLimits?.open_files?.soft;
  return typeof limit === "number" ? limit : undefined;
}

/** Watches how many files a process has open. */
export function watchOpenFiles() {
  const limit = openFilesLimit();
  const watched = { pid: /** @type {number | undefined} */ (undefined) };
  return {
    /** @param {number} pid the process, which was started by this one */
    watch: (pid) => {
      watched.pid = pid;
    },
    /** Returns true if the process has so many files open that it should take no more requests. */
    areShort: () =>
      watched.pid !== undefined &&
      limit !== undefined &&
      (openFilesOf(watched.pid) ?? 0) >= FULL * limit,
  };
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
