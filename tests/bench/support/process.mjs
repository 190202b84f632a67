// What Linux says of a process.
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
