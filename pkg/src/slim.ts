/**
 * The client without WebAssembly: {@link load} needs a source.
 *
 * @module mediagate/slim
 */

import { entry } from "./entry.js";
import { MediagateError } from "./error.js";
import type { WasmSource } from "./loading.js";
import type { LoadOptions } from "./types/load.js";

export { capabilities } from "./client.js";
export * from "./exports.js";

const functions = entry(() => {
  throw new MediagateError({
    code: "not_loaded",
    message: "mediagate/slim brings no WebAssembly",
    hint: "give load() the URL, bytes or module of mediagate/mediagate.wasm first",
  });
});

/**
 * Loads the WebAssembly once; later calls wait for the first. `connect` and the other functions
 * need it first.
 *
 * @param source - The source, such as the URL of `mediagate/mediagate.wasm`.
 * @param options - `signal`, and `timeout` in milliseconds. They end the call, and not the load.
 * @throws {MediagateError} `load_failed`, with a `hint` that says what to change; `aborted`;
 * `timeout`.
 */
export async function load(
  source: WasmSource,
  options?: LoadOptions,
): Promise<void> {
  await functions.load(source, options);
}

/** Connects to a gateway, as `connect` of `mediagate` does after {@link load}. */
export const connect = functions.connect;

/** Checks an input, as `validate` of `mediagate` does after {@link load}. */
export const validate = functions.validate;

/** Decodes a response, as `decodeEnvelope` of `mediagate` does after {@link load}. */
export const decodeEnvelope = functions.decodeEnvelope;
