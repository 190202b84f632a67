//! The package's types that the catalogue does not bring. `pkg/index.d.ts` says which of them are public.

use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const IMPORTS: &str = r#"
import type { Capabilities, CapabilityMethods, CapabilityName } from "./capabilities.js";
"#;

#[wasm_bindgen(typescript_custom_section)]
const CALLS: &str = r#"
/** What ends a call early. Either acts at once: in a wait, in a request, in an upload. */
export interface CallOptions {
  /** Aborts the call, which then rejects with code `aborted` and the signal's reason as `cause`. */
  signal?: AbortSignal;
  /** Most milliseconds for the whole call, retries and waits included; then it rejects with code `timeout`. */
  timeout?: number;
}

/** The options of `connect`. There is none for an API key: that is the gateway's. */
export interface ConnectOptions extends CallOptions {
  /** Where the gateway is, such as `https://media.example.com`; a path is relative to the page. */
  url: string | URL;
  /**
   * The session token that your backend mints, or a function that gets one: it is called when a token is needed, and
   * once more when the gateway refuses that. Left out, the gateway's `POST /session` opens an anonymous session, which
   * is kept in `localStorage`, so that tasks still belong to the page after a reload.
   */
  token?: string | (() => string | Promise<string>);
  /**
   * Gives the response of a Turnstile widget, where the gateway wants one for an anonymous session. A response is good
   * once, so it is asked for each time a session is opened.
   */
  turnstile?: () => string | Promise<string>;
  /**
   * What to use in the place of the platform's `fetch`, for every request, uploads included; those then tell their
   * progress at the end only.
   */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Stands around every request: to measure, to see answers as they came, to add what a proxy wants. */
  middleware?: Middleware;
  /** Is told every request once it is answered, or failed; without one, nothing is logged. `console` is one. */
  logger?: Logger;
}

/** Takes a line for each request. Neither tokens nor inputs are in it. */
export interface Logger {
  /** A request that was answered, with whatever status. */
  debug(message: string, details: RequestLog): void;
  /** A request that failed. */
  warn(message: string, details: RequestLog): void;
}

/** What a logger is told of a request. */
export interface RequestLog {
  readonly method: "GET" | "POST" | "PUT";
  /** Where it went, without what a query may hold. */
  readonly url: string;
  /** The capability that it was about; empty for none. */
  readonly capability: CapabilityName | "";
  /** How long it took until the answer began. */
  readonly milliseconds: number;
  /** The answer's HTTP status. */
  readonly status?: number;
  /** The gateway's name for the request, to find it in its log. */
  readonly requestId?: string;
  /** Why there is no answer. */
  readonly error?: unknown;
}

/** A request as a middleware sees it. */
export interface MiddlewareRequest {
  readonly url: string;
  readonly method: "GET" | "POST" | "PUT";
  /** To be added to, before `next`. The session token is in `authorization`: keep it out of logs. */
  readonly headers: Headers;
  /** The capability that the request is about; empty for none. */
  readonly capability: CapabilityName | "";
  /** JSON as text, a file, or nothing. */
  readonly body?: string | Blob;
  /** Aborted when the call is. */
  readonly signal: AbortSignal;
}

/**
 * Stands around a request, and gives its answer. The answer's body can be read once: read that of a `clone()`, but not
 * of type `text/event-stream`, which lasts as long as a task is followed.
 *
 * @example
 * ```js
 * import { connect } from "mediagate";
 *
 * const tagged = await connect({
 *   url: "https://media.example.com",
 *   token: () => getSessionToken(),
 *   middleware: ({ headers }, next) => {
 *     headers.set("x-team", "blue");
 *     return next();
 *   },
 * });
 * ```
 */
export type Middleware = (request: MiddlewareRequest, next: () => Promise<Response>) => Promise<Response>;

/** The options of a create. */
export interface CreateOptions extends CallOptions {
  /** Names this create: the gateway makes one task for it at most, in 24 hours. A random one, if left out. */
  idempotencyKey?: string;
}

/** The options of an upload. */
export interface UploadOptions extends CallOptions {
  /** The name of bytes or of a stream, such as `photo.png`; a `File` has its own. */
  name?: string;
  /** The media type of bytes or of a stream, such as `image/png`; a `Blob` has its own. */
  type?: string;
  /** Is told the bytes on their way; in a browser often, elsewhere at the end. */
  onProgress?: (progress: { readonly loaded: number; readonly total: number }) => void;
}
"#;

