/**
 * The client without WebAssembly: {@link load} needs a source.
 *
 * @module mediagate/slim
 */

import { connectWith, decodeWith, validateWith } from "./client.js";
import { MediagateError } from "./error.js";
import type * as index from "./index.js";
import { loadInstance, type WasmSource } from "./loading.js";
import { checkLimits } from "./options.js";
import type { LoadOptions } from "./types/calls.js";
import { within } from "./waiting.js";

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
 * @param options - `signal`, and `timeout` in milliseconds. They end the call, and not the load.
 * @throws {MediagateError} `load_failed`, with a message that says what to change; `aborted`;
 * `timeout`.
 */
export async function load(
  source: WasmSource,
  options?: LoadOptions,
): Promise<void> {
  await within(checkLimits(options), loadInstance(source ?? none));
}

const loaded = () => loadInstance(none);

/** Connects to a gateway, as `connect` of `mediagate` does after {@link load}. */
export const connect: typeof index.connect = async (options) =>
  connectWith(loaded, options);

/** Checks an input, as `validate` of `mediagate` does after {@link load}. */
export const validate: typeof index.validate = async (name, input, options) =>
  validateWith(loaded, name, input, options);

/** Decodes a response, as `decodeEnvelope` of `mediagate` does after {@link load}. */
export const decodeEnvelope = (async (status, text, capability, options) =>
  decodeWith(
    loaded,
    status,
    text,
    capability,
    options,
  )) as typeof index.decodeEnvelope;
