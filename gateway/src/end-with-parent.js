// Ends a child process once this process is killed, which has no chance to do it then.
import { spawn } from "node:child_process";

/**
 * A shell that waits beside it, for its input to end. It ends only the process that it was started for: an id is used again
 * for another program later, which has another start. Where the start is not known, it ends nothing.
 *
 * As a stop does, it leaves five seconds between the two signals. SIGCONT is for a child that was paused.
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
 * Windows does this by itself: Node's children are in a job that ends with it.
 *
 * @param {import("node:child_process").ChildProcess} child
 */
export function endWithParent(child) {
  if (child.pid === undefined || process.platform === "win32") return;
  // Of a group of its own: Ctrl-C is for the others.
  const watch = spawn(
    "sh",
    ["-c", WATCH, "end-with-parent", String(child.pid)],
    {
      stdio: ["pipe", "ignore", "ignore"],
      detached: true,
      env: { PATH: process.env.PATH },
    },
  );
  // Without a shell, the next start names what runs on.
  watch.once("error", () => undefined);
  watch.stdin.on("error", () => undefined);
  watch.unref();
  /** @type {import("node:net").Socket} */ (watch.stdin).unref();
  child.once("exit", () => watch.stdin.end("\n"));
}