#[wasm_bindgen(typescript_custom_section)]
const MEDIA: &str = r#"
/** A client of one gateway, with a method for each capability. */
export interface Media extends CapabilityMethods<Task, CreateOptions> {
  /**
   * Creates a task of a capability given by name. Files in the input are uploaded first. Where no answer
   * comes it is repeated with its idempotency key, which makes one task at most; where it fails, the error's `outcome`
   * says whether it may have cost something.
   */
  create<Name extends CapabilityName>(name: Name, input: Capabilities[Name], options?: CreateOptions): Promise<Task>;
  /**
   * Uploads a file and gives its id, for any file field. The same `Blob` is uploaded once by one client. Bytes and a
   * stream are given their `name` and `type` in the options; a stream is read to its end before anything is sent.
   */
  upload(file: Blob | BufferSource | ReadableStream<Uint8Array>, options?: UploadOptions): Promise<string>;
  /** A task of an earlier page: `media.task(JSON.parse(saved))`, where `saved` was `JSON.stringify(task)`. */
  task(saved: SavedTask): Task;
  /** The model catalogue, where the gateway has one. The service does not document its fields. */
  models(options?: CallOptions): Promise<unknown>;
  /** What a create would cost, where the gateway can tell. Files in the input are uploaded first. */
  estimate<Name extends CapabilityName>(name: Name, input: Capabilities[Name], options?: CallOptions): Promise<unknown>;
}
"#;

#[wasm_bindgen(typescript_custom_section)]
const TASK: &str = r#"
/** The state of a task, as it came. `SUCCEEDED`, `FAILED` and `EXPIRED` are the last ones. */
export type TaskState = "SUCCEEDED" | "FAILED" | "EXPIRED" | (string & {});

/** One thing that a task produced. */
export interface Output {
  /** Where to load it from. */
  readonly url?: string | null;
  /** The id of a reusable asset, for fields such as `avatar_asset_id`. */
  readonly asset_id?: string | null;
  /** What it is, where that can be told. */
  readonly kind?: "image" | "video" | "audio" | "pdf" | null;
}

/** A task at one moment. */
export interface TaskSnapshot {
  /** Its id; empty for an answer that came without a task, which is already done. */
  readonly id: string;
  /** What it was created as. */
  readonly capability: CapabilityName;
  /** `undefined` where the record does not say, and before a saved task is looked at. */
  readonly state?: TaskState;
  /** From 0 to 1, where the record says. */
  readonly progress?: number;
  /** What it produced. */
  readonly outputs: readonly Output[];
  /** The whole record, as the gateway gave it. */
  readonly raw: unknown;
}

/** What `JSON.stringify` keeps of a task. */
export interface SavedTask {
  readonly id: string;
  readonly capability: CapabilityName;
  /** The answer itself, where there is no task to ask for. */
  readonly result?: unknown;
}

/**
 * A task, with what was last seen of it. It is followed by the gateway's stream, one for all who wait in the page, and
 * polled where there is none. Iterating gives the current state first, then its changes (of several at
 * once the latest), the last state last, also where that is `FAILED`; leaving the loop leaves nothing running.
 */
export interface Task extends TaskSnapshot, AsyncIterable<TaskSnapshot> {
  /** What was last seen; the same object until something changes. */
  readonly snapshot: TaskSnapshot;
  /** Waits for success. Rejects with code `task_failed` or `task_expired` and the task for any other end. */
  done(options?: CallOptions): Promise<TaskSnapshot>;
  /** Looks at it now. */
  refresh(options?: CallOptions): Promise<TaskSnapshot>;
  /** Like iterating the task itself; signal and timeout count for each step. To stop in the middle of one, abort it. */
  updates(options?: CallOptions): AsyncGenerator<TaskSnapshot, void, undefined>;
  /** What brings it back after a reload, by `media.task`. */
  toJSON(): SavedTask;
}
"#;

#[wasm_bindgen(typescript_custom_section)]
const PURE: &str = r#"
/** One thing that is wrong with a request. */
export interface Issue {
  /** Where, such as `segments[1].end_time`; empty for the request itself. */
  readonly path: string;
  /** Why, as a stable word. */
  readonly reason:
    | "missing" | "empty" | "unknown_field" | "wrong_type" | "out_of_range" | "malformed" | "order"
    | (string & {});
  /** What is wrong and what would be right. */
  readonly message: string;
}

/** Where a capability is. */
export interface CapabilityInfo {
  /** Its name, such as `image_to_video`. */
  readonly name: CapabilityName;
  /** Its method, such as `imageToVideo`. */
  readonly method: keyof CapabilityMethods<Task, CreateOptions>;
  readonly group: "generate" | "process";
  readonly medium: "video" | "image" | "audio" | "asset";
  /** Its path on the gateway, as on the service. */
  readonly path: string;
}
"#;
