// Reads and examines wrangler's configuration in the current folder.
import { checkBucket } from "./bucket/check.js";
import { Failure } from "./failure.js";
import { readText, requireText } from "./files.js";
import { callWasm, loadOperator } from "./operator.js";
import { printable } from "./printable.js";
import { readSettings } from "./settings.js";

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
 * Returns the settings under `[vars]`.
 *
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
 * Returns true if the configuration binds an upstream module, which has neither an address nor a key.
 *
 * @param {{ name: string, text: string }} config
 * @returns {Promise<boolean>}
 */
export async function hasModule({ name, text }) {
  const operator = await loadOperator();
  try {
    return operator.hasModule(text, name);
  } catch {
    // The doctor reports a text that can't be parsed.
    return false;
  }
}

/**
 * Prints the doctor's findings, including those about the bucket that keeps results. The bucket's
 * secret comes from the environment.
 *
 * @param {{ name: string, text: string }} config
 * @throws {Failure} if it can't be deployed
 */
export async function examine(config) {
  const { name, text } = config;
  const { doctor } = await loadOperator();
  const found = JSON.parse(
    callWasm(() => doctor(text, name, process.env.UPSTREAM_API_KEY)),
  );
  const settings = { ...(await readSettings({})), ...(await varsIn(config)) };
  const findings = [...found, ...(await checkBucket(settings))];
  for (const { line } of findings) console.log(printable(line));
  if (findings.some((finding) => finding.is_error))
    throw new Failure(
      `${name} can't be deployed yet; ` +
        "each line above that begins with `error:` has the remedy",
    );
}
