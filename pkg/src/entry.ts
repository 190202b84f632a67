import { connectWith, decodeWith, validateWith } from "./client.js";
import type * as index from "./index.js";
import { loadInstance, type WasmSource } from "./loading.js";
import { checkLimits } from "./options.js";
import { within } from "./waiting.js";

/** The functions of an entry. `index.ts` documents them. */
type Entry = Pick<
  typeof index,
  "connect" | "decodeEnvelope" | "load" | "validate"
>;

/**
 * Returns the functions of an entry.
 *
 * @param own - Returns the wasm of the entry.
 */
export function entry(own: () => WasmSource): Entry {
  const load = () => loadInstance(own);
  return {
    load: async (source, options) => {
      await within(checkLimits(options), loadInstance(source ?? own));
    },
    connect: async (options) => connectWith(load, options),
    validate: async (name, input, options) =>
      validateWith(load, name, input, options),
    decodeEnvelope: (async (status, text, capability, options) =>
      decodeWith(
        load,
        status,
        text,
        capability,
        options,
      )) as typeof index.decodeEnvelope,
  };
}
