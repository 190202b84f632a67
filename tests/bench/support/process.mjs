// What Linux says of a process, and where it has it run.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** Milliseconds in one of the kernel's ticks, 100 of which are a second wherever Linux runs. */
const TICK_MS = 10;

/** CPU time that a process has used so far, of all its threads, in milliseconds; `NaN` where there is no `/proc`. */
export function cpuMs(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
    // utime and stime, the 14th and 15th field; the first two are cut off.
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return NaN;
  }
}

/** Memory that a process holds, in bytes; `NaN` where there is no `/proc`. */
export function residentBytes(pid) {
  try {
    return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) * 1024;
  } catch {
    return NaN;
  }
}

/**
 * Keeps a process, and all that it starts from now on, to the first or the last of the cores that it may use. Nothing
 * happens where there is no `taskset`.
 *
 * @returns {() => void} what undoes it
 */
export function keepTo(which, pid = process.pid) {
  try {
    const allowed = /Cpus_allowed_list:\s+(\S+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1];
    const use = (cores) => execFileSync("taskset", ["--all-tasks", "--cpu-list", "--pid", cores, String(pid)], { stdio: "ignore" });
    use(allowed.match(/\d+/g).at(which === "first" ? 0 : -1));
    return () => use(allowed);
  } catch {
    return () => {};
  }
}
