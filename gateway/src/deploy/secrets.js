// The secrets of the deployed Worker. Their values go to wrangler's input, never on a command line,
// which other users of the machine can read.
import { stripVTControlCharacters } from "node:util";
import { Failure } from "../failure.js";
import { printable } from "../printable.js";
import { hasModule, varsIn } from "../wrangler-config.js";
import { wranglerOutput } from "./wrangler.js";

const NEEDED = ["SESSION_SECRET", "SEAL_SECRET"];
/** Matches wrangler's message about a Worker that was never deployed, and the API's code for it. */
const NO_WORKER = /\bWorker "[^"]*"[^\n]* not found\b|\[code: 10007\]/;
/** Matches wrangler's messages to a person who has no session at Cloudflare. */
const NO_LOGIN = /CLOUDFLARE_API_TOKEN|not logged in|not authenticated/i;

/**
 * Resolves to the names of the secrets that the gateway's Worker needs and lacks.
 *
 * @param {{ name: string, text: string }} config
 * @param {string[]} ofConfig wrangler's arguments for the configuration
 */
export async function missingSecrets(config, ofConfig) {
  const vars = await varsIn(config);
  const ofUpstream = (await hasModule(config)) ? [] : ["UPSTREAM_API_KEY"];
  const ofBucket = vars.RESULTS_BUCKET_URL ? ["RESULTS_SECRET_ACCESS_KEY"] : [];
  return lackingOf([...ofUpstream, ...NEEDED, ...ofBucket], ofConfig);
}

/**
 * Returns the secrets that a Worker lacks: all of them if it does not exist yet.
 *
 * @param {string[]} names
 * @param {string[]} ofConfig wrangler's arguments for the configuration
 */
export async function lackingOf(names, ofConfig) {
  const { code, out, err } = await wranglerOutput([
    "secret",
    "list",
    "--format",
    "json",
    ...ofConfig,
  ]);
  if (code !== 0 && !NO_WORKER.test(out + err))
    throw new Failure(
      `wrangler can't list the Worker's secrets: ${findReason(err, out)}`,
    );
  const present =
    code === 0 ? JSON.parse(out).map((secret) => secret.name) : [];
  return names.filter((name) => !present.includes(name));
}

/** @throws {Failure} with wrangler's reason, if wrangler can't set it */
export async function putSecret(name, value, ofConfig) {
  const { code, out, err } = await wranglerOutput(
    ["secret", "put", name, ...ofConfig],
    value,
  );
  if (code !== 0)
    throw new Failure(
      // Wrangler's message could quote its input.
      `wrangler can't set ${name}: ${findReason(err, out).replaceAll(value, "(the secret)")}`,
    );
  console.log(`${name} is set`);
}

function findReason(err, out) {
  const lines = stripVTControlCharacters(`${err}\n${out}`)
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
  const found =
    lines.find((line) => line.includes("[ERROR]")) ??
    lines.at(-1) ??
    "it has printed nothing";
  const words = printable(found.replace(/^.*\[ERROR\]\s*/, ""));
  if (!NO_LOGIN.test(lines.join(" "))) return words;
  return (
    `${words} Log in to Cloudflare with \`npx wrangler login\`, ` +
    "or set CLOUDFLARE_API_TOKEN, and run this again"
  );
}
