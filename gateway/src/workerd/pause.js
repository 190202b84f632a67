// Pauses a process of this machine for a moment. This works only on Linux, where /proc shows
// whether the process has stopped.
import { readdirSync, readFileSync } from "node:fs";

/** Milliseconds within which a process must stop. A thread that waits for the disk takes longer. */
const STOP_MS = 20;
const LOOK_MS = 0.2;
const STOPPED = "T";

/**
 * @typedef {object} Child a process that this one has started
 * @property {number} pid
 * @property {(signal: NodeJS.Signals) => unknown} signal does nothing once the process has ended
 */

/**
 * Runs an action while no thread of the process runs.
 *
 * The action is synchronous, so that this process handles no signal, such as SIGTERM, before
 * workerd runs again. If this process is killed meanwhile, the shell of `child.js` wakes
 * workerd and ends it.
 *
 * @param {Child} child
 * @param {() => void} action
 * @returns {boolean} false if the action did not run, because the process did not stop or was
 *   stopped already
 */
export function whilePaused({ pid, signal }, action) {
  // An operator may have stopped it to copy the folder of data. SIGCONT would wake it too early.
  if (isStopped(pid)) return false;
  signal("SIGSTOP");
  try {
    if (!hasStopped(pid)) return false;
    action();
    return true;
  } finally {
    signal("SIGCONT");
  }
}

function hasStopped(pid) {
  for (const end = performance.now() + STOP_MS; performance.now() < end; ) {
    if (isStopped(pid)) return true;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_MS);
  }
  return false;
}

function isStopped(pid) {
  try {
    return readdirSync(`/proc/${pid}/task`).every(
      (thread) => stateOf(`/proc/${pid}/task/${thread}/stat`) === STOPPED,
    );
  } catch {
    // A thread, or the process, has just ended.
    return false;
  }
}

/** Returns the letter after the program's name, which is in parentheses and may contain some. */
function stateOf(file) {
  const stat = readFileSync(file, "utf8");
  return stat.charAt(stat.lastIndexOf(")") + 2);
}
