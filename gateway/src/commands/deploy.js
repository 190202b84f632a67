// `mediagate-gateway deploy`: checks, sets the secrets that are missing, and deploys with wrangler.
import { examine } from "../deploy/examine.js";
import { lackingOf, missingSecrets, putSecret } from "../deploy/secrets.js";
import { wrangler } from "../deploy/wrangler.js";
import { Failure } from "../failure.js";
import { exists } from "../files.js";
import {
  findOwnModule,
  MODULE_CONFIG,
  MODULE_VARIABLES,
} from "../own-module.js";
import { newSecret } from "../secrets.js";
import { LOCAL_FILE, readLines, readSettings } from "../settings.js";
import { isTerminal, promptSecret } from "../terminal.js";
import { readModule } from "../workerd/module.js";
import { offersOf } from "../workerd/offers.js";
import { hasModule, readConfig, varsIn } from "../wrangler-config.js";

export const summary =
  "Check the configuration, set the secrets that are missing, and deploy to Cloudflare";

export const help = `
It runs \`doctor\`, finds out with \`wrangler secret list\` which secrets the Worker lacks, prompts
for them in a terminal, and runs \`wrangler deploy\`. Without a terminal it names the missing ones
and deploys nothing. It needs an account at Cloudflare: log in once with \`npx wrangler login\`, or
set CLOUDFLARE_API_TOKEN. A gateway with an upstream module needs no key of a media service. If the
folder has upstream/wrangler.toml, as \`init --provider\` writes it, that module is deployed first,
with the names in upstream/.dev.vars as its secrets. Deploy any other module before, and pass its
file, so that the gateway offers what it offers.

Options:
  --config FILE           the configuration
                          [default: wrangler.json, wrangler.jsonc or wrangler.toml]
  --upstream-module FILE  the upstream module, in TypeScript or JavaScript: its capabilities become
                          CAPABILITIES of the gateway, unless the configuration has that setting
  --upstream-vars FILE    the module's variables, as lines NAME=value
                          [default: .dev.vars beside the module]
  --dry-run               check, and have wrangler bundle it; deploy nothing, and set nothing
  -h, --help              print this`;

/** @type {import("../main.js").Command["options"]} */
export const options = {
  config: { type: "string" },
  "upstream-module": { type: "string" },
  "upstream-vars": { type: "string" },
  "dry-run": { type: "boolean", default: false },
};

/**
 * A Worker to deploy.
 *
 * @typedef {object} Part
 * @property {string} worker the Worker, in words
 * @property {string} put the command that sets a secret
 * @property {string[]} ofConfig wrangler's arguments for its configuration
 * @property {string[]} further wrangler's further arguments to deploy it
 * @property {(ofConfig: string[]) => Promise<string[]>} missing resolves to the names of the secrets
 *   that the Worker lacks
 * @property {(name: string) => Promise<Secret>} ask prompts for one of them
 * @typedef {{ value: string, isNew?: boolean }} Secret
 */

export async function run(values) {
  const config = await readConfig(values.config);
  await examine(config);
  const hasOwn = await hasOwnModule(config, values);
  /** @type {Part[]} */
  const parts = [
    ...(hasOwn ? [MODULE_PART] : []),
    {
      worker: "the Worker",
      put: "npx wrangler secret put NAME",
      ofConfig: ["--config", config.name],
      further: await offersFor(config, values, hasOwn),
      missing: (ofConfig) => missingSecrets(config, ofConfig),
      ask: secretOf,
    },
  ];
  // Ask for every secret before the first is set: a person who cancels a question has changed
  // nothing.
  const secrets = values["dry-run"] ? [] : await secretsOf(parts);
  for (const part of parts) {
    for (const secret of secrets) if (secret.part === part) await set(secret);
    const dryRun = values["dry-run"] ? ["--dry-run"] : [];
    const code = await wrangler([
      ...["deploy", ...part.ofConfig, ...part.further],
      ...dryRun,
    ]);
    if (code !== 0) return code;
  }
  return 0;
}

/**
 * Prompts for the secrets that the Workers lack.
 *
 * @throws {Failure} if a Worker lacks one, and no person can answer
 */
async function secretsOf(parts) {
  const missing = [];
  for (const part of parts) {
    const names = await part.missing(part.ofConfig);
    if (names.length > 0 && !(isTerminal() && process.stderr.isTTY))
      throw new Failure(
        `${part.worker} lacks the secrets ${names.join(", ")}; ` +
          `set each with \`${part.put}\`, or run this in a terminal`,
      );
    missing.push(...names.map((name) => ({ part, name })));
  }
  const secrets = [];
  for (const { part, name } of missing)
    secrets.push({ part, name, ...(await part.ask(name)) });
  return secrets;
}

async function set({ part, name, value, isNew = false }) {
  await putSecret(name, value, part.ofConfig);
  // Not on the standard output, which may be a file or the log of a pipeline.
  if (isNew && name === "SESSION_SECRET")
    process.stderr.write(
      `Your backend signs tokens with it: SESSION_SECRET=${value}\n`,
    );
}

/** @type {Part} */
const MODULE_PART = {
  worker: "the module's Worker",
  put: `npx wrangler secret put NAME --config ${MODULE_CONFIG}`,
  ofConfig: ["--config", MODULE_CONFIG],
  further: [],
  missing: async (ofConfig) => {
    const names = Object.keys(await readLines(MODULE_VARIABLES, false));
    return names.length > 0 ? lackingOf(names, ofConfig) : [];
  },
  ask: async (name) => {
    const { [name]: local } = await readLines(MODULE_VARIABLES, false);
    const otherwise = local ? `; Enter for the one in ${MODULE_VARIABLES}` : "";
    const typed = await promptSecret(
      `${name}, for the module (not shown${otherwise}): `,
    );
    return { value: requireValue(name, typed || local) };
  },
};

const hasOwnModule = async (config, values) =>
  values["upstream-module"] === undefined &&
  (await hasModule(config)) &&
  (await exists(MODULE_CONFIG));

async function offersFor(config, values, hasOwn) {
  const isListed = Boolean((await varsIn(config)).CAPABILITIES);
  const named = values["upstream-module"];
  // A deployment by CI has no key of the project's own module, without which the module lists none.
  if (isListed && hasOwn) return [];
  const module = await readModule(
    named ?? (hasOwn ? await findOwnModule() : undefined),
    values["upstream-vars"],
  );
  if (!module || isListed) return [];
  const offers = await offersOf(module);
  return offers.length > 0 ? ["--var", `CAPABILITIES:${offers.join(",")}`] : [];
}

/** Descriptions of the secrets that other services issue. */
const OF_OTHERS = {
  UPSTREAM_API_KEY: "the media service's key",
  RESULTS_SECRET_ACCESS_KEY: "the secret of the bucket's access key",
};

/** Prompts for a secret. For a random secret, Enter takes this folder's, or makes a new one. */
async function secretOf(name) {
  const { [name]: purpose } = OF_OTHERS;
  if (purpose)
    return {
      value: requireValue(
        name,
        await promptSecret(`${name}, ${purpose} (not shown): `),
      ),
    };
  const { [name]: local } = await readSettings({ fallbackFile: LOCAL_FILE });
  const otherwise = local
    ? `Enter for the one in ${LOCAL_FILE}`
    : "Enter for a new random one";
  const typed = await promptSecret(`${name} (not shown; ${otherwise}): `);
  return typed || local
    ? { value: typed || local }
    : { value: newSecret(), isNew: true };
}

function requireValue(name, value) {
  if (!value) throw new Failure(`${name} is empty; nothing was deployed`);
  return value;
}
