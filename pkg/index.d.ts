/**
 * The client. `mediagate/inline` is the same with the WebAssembly inside, and `mediagate/slim` the same without any, so
 * that {@link load} needs a source.
 *
 * @module mediagate
 */

import type { CapabilityName } from "./dist/capabilities.js";
import type {
  CapabilityInfo,
  ConnectOptions,
  Issue,
  Media,
  TaskSnapshot,
} from "./dist/mediagate.js";

export type * from "./dist/capabilities.js";
export type {
  CallOptions,
  CapabilityInfo,
  ConnectOptions,
  CreateOptions,
  Estimate,
  Eta,
  HistoryEntry,
  Issue,
  Logger,
  Media,
  Middleware,
  MiddlewareRequest,
  Model,
  ModelCatalogue,
  Output,
  OutputKind,
  Pipeline,
  PipelineEntry,
  PipelineOptions,
  PipelineSnapshot,
  PipelineState,
  RequestLog,
  Retry,
  SavedPipeline,
  SavedTask,
  StepOptions,
  StepSnapshot,
  StepState,
  Task,
  TaskPage,
  TaskSnapshot,
  TaskState,
  TasksOptions,
  UploadOptions,
  UsableAsset,
} from "./dist/mediagate.js";
export type { ClientCode, ErrorCode, KnownError, Outcome } from "./error.js";
export { isMediagateError, MediagateError } from "./error.js";

/**
 * Connects to a gateway. The first call loads the WebAssembly. Without a `token`, it opens an anonymous session.
 *
 * @param options - The gateway's `url`, and usually a `token`.
 * @returns A client.
 * @throws {MediagateError} `invalid_argument` for options that are not valid; `load_failed`; `aborted`; `timeout`, which
 * is counted from when the WebAssembly is loaded; without a `token`, those of opening a session, such as `network`, and
 * `unauthenticated` where the gateway does not allow it.
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
export function connect(options: ConnectOptions): Promise<Media>;

/** Where the WebAssembly comes from: one of {@link Loadable}, or a promise of one. */
export type WasmSource = Loadable | Promise<Loadable>;

/** What the WebAssembly can be loaded from: its URL, a request for it, a response with it, its bytes, or the module. */
export type Loadable =
  | string
  | URL
  | Request
  | Response
  | ArrayBuffer
  | ArrayBufferView
  | (CompiledModule & object);

/** A compiled module: the platform's `WebAssembly.Module`, where its types are there. */
export type CompiledModule = typeof globalThis extends {
  WebAssembly: { Module: { prototype: infer Module } };
}
  ? Module
  : object;

/**
 * Loads the WebAssembly, once; later calls wait for the first. Call it to use `validate`, `capabilities` and
 * `decodeEnvelope` without `connect`, to load early, or to load from another place.
 *
 * @param source - Where it comes from; by default, the file beside the package's script. Ignored after the first call,
 * unless that failed.
 * @throws {MediagateError} `load_failed`, with a message that says what to change.
 */
export function load(source?: WasmSource): Promise<void>;

/**
 * Checks an input, as a create does before it sends anything. Needs `load` or `connect` first.
 *
 * @param name - The capability, such as `"image_to_video"`.
 * @param input - Its fields; any value.
 * @returns Everything that is not valid, about 100 issues at most; an empty list for a valid input.
 * @throws {MediagateError} `not_loaded`; `invalid_argument` for an unknown capability.
 */
export function validate<Name extends CapabilityName>(
  name: Name,
  input: unknown,
): Issue[];

/**
 * Lists all capabilities. Needs `load` or `connect` first.
 *
 * @returns Their names and paths, in the order of the catalogue.
 * @throws {MediagateError} `not_loaded`.
 */
export function capabilities(): CapabilityInfo[];

/**
 * Decodes a response of the gateway, or of the media service, that came by a transport of your own. Needs `load` or
 * `connect` first.
 *
 * @param status - The HTTP status.
 * @param text - The body.
 * @param capability - The capability of a create or of a task's status.
 * @returns The snapshot of the task.
 * @throws {MediagateError} The code of an error response; `unreadable` for a body that is not in the envelope
 * `{code, message, data}`, or has no task where the capability needs one; `not_loaded`; `invalid_argument` for a `status`
 * that is not a number, and for an unknown `capability`.
 */
export function decodeEnvelope(
  status: number,
  text: string,
  capability: CapabilityName,
): TaskSnapshot;
/**
 * Decodes a response of any other kind.
 *
 * @param status - The HTTP status.
 * @param text - The body.
 * @returns The response's `data`, as it came.
 * @throws {MediagateError} The code of an error response; `unreadable` for a body that is not in the envelope
 * `{code, message, data}`, or has no `data`; `not_loaded`; `invalid_argument` for a `status` that is not a number.
 */
export function decodeEnvelope(status: number, text: string): unknown;
