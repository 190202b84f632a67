// Child processes, which end with this process also if it is killed.
import { spawn } from "node:child_process";

/**
 * A script that waits until its input ends, which means that this process is gone. It ends only the
 * process that it was started for: the system may give a used id to another program, which then has
 * another start time. If the start time is unknown, it ends nothing.
 *
 * It leaves five seconds between the two signals. SIGCONT wakes a paused child.
 */
const WATCH = `
start_of() {
  if [ -r "/proc/$1/stat" ]; then cut -d" " -f22 "/proc/$1/stat"; else ps -o lstart= -p "$1"; fi 2>/dev/null
}
is_it() { [ -n "$start" ] && [ "$(start_of "$1")" = "$start" ]; }
start=$(start_of "$1")
read -r _ && exit
is_it "$1" && kill -TERM "$1" && kill -CONT "$1"
for second in 1 2 3 4 5; do is_it "$1" && sleep 1; done
is_it "$1" && kill -KILL "$1"
`;

/**
 * Starts a child that ends with this process.
 *
 * @param {string} program
 * @param {string[]} args
 * @param {import("node:child_process").SpawnOptions} options
 * @returns {{ child: import("node:child_process").ChildProcess, ended: Promise<number | string> }}
 *   `ended` resolves to the exit code, the signal, or the reason why it did not start
 */
export function startChild(program, args, options) {
  const child = spawn(program, args, options);
  const ended = new Promise((resolve) => {
    child.once("exit", (code, signal) => resolve(code ?? signal));
    child.once("error", (error) => resolve(error.message));
  });
  endWithParent(child);
  return { child, ended };
}

/**
 * Ends the child with this process. Windows does so itself: Node's children are in a job that ends
 * with it.
 */
function endWithParent(child) {
  if (child.pid === undefined || process.platform === "win32") return;
  // In a group of its own, so that Ctrl-C in the terminal does not end it first.
  const watch = spawn(
    "sh",
    ["-c", WATCH, "end-with-parent", String(child.pid)],
    {
      stdio: ["pipe", "ignore", "ignore"],
      detached: true,
      env: { PATH: process.env.PATH },
    },
  );
  // Without a shell, the child runs on, and the next start names it.
  watch.once("error", () => undefined);
  watch.stdin.on("error", () => undefined);
  watch.unref();
  /** @type {import("node:net").Socket} */ (watch.stdin).unref();
  child.once("exit", () => watch.stdin.end("\n"));
}
