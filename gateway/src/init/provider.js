// Writes an upstream module in front of a provider: its source, variables and configuration.
import { UsageFailure } from "../failure.js";
import { create } from "../files.js";
import {
  findOwnModule,
  MODULE_CONFIG,
  MODULE_SOURCE,
  MODULE_VARIABLES,
} from "../own-module.js";
import { readTemplate } from "../package.js";

/**
 * @typedef {object} Provider
 * @property {string} key the name of the variable that has its key
 * @property {string[]} offers the capabilities of its template, in the order of the catalogue
 * @property {string} [types] the package of its types
 * @property {string} [outputHosts] the hosts of its outputs
 */

/**
 * The providers. The capabilities are not read from the templates themselves: a module without its
 * key lists none.
 *
 * @type {Record<string, Provider>}
 */
export const PROVIDERS = {
  fal: {
    key: "FAL_KEY",
    offers: [
      "text_to_image",
      "text_to_image_turbo",
      "omni_reference_to_video",
      "image_to_video",
      "image_audio_driven",
      "text_to_video",
      "resize_video",
      "background_removal",
    ],
    types: "@fal-ai/client",
    outputHosts: "*.fal.media",
  },
  replicate: {
    key: "REPLICATE_API_TOKEN",
    offers: [
      "text_to_image",
      "text_to_image_turbo",
      "image_to_video",
      "text_to_video",
      "background_removal",
    ],
    outputHosts: "replicate.delivery,*.replicate.delivery",
  },
  runway: {
    key: "RUNWAYML_API_SECRET",
    offers: ["text_to_image", "image_to_video", "text_to_video"],
    types: "@runwayml/sdk",
    // As in https://docs.dev.runwayml.com/assets/outputs.
    outputHosts: "dnznrvs05pmza.cloudfront.net",
  },
  // Its pictures are within the responses, and its videos need the key.
  google: {
    key: "GEMINI_API_KEY",
    offers: [
      "text_to_image",
      "omni_reference_to_video",
      "image_to_video",
      "text_to_video",
    ],
    types: "@google/genai",
  },
  // Its outputs need the key, so the gateway loads them through the module.
  openrouter: {
    key: "OPENROUTER_API_KEY",
    offers: ["image_to_video", "text_to_video"],
  },
  custom: { key: "EXAMPLE_KEY", offers: ["text_to_video"] },
};

/**
 * @param {string} word of `--provider`
 * @returns {Provider & { word: string }}
 * @throws {UsageFailure} if there is no such provider
 */
export function providerOf(word) {
  if (Object.hasOwn(PROVIDERS, word)) return { word, ...PROVIDERS[word] };
  throw new UsageFailure(
    `--provider is ${JSON.stringify(word)}; it is one of ${Object.keys(PROVIDERS).join(", ")}`,
  );
}

/**
 * Writes the module, unless its files exist.
 *
 * @param {Provider & { word: string }} provider
 * @param {string} service the name of the module's Worker
 * @returns {Promise<{ done: import("../files.js").Done[], notes: string[] }>}
 */
export async function writeModule({ word, key }, service) {
  const existing = await findOwnModule();
  const source = existing
    ? unchanged(existing)
    : await create(MODULE_SOURCE, await readTemplate(`upstream/${word}.ts`));
  const variables = await create(MODULE_VARIABLES, variablesText(key), 0o600);
  const template = await readTemplate("upstream/wrangler.toml");
  const config = await create(
    MODULE_CONFIG,
    template.replace('"mediagate-upstream"', () => JSON.stringify(service)),
  );
  return {
    done: [source, variables, config],
    notes: [
      ...(word === "custom"
        ? [`Write your provider's API into ${source.path}.`]
        : []),
      `Put your key into ${MODULE_VARIABLES}, as ${key}.`,
    ],
  };
}

const unchanged = (path) => ({
  action: /** @type {const} */ ("unchanged"),
  path,
  detail: "it exists",
});

const variablesText = (
  key,
) => `# The variables of the upstream module on this machine. Do not commit this file.
# \`npx mediagate-gateway deploy\` prompts for each value, as a secret of the module's Worker.
${key}=
`;
