// Notices the end of the package manager that has started this process.
import { readFileSync } from "node:fs";

/** Milliseconds between two looks at the parents. */
const LOOK_MS = 500;
/** The shells that package managers run a command in. */
const SHELL = /^(a|ba|da|k|z)?sh$/;

/**
 * Resolves once the package manager (`npx`, `npm start`, and those of others) is gone that has
 * started this process, or the script that it has run. If it is killed, it can't stop what it has
 * started, and the process would serve on without anybody who knows of it. Never resolves without a
 * package manager.
 *
 * @returns {Promise<void>}
 */
export function packageManagerEnded() {
  return new Promise((resolve) => {
    // Every package manager sets it. Windows does not say that a parent has ended.
    if (!process.env.npm_config_user_agent || process.platform === "win32")
      return;
    const parent = process.ppid;
    const shell = shellOf(parent);
    const timer = setInterval(() => {
      if (process.ppid === parent && shellOf(parent)?.parent === shell?.parent)
        return;
      clearInterval(timer);
      resolve();
    }, LOOK_MS).unref();
  });
}

/**
 * Returns the shell with this id, between the package manager and this process; `undefined` if it
 * is none, or if the platform does not say (only Linux does).
 */
function shellOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [, name, parent] = /^\d+ \((.*)\) \S (\d+)/s.exec(stat) ?? [];
    return SHELL.test(name) ? { parent } : undefined;
  } catch {
    return undefined;
  }
}
