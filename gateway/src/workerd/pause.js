// Pauses a process of this machine for a moment. Linux only: /proc says whether it has stopped.
import { readdirSync, readFileSync } from "node:fs";

/** Milliseconds that a process has to stop; a thread that waits for the disk takes longer. */
const STOP_MS = 20;
/** Milliseconds between two looks at its threads. */
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
 * The action is synchronous: this process can't handle a signal, such as SIGTERM, before the other one runs again. If this
 * process is killed meanwhile, the shell that waits beside it (`end-with-parent.js`) wakes and ends the other one.
 *
 * @param {Child} child
 * @param {() => void} action
 * @returns {boolean} false if the process did not stop, or was already stopped by someone else; the action has not run then
 */
export function whilePaused({ pid, signal }, action) {
  // An operator copies the folder of data meanwhile. A SIGCONT would wake it too early.
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

/** Returns whether every thread of a process is stopped. */
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
