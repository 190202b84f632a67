// Bundles an upstream module, which may be TypeScript with imports, into one ES module.
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { Failure } from "../failure.js";
import { DIST } from "../package.js";
import { printable } from "../printable.js";
import { MODULE } from "./config.js";

/** The module that serves by the emulator what another module does not offer. */
const FILL = fileURLToPath(new URL("../worker/fill.js", import.meta.url));

/**
 * @typedef {object} Bundle
 * @property {string} code
 * @property {string} map its source map
 * @property {string[]} sources the paths of the bundled files, without those of packages
 */

/**
 * Bundles a module. A file that is bundled already stays what it is.
 *
 * @param {string} file
 * @param {boolean} isFilled true if the emulator serves what the module does not offer
 * @returns {Bundle}
 * @throws {Failure} with esbuild's sentence, the file and the line, if it can't be bundled
 */
export function bundle(file, isFilled) {
  try {
    // Its process ends with the call. That of `build` stays, and a signal to the process group,
    // such as systemd's SIGHUP, would end it.
    const { outputFiles, metafile } = buildSync({
      ...(isFilled
        ? { stdin: { contents: filledSource(file), resolveDir: "." } }
        : { entryPoints: [file] }),
      bundle: true,
      // Nothing is written. The source map needs the name.
      outfile: MODULE,
      sourcemap: "external",
      write: false,
      metafile: true,
      format: "esm",
      platform: "browser",
      conditions: ["workerd", "worker", "browser"],
      external: ["node:*", "cloudflare:*"],
      // The library of this package, also if npx runs it in a folder that has not installed it.
      alias: {
        "mediagate-gateway/upstream": join(DIST, "upstream/index.js"),
        "mediagate-gateway/upstream/pdf": join(DIST, "upstream/pdf/index.js"),
      },
      logLevel: "silent",
    });
    const sources = Object.keys(metafile.inputs)
      .filter((source) => source !== "<stdin>")
      .map((source) => resolve(source))
      .filter((source) => !/[\\/]node_modules[\\/]/.test(source));
    const [map, code] = outputFiles.map(({ text }) => text);
    return { code, map, sources };
  } catch (error) {
    throw new Failure(
      `the module ${file} can't be bundled: ${printable(reasonOf(error))}`,
    );
  }
}

const filledSource = (file) => `
import own from ${JSON.stringify(resolve(file))};
import { filled } from ${JSON.stringify(FILL)};
export default filled(own);
`;

function reasonOf(error) {
  const [first] =
    /** @type {Partial<import("esbuild").BuildFailure>} */ (error).errors ?? [];
  // Such as a binary of another platform.
  if (!first) return String(error.message);
  const { text, location } = first;
  const [, name] =
    /^Could not resolve "((?:@[^"/]+\/)?[^"./][^"/]*)/.exec(text) ?? [];
  const remedy = name
    ? `; run \`npm install ${name}\`, if it is a package`
    : "";
  if (!location) return text + remedy;
  const { file, line, column } = location;
  return `${file}:${line}:${column + 1}: ${text}${remedy}`;
}
