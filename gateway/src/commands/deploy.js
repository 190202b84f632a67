// `mediagate-gateway deploy`: checks, sets the secrets that are missing, and deploys with wrangler.
import { missingSecrets, putSecret } from "../deploy/secrets.js";
import { wrangler } from "../deploy/wrangler.js";
import { Failure } from "../failure.js";
import { newSecret } from "../secrets.js";
import { LOCAL_FILE, readSettings } from "../settings.js";
import { isTerminal, promptSecret } from "../terminal.js";
import { readModule } from "../workerd/module.js";
import { offersAnywhere } from "../workerd/offers.js";
import { examine, readConfig, varsIn } from "../wrangler-config.js";

export const summary =
  "Check the configuration, set the secrets that are missing, and deploy to Cloudflare";

export const help = `
It runs \`doctor\`, finds out with \`wrangler secret list\` which secrets the Worker lacks, prompts
for them in a terminal, and runs \`wrangler deploy\`. Without a terminal it names the missing ones
and deploys nothing. It needs an account at Cloudflare: log in once with \`npx wrangler login\`, or
set CLOUDFLARE_API_TOKEN. A gateway with an upstream module needs no key of a media service; deploy
the module first, and pass its file, so that the gateway offers what it offers.

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

export async function run(values) {
  const config = await readConfig(values.config);
  await examine(config);
  const ofConfig = ["--config", config.name];
  const deploy = ["deploy", ...ofConfig, ...(await offersFor(config, values))];
  if (values["dry-run"]) return wrangler([...deploy, "--dry-run"]);
  const missing = await missingSecrets(config, ofConfig);
  if (missing.length > 0 && !(isTerminal() && process.stderr.isTTY))
    throw new Failure(
      `the Worker lacks the secrets ${missing.join(", ")}; ` +
        "set each with `npx wrangler secret put NAME`, or run this in a terminal",
    );
  // Ask for every secret before the first is set: a person who cancels a question has changed
  // nothing.
  const secrets = [];
  for (const name of missing) secrets.push({ name, ...(await secretOf(name)) });
  for (const { name, value, isNew } of secrets) {
    await putSecret(name, value, ofConfig);
    // Not on the standard output, which may be a file or the log of a pipeline.
    if (isNew && name === "SESSION_SECRET")
      process.stderr.write(
        `Your backend signs tokens with it: SESSION_SECRET=${value}\n`,
      );
  }
  return wrangler(deploy);
}

/** Returns the arguments that set `CAPABILITIES` to what the module offers. */
async function offersFor(config, values) {
  const module = await readModule(
    values["upstream-module"],
    values["upstream-vars"],
  );
  if (!module || (await varsIn(config)).CAPABILITIES) return [];
  const offers = await offersAnywhere(module);
  return offers.length > 0 ? ["--var", `CAPABILITIES:${offers.join(",")}`] : [];
}

/** The secrets that another service issues, with a description of each. */
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
