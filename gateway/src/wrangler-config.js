// Reads wrangler's configuration in the current folder.
import { Failure } from "./failure.js";
import { readText, requireText } from "./files.js";
import { loadOperator } from "./operator.js";

/** The files that wrangler reads, the preferred one first. */
export const NAMES = ["wrangler.json", "wrangler.jsonc", "wrangler.toml"];

/**
 * Reads the named configuration, or else the first one that exists.
 *
 * @param {string | undefined} named
 * @returns {Promise<{ name: string, text: string }>}
 * @throws {Failure} if there is none
 */
export async function readConfig(named) {
  if (named !== undefined)
    return { name: named, text: await requireText(named) };
  for (const name of NAMES) {
    const text = await readText(name);
    if (text !== undefined) return { name, text };
  }
  throw new Failure(
    `there is no ${NAMES.join(", ")} in this folder; \`mediagate-gateway init\` writes one`,
  );
}

/**
 * @param {{ name: string, text: string }} config
 * @returns {Promise<Record<string, string>>} empty if there is no such table
 */
export async function varsIn({ name, text }) {
  const { settingsIn } = await loadOperator();
  try {
    return JSON.parse(settingsIn(text, name));
  } catch {
    // The doctor reports a text that can't be parsed.
    return {};
  }
}

/**
 * Returns the names of the Worker and of the upstream module that it binds.
 *
 * @param {{ name: string, text: string }} config
 * @returns {Promise<{ worker: string | null, module: string | null }>}
 */
export async function workerNames({ name, text }) {
  const operator = await loadOperator();
  try {
    return JSON.parse(operator.workerNames(text, name));
  } catch {
    // The doctor reports a text that can't be parsed.
    return { worker: null, module: null };
  }
}

/**
 * Returns true if the configuration binds an upstream module, which has no address and no key.
 *
 * @param {{ name: string, text: string }} config
 */
export const hasModule = async (config) =>
  (await workerNames(config)).module !== null;
