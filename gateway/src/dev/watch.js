// Replaces an upstream module while it runs, whenever its sources or its variables change.
import { watch } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { codeOf, Failure } from "../failure.js";

/** Milliseconds without a change after which a module is read: editors write a file in steps. */
const SETTLED_MS = 100;

/** @typedef {import("../workerd/module.js").Module} Module */

/**
 * Follows the sources of a module, and the file of its variables. If the module can't be read, or
 * the gateway refuses it, the reason is printed, and the old module goes on.
 *
 * @param {Module} module
 * @param {() => Promise<Module | undefined>} read
 * @param {(module: Module) => Promise<void>} replace
 */
export function followModule(module, read, replace) {
  const state = {
    module,
    hasFailed: false,
    work: Promise.resolve(),
    timer: /** @type {NodeJS.Timeout | undefined} */ (undefined),
    watchers: watchFolders(module, changed),
  };

  /** @param {string} path */
  function changed(path) {
    // A new file may have the error, and an import that failed may appear anywhere in the folders.
    if (!state.hasFailed && !filesOf(state.module).includes(path)) return;
    clearTimeout(state.timer);
    state.timer = setTimeout(() => {
      state.work = state.work.then(reload);
    }, SETTLED_MS).unref();
  }

  async function reload() {
    try {
      const next = await read();
      state.hasFailed = false;
      if (!next || isDeepStrictEqual(next, state.module)) return;
      await replace(next);
      for (const watcher of state.watchers) watcher.close();
      state.module = next;
      state.watchers = watchFolders(next, changed);
      console.error("the module has changed, and the gateway serves with it");
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      state.hasFailed = true;
      console.error(`error: ${error.message}\nThe old module goes on.`);
    }
  }
}

const filesOf = ({ sources, variablesFile }) => [
  ...sources,
  resolve(variablesFile),
];

/**
 * Watches the folders of a module's files: an editor that replaces a file would end the watch of
 * the file itself. None of this keeps the process alive.
 */
function watchFolders(module, changed) {
  const folders = new Set(filesOf(module).map((file) => dirname(file)));
  return [...folders].flatMap((folder) => {
    try {
      const watcher = watch(folder, { persistent: false }, (_, name) => {
        if (name) changed(join(folder, name));
      });
      // Such as a folder that is gone. Its files can't be read then, either.
      return [watcher.on("error", () => undefined)];
    } catch (error) {
      // Such as ENOSPC: the system limits the number of watches.
      console.error(
        `note: ${folder} can't be watched (${codeOf(error)}); ` +
          "start this again after a change there",
      );
      return [];
    }
  });
}
