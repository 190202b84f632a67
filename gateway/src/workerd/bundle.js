// Bundles an upstream module, which may be TypeScript with imports, into one ES module.
import { join, resolve } from "node:path";
import { buildSync } from "esbuild";
import { Failure } from "../failure.js";
import { DIST } from "../package.js";
import { printable } from "../printable.js";

/**
 * @typedef {object} Bundle
 * @property {string} code
 * @property {string[]} sources the paths of the bundled files, without those of packages
 */

/**
 * Bundles a module. A file that is bundled already stays what it is.
 *
 * @param {string} file
 * @returns {Bundle}
 * @throws {Failure} with esbuild's sentence, the file and the line, if it can't be bundled
 */
export function bundle(file) {
  try {
    // Its process ends with the call. That of `build` stays, and a signal to the process group,
    // such as systemd's SIGHUP, would end it.
    const { outputFiles, metafile } = buildSync({
      entryPoints: [file],
      bundle: true,
      write: false,
      metafile: true,
      format: "esm",
      platform: "browser",
      conditions: ["workerd", "worker", "browser"],
      external: ["node:*", "cloudflare:*"],
      // The library of this package, also if npx runs it in a folder that has not installed it.
      alias: { "mediagate-gateway/upstream": join(DIST, "upstream/index.js") },
      logLevel: "silent",
    });
    const sources = Object.keys(metafile.inputs)
      .map((source) => resolve(source))
      .filter((source) => !/[\\/]node_modules[\\/]/.test(source));
    return { code: outputFiles[0].text, sources };
  } catch (error) {
    throw new Failure(
      `the module ${file} can't be bundled: ${printable(reasonOf(error))}`,
    );
  }
}

/** Returns the first error of a build, and the line that causes it. */
function reasonOf(error) {
  const [first] =
    /** @type {Partial<import("esbuild").BuildFailure>} */ (error).errors ?? [];
  // Such as a binary of another platform.
  if (!first) return String(error.message);
  const { text, location } = first;
  if (!location) return text;
  return `${location.file}:${location.line}:${location.column + 1}: ${text}`;
}
