// The gateway's settings: from a file, and from the environment, which takes precedence.
import { readFile } from "node:fs/promises";
import { parseEnv } from "node:util";
import { Failure } from "./failure.js";
import { operator } from "./operator.js";

/** The file that a folder may have, as wrangler reads it too. */
export const LOCAL_FILE = ".dev.vars";

/**
 * The settings that are set.
 *
 * @param {{ file?: string, fallbackFile?: string }} source `file` must exist, `fallbackFile` may
 * @returns {Promise<Record<string, string>>} by their names
 * @throws {Failure} where the file can't be read, or has a name that is no setting
 */
export async function readSettings({ file, fallbackFile }) {
  const names = (await operator()).settingNames();
  const text = file
    ? await readFileOrFail(file)
    : await readIfPresent(fallbackFile);
  const inFile = /** @type {Record<string, string>} */ (parseEnv(text));
  const unknown = Object.keys(inFile).filter((it) => !names.includes(it));
  // What is no name may be a secret, where a line is wrong; it is not repeated.
  if (unknown.some((it) => !/^[A-Z][A-Z0-9_]{0,63}$/.test(it)))
    throw new Failure(
      `${file ?? fallbackFile} has a line that does not begin with a name and =; write each setting as NAME=value`,
    );
  if (unknown.length > 0) report(unknown, file, fallbackFile);
  const broken = Object.keys(inFile).find((it) => inFile[it].includes("\0"));
  if (broken)
    throw new Failure(
      `${file ?? fallbackFile} has a NUL in ${broken}; save it as UTF-8 text`,
    );
  const inEnvironment = names
    .filter((it) => process.env[it] !== undefined)
    .map((it) => [it, process.env[it]]);
  const ofFile = Object.entries(inFile).filter(([it]) => names.includes(it));
  return Object.fromEntries([...ofFile, ...inEnvironment]);
}

/** The file that wrangler reads too may be that of a Worker beside the gateway: then names of its own are right there. */
function report(unknown, file, fallbackFile) {
  if (file)
    throw new Failure(
      `${file} sets ${unknown.join(", ")}, which is no setting of the gateway; take it out`,
    );
  console.error(
    `note: ${fallbackFile} sets ${unknown.join(", ")}, which is no setting of the gateway, and is ignored`,
  );
}

async function readFileOrFail(file) {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new Failure(
      `${file} can't be read (${/** @type {NodeJS.ErrnoException} */ (error).code})`,
    );
  }
}

async function readIfPresent(file) {
  if (!file) return "";
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === "ENOENT")
      return "";
    throw new Failure(
      `${file} can't be read (${/** @type {NodeJS.ErrnoException} */ (error).code})`,
    );
  }
}
