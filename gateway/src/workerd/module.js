// An upstream module: a second Worker beside the gateway, in the same workerd.
import { stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { codeOf, Failure, UsageFailure } from "../failure.js";
import { loadOperator } from "../operator.js";
import { readLines } from "../settings.js";
import { bundle } from "./bundle.js";
import { BINDING } from "./config.js";
import { systemVariables } from "./program.js";

/** The file beside a module that has its variables. wrangler reads it, too. */
const VARIABLES = ".dev.vars";

/**
 * @typedef {object} Module
 * @property {string} file the path of its source
 * @property {string} code the bundle of the source and its imports
 * @property {string} map the source map of the bundle
 * @property {string[]} sources the paths of the bundled files
 * @property {string} variablesFile the path of the file of its variables, which may be missing
 * @property {Record<string, string>} variables its own, and no others
 */

/**
 * Reads the options of a module, and bundles it. Its variables are the names in its file of
 * variables; the environment takes precedence. No other variable reaches the module.
 *
 * @param {string | undefined} file
 * @param {string | undefined} variables the file of variables; by default `.dev.vars` beside the
 *   module, if there is one
 * @param {Record<string, string>} [emulator] the variables of the emulator, if that serves what the
 *   module does not offer
 * @returns {Promise<Module | undefined>} `undefined` without a module
 * @throws {Failure} if a file can't be read or bundled, or if a variable is a setting of the gateway
 */
export async function readModule(file, variables, emulator) {
  if (file === undefined) {
    if (variables === undefined) return undefined;
    throw new UsageFailure(
      "--upstream-vars is for a module: name it with --upstream-module",
    );
  }
  const path = resolve(file);
  const found = await stat(path).catch((error) => {
    throw new Failure(`the module ${file} can't be read (${codeOf(error)})`);
  });
  if (!found.isFile()) throw new Failure(`the module ${file} is no file`);
  const variablesFile = variables ?? join(dirname(file), VARIABLES);
  const named = await readLines(variablesFile, variables !== undefined);
  const taken = [
    ...(await loadOperator()).settingNames(),
    ...Object.keys(systemVariables()),
  ];
  const wrong = Object.keys(named).filter((name) => taken.includes(name));
  if (wrong.length > 0)
    throw new Failure(
      `${variablesFile} names ${wrong.join(", ")}, which the gateway needs itself; ` +
        "give the module variables of its own",
    );
  const values = Object.entries(named).map(([name, value]) => [
    name,
    process.env[name] ?? value,
  ]);
  return {
    file: path,
    ...bundle(file, emulator !== undefined),
    variablesFile,
    variables: { ...Object.fromEntries(values), ...emulator },
  };
}

/** Returns the settings with the binding's, as the gateway's checks read them. */
export const withBinding = (settings, module) =>
  module ? { ...settings, [BINDING]: "binding" } : settings;
