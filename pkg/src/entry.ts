import { connectWith, decodeWith, validateWith } from "./client.js";
import type * as index from "./index.js";
import { loadInstance, type WasmSource } from "./loading.js";

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
  return {
    load: async (source) => {
      await loadInstance(source ?? own);
    },
    connect: async (options) => connectWith(loadInstance(own), options),
    validate: async (name, input) =>
      validateWith(loadInstance(own), name, input),
    decodeEnvelope: (async (status, text, capability) =>
      decodeWith(
        loadInstance(own),
        status,
        text,
        capability,
      )) as typeof index.decodeEnvelope,
  };
}
