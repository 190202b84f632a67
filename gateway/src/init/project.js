// The language and the dependencies of the project in the current folder.
import { dirname, join, relative, sep } from "node:path";
import { Failure } from "../failure.js";
import { exists, readText } from "../files.js";

export const PACKAGE = "mediagate-gateway";

/**
 * @typedef {object} Project
 * @property {boolean} hasPackage true if it has a package.json
 * @property {string[]} dependencies the names of all dependencies, including those for development
 * @property {boolean} isModule true if its `.js` files are modules
 * @property {boolean} isTypeScript
 */

/**
 * @returns {Promise<Project>}
 * @throws {Failure} if package.json can't be read
 */
export async function readProject() {
  const text = await readText("package.json");
  const { type, dependencies, devDependencies } = parse(text ?? "{}");
  return {
    hasPackage: text !== undefined,
    dependencies: Object.keys({ ...dependencies, ...devDependencies }),
    isModule: type === "module",
    isTypeScript: await exists("tsconfig.json"),
  };
}

function parse(text) {
  try {
    // Some editors of Windows begin a file with a byte order mark, which npm ignores too.
    const value = JSON.parse(text.replace(/^\uFEFF/, ""));
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // Not JSON: fails below.
  }
  throw new Failure(
    "package.json has no object of JSON; repair it, and run this again",
  );
}

/**
 * Returns the path of this package's folder, for a configuration in the current folder. It is the
 * nearest one that is installed, which in a workspace is in a folder above.
 */
export async function packagePath() {
  const here = process.cwd();
  const path = join("node_modules", PACKAGE);
  const installed = await nearest(here, (folder) =>
    exists(join(folder, path, "package.json")),
  );
  return join(relative(here, installed ?? here), path)
    .split(sep)
    .join("/");
}

/**
 * @returns {Promise<string | undefined>} the folder, or the nearest one above it, that passes the
 *   test
 */
async function nearest(folder, test) {
  if (await test(folder)) return folder;
  const above = dirname(folder);
  return above === folder ? undefined : nearest(above, test);
}
