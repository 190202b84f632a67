// The folder that workerd is started from: its configuration can only embed files beside it.
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { codeOf, Failure } from "../failure.js";
import { DIST } from "../package.js";
import { MODULE, MODULES } from "./config.js";

/**
 * Makes a folder with a configuration and the modules of the gateway.
 *
 * @param {string} configuration
 * @param {string | undefined} module the path of the upstream module, if there is one
 * @returns {Promise<{ file: string, remove: () => Promise<void> }>} `file` is the configuration's
 * @throws {Failure} if it can't be made
 */
export async function prepareFolder(configuration, module) {
  const folder = await failIfNotMade(mkdtemp(join(tmpdir(), "mediagate-")));
  // A failure is ignored: the gateway runs, and the system cleans its temporary folder.
  const remove = () =>
    rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(
      () => undefined,
    );
  const file = join(folder, "config.capnp");
  const written = [
    ...MODULES.map((name) =>
      cp(join(DIST, "worker", name), join(folder, name)),
    ),
    ...(module ? [cp(module, join(folder, MODULE))] : []),
    writeFile(file, configuration),
  ];
  try {
    await failIfNotMade(Promise.all(written));
  } catch (error) {
    await Promise.allSettled(written);
    await remove();
    throw error;
  }
  return { file, remove };
}

/** @template T @param {Promise<T>} made */
async function failIfNotMade(made) {
  try {
    return await made;
  } catch (error) {
    const code = codeOf(error);
    const why = code === "ENOSPC" ? "its disk is full" : code;
    throw new Failure(
      `the gateway can't be prepared in ${tmpdir()} (${why}); ` +
        "free some megabytes there, or name another folder in TMPDIR",
    );
  }
}
