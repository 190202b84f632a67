// Reads the CPU time and the memory of a process on Linux, and pins it to a core.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** Milliseconds per clock tick of the kernel, which has 100 ticks per second. */
const TICK_MS = 10;

/**
 * Returns the CPU time of a process so far, over all threads, in milliseconds; `NaN` without
 * `/proc`.
 */
export function cpuMs(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .split(") ")[1]
      .split(" ");
    // utime and stime are fields 14 and 15; the split removed the first two.
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return NaN;
  }
}

/** Returns the resident memory of a process in bytes; `NaN` without `/proc`. */
export function residentBytes(pid) {
  try {
    return (
      Number(
        /VmRSS:\s+(\d+) kB/.exec(
          readFileSync(`/proc/${pid}/status`, "utf8"),
        )[1],
      ) * 1024
    );
  } catch {
    return NaN;
  }
}

/**
 * Pins a process, and the processes that it starts later, to the first or the last core that it may
 * use. Does nothing without `taskset`.
 *
 * @returns {() => void} undoes it
 */
export function pinTo(which, pid = process.pid) {
  try {
    const allowed = /Cpus_allowed_list:\s+(\S+)/.exec(
      readFileSync(`/proc/${pid}/status`, "utf8"),
    )[1];
    const use = (cores) =>
      execFileSync(
        "taskset",
        ["--all-tasks", "--cpu-list", "--pid", cores, String(pid)],
        { stdio: "ignore" },
      );
    use(allowed.match(/\d+/g).at(which === "first" ? 0 : -1));
    return () => use(allowed);
  } catch {
    return () => {};
  }
}
