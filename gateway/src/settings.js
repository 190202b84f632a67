// Reads the gateway's settings from files and from the environment, which takes precedence.
import { parseEnv } from "node:util";
import { Failure } from "./failure.js";
import { readText, requireText } from "./files.js";
import { nearest } from "./nearest.js";
import { loadOperator } from "./operator.js";

/**
 * The settings that are bindings of a Worker. On a server there are none: an upstream module is an
 * option of the command.
 */
const BINDINGS = ["UPSTREAM", "UPLOADS_BUCKET"];

/** A file of settings that wrangler reads too. */
export const LOCAL_FILE = ".dev.vars";

/**
 * Returns the settings in `fallbackFile`, over them those in `file`, and over both those in the
 * environment. A file whose name ends in `.toml` has them under `[vars]`, as `wrangler.toml` and
 * the file of `check` do. Any other file has lines NAME=value.
 *
 * @param {{ file?: string, fallbackFile?: string, own?: string[] }} source `file` must exist,
 *   `fallbackFile` may; `own` are settings of the command, beside those of the gateway
 * @returns {Promise<Record<string, string>>} the values by the settings' names
 * @throws {Failure} if a file can't be read, or `file` has a name that is no setting
 */
export async function readSettings({ file, fallbackFile, own = [] }) {
  const names = [...(await namesOfSettings()), ...own];
  const inEnvironment = names
    .filter((name) => process.env[name] !== undefined)
    .map((name) => [name, process.env[name]]);
  return {
    ...(fallbackFile && (await readLocalFile(fallbackFile))),
    ...(file && (await readSettingsFile(file, own))),
    ...Object.fromEntries(inEnvironment),
  };
}

/**
 * Returns the settings of a file that a person has named.
 *
 * @param {string} file
 * @param {string[]} own settings of the command, beside those of the gateway
 * @throws {Failure} if it can't be read, or has a name that is no setting
 */
export async function readSettingsFile(file, own = []) {
  const text = await requireText(file);
  const settings = file.endsWith(".toml")
    ? await varsOf(file, text)
    : linesOf(file, text);
  const unknown = (await unknownNames(file, settings)).filter(
    (name) => !own.includes(name),
  );
  if (unknown.length > 0)
    throw new Failure(
      `${file} sets ${unknown.join(", ")}, which is no setting of the gateway; ` +
        ((await suggestNames(unknown)) ?? "take it out"),
    );
  return settings;
}

/**
 * Returns the settings of the file that wrangler reads too. The file may be for another Worker in
 * the folder, so unknown names are only noted.
 */
async function readLocalFile(file) {
  const settings = linesOf(file, (await readText(file)) ?? "");
  const unknown = await unknownNames(file, settings);
  if (unknown.length === 0) return settings;
  const guess = await suggestNames(unknown);
  console.error(
    `note: ${file} sets ${unknown.join(", ")}, which is no setting of the gateway, ` +
      `and is ignored${guess ? `; ${guess}` : ""}`,
  );
  const known = Object.entries(settings).filter(
    ([name]) => !unknown.includes(name),
  );
  return Object.fromEntries(known);
}

/**
 * Returns the variables of a file with lines NAME=value, whatever their names are.
 *
 * @param {string} file
 * @param {boolean} isRequired true if the file must exist
 * @returns {Promise<Record<string, string>>}
 * @throws {Failure} if it can't be read, or if a value would be cut
 */
export async function readLines(file, isRequired) {
  const text = isRequired ? await requireText(file) : await readText(file);
  return linesOf(file, text ?? "");
}

/**
 * Returns the settings of lines NAME=value. Node and wrangler both end a value without quotes at its
 * first `#`, so that a secret would lose its rest.
 *
 * @throws {Failure} if a value would be cut
 */
function linesOf(file, text) {
  const values = /** @type {Record<string, string>} */ (parseEnv(text));
  for (const [, name, value] of text.matchAll(
    /^\s*(?:export\s+)?(\w+)\s*=([^\n#]*)#/gm,
  )) {
    const isComment = /\s$/.test(value);
    // A value in quotes keeps its `#`.
    if (isComment || values[name] !== value.trim()) continue;
    throw new Failure(
      `${file} has a # inside the value of ${name}, which would end there; ` +
        "put the value into quotes, or a space before a comment",
    );
  }
  return values;
}

async function varsOf(file, text) {
  const { settingsIn } = await loadOperator();
  try {
    return JSON.parse(settingsIn(text, file));
  } catch (problem) {
    throw new Failure(`${file}: ${problem}`);
  }
}

/**
 * Returns the names in a file that are no settings.
 *
 * @throws {Failure} if a line has no name, or a value has a NUL
 */
async function unknownNames(file, settings) {
  const names = await namesOfSettings();
  const unknown = Object.keys(settings).filter((name) => !names.includes(name));
  // A line without a name may be a secret, so it is not repeated.
  if (unknown.some((name) => !/^[A-Z][A-Z0-9_]{0,63}$/.test(name)))
    throw new Failure(
      `${file} has a line that does not begin with a name and =; write each setting as NAME=value`,
    );
  const broken = Object.keys(settings).find((name) =>
    settings[name].includes("\0"),
  );
  if (broken)
    throw new Failure(`${file} has a NUL in ${broken}; save it as UTF-8 text`);
  return unknown;
}

async function namesOfSettings() {
  const { settingNames } = await loadOperator();
  return settingNames().filter((name) => !BINDINGS.includes(name));
}

/**
 * Suggests settings with similar names.
 *
 * @param {string[]} unknown names that are no settings
 */
async function suggestNames(unknown) {
  const names = await namesOfSettings();
  const near = unknown.flatMap((name) => nearest(name, names) ?? []);
  return near.length > 0 ? `did you mean ${near.join(", ")}?` : undefined;
}
