// Reads from the operating system about the workerd processes that this test has started. Linux
// only.
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";

/** The reason why a test that needs /proc is skipped; `false` if there is one. */
export const NO_PROC = !existsSync("/proc/self/status") && "there is no /proc";

/** Reads a field of `/proc/<pid>/status`. */
const statusField = (pid, name) =>
  new RegExp(`^${name}:\\s+(\\S+)`, "m").exec(
    readFileSync(`/proc/${pid}/status`, "utf8"),
  )?.[1];

/** Returns the ids of the processes below this one that are named `workerd`. */
function workerdPids() {
  const parents = new Map();
  const found = [];
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      parents.set(pid, statusField(pid, "PPid"));
      if (statusField(pid, "Name") === "workerd") found.push(pid);
    } catch {
      // The process has ended meanwhile.
    }
  }
  const isBelow = (pid) =>
    pid !== undefined &&
    (pid === String(process.pid) || isBelow(parents.get(pid)));
  const pids = found.filter(isBelow);
  if (pids.length === 0) throw new Error("no workerd runs below this process");
  return pids;
}

/** Returns the memory of these processes, in bytes. */
export const residentBytes = () =>
  workerdPids().reduce(
    (sum, pid) => sum + Number(statusField(pid, "VmRSS")) * 1024,
    0,
  );

/** Returns the paths of the files that these processes have open. */
export function openFiles() {
  return workerdPids().flatMap((pid) =>
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return [readlinkSync(`/proc/${pid}/fd/${fd}`)];
      } catch {
        // The file was closed meanwhile.
        return [];
      }
    }),
  );
}
