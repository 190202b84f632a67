/**
 * The client. `mediagate/inline` also contains the WebAssembly. `mediagate/slim` contains none, so
 * that {@link load} needs a source.
 *
 * @module mediagate
 */

import { connectWith, decodeWith, loadWith, validateWith } from "./client.js";
import type { CapabilityName } from "./generated/capabilities.js";
import {
  fetchWasm,
  loadInstance,
  ownWasm,
  type WasmSource,
} from "./loading.js";
import type { Media } from "./media.js";
import type { ConnectOptions } from "./types/calls.js";
import type { Issue } from "./types/issues.js";
import type { LoadOptions } from "./types/load.js";
import type { TaskSnapshot } from "./types/task.js";

export { capabilities } from "./client.js";
export * from "./exports.js";

// Bundlers find the file by this expression, which must be written exactly like this, and only
// once. It is in a function because `import.meta.url` is not a URL if a bundler writes a classic
// script.
const file = () => new URL("./wasm/mediagate_bg.wasm", import.meta.url);
const own = () => ownWasm(file, fetchWasm);
const loaded = () => loadInstance(own);

// Not made by `entry`, unlike those of the other entries: these functions have the documentation,
// and a bundler drops those that a page does not import.

/**
 * Loads the WebAssembly once; later calls wait for the first. The other functions load it
 * themselves. Call this to load early, or to load from another place.
 *
 * @param source - The source; by default, the file beside the package's script, or the copy in a
 * script if there is no such file. Ignored after the first call, unless that failed.
 * @param options - `signal`, and `timeout` in milliseconds. They end the call, and not the load.
 * @throws {MediagateError} `load_failed`, with a `hint` that says what to change; `aborted`;
 * `timeout`.
 */
export async function load(
  source?: WasmSource,
  options?: LoadOptions,
): Promise<void> {
  await loadWith(source ?? own, options);
}

/**
 * Makes a client of a gateway. The first call loads the WebAssembly. With a `token`, it sends no
 * request to the gateway, which may not be there: await `media.ready()` to know. Without one, it
 * opens an anonymous session, unless one is stored.
 *
 * @throws {MediagateError} `invalid_argument` for options that are not valid; `load_failed`;
 * `aborted`; `timeout`. Without a `token` also those of opening a session: `invalid_input` with the
 * `reason` `unknown_path` if the gateway opens none; `forbidden` with the `reason` `turnstile`;
 * `token_failed` if your function for Turnstile fails; any other code of a read, such as `network`
 * and `rate_limit`.
 *
 * @example
 * ```js
 * import { connect } from "mediagate";
 *
 * const media = await connect({ url: "https://media.example.com", token: () => getSessionToken() });
 * const task = await media.textToImage({ prompt: "a lighthouse" });
 * const { outputs } = await task.done();
 * show(outputs[0]?.url);
 * ```
 */
export async function connect(options: ConnectOptions): Promise<Media> {
  return connectWith(loaded, options);
}

/**
 * Checks an input, as a create does before it sends anything. The first call loads the WebAssembly.
 *
 * @returns Everything that is not valid, about 100 issues at most; empty for a valid input.
 * @throws {MediagateError} `invalid_argument` for an unknown capability; `load_failed`; `aborted`;
 * `timeout`.
 */
export async function validate<Name extends CapabilityName>(
  name: Name,
  input: unknown,
  options?: LoadOptions,
): Promise<Issue[]> {
  return validateWith(loaded, name, input, options);
}

/**
 * Decodes a response of the gateway, or of the media service, that came by a transport of your own.
 * The first call loads the WebAssembly.
 *
 * @param capability - The capability of a create or of a task's status.
 * @throws {MediagateError} The code of an error response; `unreadable` for a body that is not in
 * the envelope `{code, message, data}`, or has no task although the capability needs one;
 * `invalid_argument` for a `status` that is not a number, and for an unknown `capability`;
 * `load_failed`; `aborted`; `timeout`.
 */
export function decodeEnvelope(
  status: number,
  text: string,
  capability: CapabilityName,
  options?: LoadOptions,
): Promise<TaskSnapshot>;
/**
 * Decodes a response of any other kind, such as of the models.
 *
 * @returns The response's `data`, as it came.
 * @throws {MediagateError} As for a task, except that `unreadable` is for a body without `data`.
 */
export function decodeEnvelope(
  status: number,
  text: string,
  capability?: undefined,
  options?: LoadOptions,
): Promise<unknown>;
export async function decodeEnvelope(
  status: number,
  text: string,
  capability?: CapabilityName,
  options?: LoadOptions,
): Promise<unknown> {
  return decodeWith(loaded, status, text, capability, options);
}
