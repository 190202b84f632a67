// Shared by all entries, which differ in where the wasm comes from. Importing this fetches nothing.

// Imported by name, so that bundlers drop the exports that are not used.
import { promised } from "./dist/driver.js";
import { hold } from "./dist/values.js";
import { network as hooked } from "./hooks.js";
import { instantiate, wasm } from "./loading.js";
import { addMethods, Media } from "./media.js";
import { connection, limits } from "./options.js";

export { capabilities, decodeEnvelope, validate } from "./catalogue.js";
export { isMediagateError, MediagateError } from "./error.js";

/** @typedef {import("./index.js").ConnectOptions} ConnectOptions */

/** @type {Promise<void> | undefined} */
let loading;

/**
 * Loads the wasm from a source, or from the result of a function. The first call of any entry loads it, once.
 *
 * @param {unknown} source
 */
export function begin(source) {
  loading ??= instantiate(source)
    .then(addMethods)
    .catch((error) => {
      loading = undefined;
      throw error;
    });
  return loading;
}

/**
 * @param {Promise<void>} loaded
 * @param {ConnectOptions} options
 */
export async function open(loaded, options) {
  await loaded;
  const limit = limits(options);
  const defaults = { ...limit, signal: undefined };
  const { base, token, turnstile, network } = connection(options, hooked);
  const begin = (/** @type {number} */ promise) =>
    wasm().connect(
      promise,
      hold(base),
      hold(token),
      typeof token === "function",
      hold(turnstile),
      hold(network),
    );
  return /** @type {import("./index.js").Media} */ (
    /** @type {unknown} */ (
      new Media(await promised(begin, undefined, limit), defaults)
    )
  );
}
