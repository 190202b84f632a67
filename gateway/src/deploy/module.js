// Examines the upstream module of the project before it is deployed.
import { Failure } from "../failure.js";
import { exists, requireText } from "../files.js";
import { findOwnModule, MODULE_CONFIG } from "../own-module.js";
import { readModule } from "../workerd/module.js";
import { MissingKey, offersOf } from "../workerd/offers.js";
import { workerNames } from "../wrangler-config.js";

/** @typedef {{ is_error: boolean, line: string }} Finding */

const error = (text) => ({ is_error: true, line: `error: ${text}` });
const note = (text) => ({ is_error: false, line: `note: ${text}` });

/**
 * @param {{ module: string | null }} names the Workers of the gateway's configuration
 * @param {Record<string, string>} settings the gateway's
 * @returns {Promise<Finding[]>} none if the gateway binds no module, or one from elsewhere
 */
export async function checkOwnModule({ module: bound }, { CAPABILITIES }) {
  const source = await findOwnModule();
  if (bound === null || !source || !(await exists(MODULE_CONFIG))) return [];
  const text = await requireText(MODULE_CONFIG);
  const { worker } = await workerNames({ name: MODULE_CONFIG, text });
  const isBound = worker === null || worker === bound;
  return [
    ...(isBound
      ? []
      : [
          error(
            `UPSTREAM binds the Worker ${bound}, and ${MODULE_CONFIG} names ${worker}; ` +
              "give both the same name",
          ),
        ]),
    ...(await checkOffers(source, CAPABILITIES)),
  ];
}

/** Returns a finding if the module does not start, lacks a key, or offers less than the gateway. */
async function checkOffers(source, capabilities = "") {
  try {
    const module = await readModule(source, undefined);
    const offers = module ? await offersOf(module) : [];
    if (offers.length === 0)
      return [note(`${source} lists no models, so what it offers is unknown`)];
    const named = capabilities.split(",").map((name) => name.trim());
    const lacking = named.filter((name) => name && !offers.includes(name));
    if (lacking.length === 0) return [];
    return [
      error(
        `CAPABILITIES lists ${lacking.join(", ")}, which ${source} does not offer; ` +
          "take it out, or add a model",
      ),
    ];
  } catch (failure) {
    if (!(failure instanceof Failure)) throw failure;
    // The deployed module has secrets of its own.
    return [
      failure instanceof MissingKey
        ? note(failure.message)
        : error(failure.message),
    ];
  }
}
