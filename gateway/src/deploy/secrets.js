// The secrets of the deployed Worker. Their values go to wrangler's input, never onto a command line.
import { Failure } from "../failure.js";
import { wranglerOutput } from "./wrangler.js";

const NEEDED = ["UPSTREAM_API_KEY", "SESSION_SECRET", "SEAL_SECRET"];

/**
 * The secrets that the Worker needs and does not have. A Worker that does not exist yet has none.
 *
 * @param {string[]} ofConfig wrangler's arguments for the configuration
 */
export async function missingSecrets(ofConfig) {
  const { code, out, err } = await wranglerOutput(["secret", "list", "--format", "json", ...ofConfig]);
  const isNew = /\bWorker "[^"]*"[^\n]* not found\b|\[code: 10007\]/.test(`${out}${err}`);
  if (code !== 0 && !isNew) throw new Failure(`wrangler can't list the Worker's secrets: ${lastLine(err || out)}`);
  const present = code === 0 ? JSON.parse(out).map((it) => it.name) : [];
  return NEEDED.filter((it) => !present.includes(it));
}

/** Sets a secret. */
export async function putSecret(name, value, ofConfig) {
  const { code, out, err } = await wranglerOutput(["secret", "put", name, ...ofConfig], value);
  if (code !== 0)
    throw new Failure(`wrangler can't set ${name}: ${lastLine(err || out).replaceAll(value, "(the secret)")}`);
  console.log(`${name} is set`);
}

const lastLine = (text) => text.trim().split("\n").at(-1) ?? "";
