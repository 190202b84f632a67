/**
 * The client. `mediagate/inline` has the same with the WebAssembly inside; `mediagate/slim` the same, where
 * {@link load} must be told first where the WebAssembly is.
 *
 * @module mediagate
 */

import type { CapabilityName } from "./dist/capabilities.js";
import type { CapabilityInfo, ConnectOptions, Issue, Media, TaskSnapshot } from "./dist/mediagate.js";

export type * from "./dist/capabilities.js";
export type {
  CallOptions,
  CapabilityInfo,
  ConnectOptions,
  CreateOptions,
  Issue,
  Logger,
  Media,
  Middleware,
  MiddlewareRequest,
  Output,
  RequestLog,
  SavedTask,
  Task,
  TaskSnapshot,
  TaskState,
  UploadOptions,
} from "./dist/mediagate.js";
export { MediagateError, isMediagateError } from "./error.js";
export type { ErrorCode, Outcome } from "./error.js";

/**
 * Connects to a gateway; the WebAssembly is loaded on the first call. An anonymous session is opened at once.
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

/** Where the WebAssembly is: its URL, its bytes, the module, an answer with it, or a promise of one of these. */
export type WasmSource = Loadable | Promise<Loadable>;

/** What the WebAssembly can be loaded from. */
export type Loadable = string | URL | Request | Response | BufferSource | (WebAssembly.Module & object);

/**
 * Loads the WebAssembly, once, from beside the package or from where it is told: for the pure functions without
 * `connect`, to have it early, or where a bundler puts it elsewhere.
 */
export function load(source?: WasmSource): Promise<void>;

/** Everything that is wrong with an input, all at once; an empty list for a valid one. Needs `load` or `connect` first. */
export function validate<Name extends CapabilityName>(name: Name, input: unknown): Issue[];

/** All capabilities. Needs `load` or `connect` first. */
export function capabilities(): CapabilityInfo[];

/**
 * Reads an answer that came by a transport of your own: with a capability the task that it answered, without one `data`
 * as it came. Throws a `MediagateError` for a refusal and for what is no answer. Needs `load` or `connect` first.
 */
export function decodeEnvelope(status: number, text: string, capability: CapabilityName): TaskSnapshot;
export function decodeEnvelope(status: number, text: string): unknown;
