// `mediagate-gateway doctor`: checks wrangler's configuration before it is deployed.
import { examine } from "../deploy/examine.js";
import { readConfig } from "../wrangler-config.js";

export const summary = "Check wrangler's configuration before it is deployed";

export const help = `
Prints a line for each finding, with its remedy. The exit code is 1 if one of them is an error: with
it, the gateway would serve no one, serve callers that it should not, or keep no results. No value
of a setting is printed. The bucket of RESULTS_BUCKET_URL is tried with a small object, and with an
upload if UPLOAD_MODE is bucket, if RESULTS_SECRET_ACCESS_KEY is in the environment. The module that
\`init --provider\` wrote is bundled, and asked for the capabilities that it offers.

Options:
  --config FILE           the configuration
                          [default: wrangler.json, wrangler.jsonc or wrangler.toml]
  -h, --help              print this`;

/** @type {import("../main.js").Command["options"]} */
export const options = { config: { type: "string" } };

export async function run(values) {
  const config = await readConfig(values.config);
  await examine(config);
  console.log(`${config.name} can be deployed`);
}
