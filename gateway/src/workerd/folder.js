// The folder that workerd is started from: its configuration can only embed files beside it.
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { codeOf, Failure } from "../failure.js";
import { DIST } from "../package.js";
import { MODULE, MODULES } from "./config.js";

export const GATEWAY_FILES = MODULES.map((name) => [
  name,
  join(DIST, "worker", name),
]);

/**
 * @param {string} configuration
 * @param {string[][]} files their names and their paths
 * @param {{ code: string }} [module] the upstream module, if there is one
 * @returns {Promise<{ file: string, remove: () => Promise<void> }>} `file` is the configuration's
 * @throws {Failure} if it can't be made
 */
export async function prepareFolder(configuration, files, module) {
  const folder = await failIfNotMade(mkdtemp(join(tmpdir(), "mediagate-")));
  // A failure is ignored: the gateway runs, and the system cleans its temporary folder.
  const remove = () =>
    rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(
      () => undefined,
    );
  const file = join(folder, "config.capnp");
  const written = [
    ...files.map(([name, path]) => cp(path, join(folder, name))),
    writeFile(file, configuration),
    ...(module ? [writeFile(join(folder, MODULE), module.code)] : []),
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
