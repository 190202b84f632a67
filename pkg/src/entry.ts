// The functions of an entry other than `index.ts`, which documents them.

import { connectWith, decodeWith, loadWith, validateWith } from "./client.js";
import type * as index from "./index.js";
import { loadInstance, type WasmSource } from "./loading.js";

/** @internal */
export function entry(
  own: () => WasmSource,
): Pick<typeof index, "connect" | "decodeEnvelope" | "load" | "validate"> {
  const load = () => loadInstance(own);
  return {
    load: async (source, options) => loadWith(source ?? own, options),
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
