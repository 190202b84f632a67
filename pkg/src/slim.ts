/**
 * The client without WebAssembly: {@link load} needs a source.
 *
 * @module mediagate/slim
 */

import { connectWith, decodeWith, validateWith } from "./client.js";
import { MediagateError } from "./error.js";
import type * as index from "./index.js";
import { loadInstance, type WasmSource } from "./loading.js";

export { capabilities } from "./client.js";
export * from "./exports.js";

function none(): never {
  throw new MediagateError({
    code: "not_loaded",
    message:
      "mediagate/slim brings no WebAssembly; give load() the URL, bytes or module of mediagate/mediagate.wasm first",
  });
}

/**
 * Loads the WebAssembly, once; later calls wait for the first. `connect` and the other functions
 * need it first.
 *
 * @param source - The source, such as the URL of `mediagate/mediagate.wasm`.
 * @throws {MediagateError} `load_failed`, with a message that says what to change.
 */
export async function load(source: WasmSource): Promise<void> {
  await loadInstance(source ?? none);
}

/** Connects to a gateway, as `connect` of `mediagate` does after {@link load}. */
export const connect: typeof index.connect = async (options) =>
  connectWith(loadInstance(none), options);

/** Checks an input, as `validate` of `mediagate` does after {@link load}. */
export const validate: typeof index.validate = async (name, input) =>
  validateWith(loadInstance(none), name, input);

/** Decodes a response, as `decodeEnvelope` of `mediagate` does after {@link load}. */
export const decodeEnvelope = (async (status, text, capability) =>
  decodeWith(
    loadInstance(none),
    status,
    text,
    capability,
  )) as typeof index.decodeEnvelope;
