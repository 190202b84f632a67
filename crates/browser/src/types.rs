//! The package's types that do not come from the catalogue. `pkg/index.d.ts` lists those that are public.

use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const IMPORTS: &str = r#"
import type { Capabilities, CapabilityMethods, CapabilityName, TaskReference } from "./capabilities.js";
import type { MediagateError } from "../error.js";
"#;

#[wasm_bindgen(typescript_custom_section)]
const CALLS: &str = r#"
/** The limits of a call. Each ends it at once, also during a wait, a request or an upload. */
export interface CallOptions {
  /** Aborts the call. It then rejects with code `aborted`, and with the signal's reason as `cause`. */
  signal?: AbortSignal;
  /**
   * The longest time for the whole call in milliseconds, retries and waits included; a positive number. After it, the
   * call rejects with code `timeout`.
   *
   * @defaultValue that of `connect`, except for a wait for a task (`done`, `updates`), which has none
   */
  timeout?: number;
  /**
   * How often a request is sent again where that may succeed; 0 for never. An attempt fails after 40 seconds without a
   * response, and an upload after 40 seconds without progress. The waits between them grow from half a second to 16, and are
   * up to 30 seconds longer each while the device is offline. Of several calls that wait for one request, the one that allows
   * most counts.
   *
   * @defaultValue that of `connect`, and 4
   */
  maxRetries?: number;
  /**
   * Called before each wait for the next attempt, so that a page can say that it tries again.
   *
   * @defaultValue that of `connect`, and none
   */
  onRetry?: (retry: Retry) => void;
}

/** A request that has failed, and is sent again. */
export interface Retry {
  /** The number of attempts that failed, from 1. */
  readonly attempt: number;
  /** The time until the next one in milliseconds; longer while the device is offline. */
  readonly milliseconds: number;
  /** Why the last one failed. */
  readonly error: MediagateError;
}

/**
 * The options of `connect`. None is for an API key: only the gateway has it. `timeout`, `maxRetries` and `onRetry` are also
 * those of its client's calls which have none of their own.
 */
export interface ConnectOptions extends CallOptions {
  /**
   * The whole URL of the gateway, such as `https://media.example.com`: http or https, without query, fragment and user. For
   * a gateway on the page's own origin, it is `location.origin`.
   */
  url: string | URL;
  /**
   * The session token that your backend signs, or a function that returns one. The function is called when a token is
   * needed, and again when the gateway rejects the last one. Visible ASCII characters.
   *
   * @defaultValue an anonymous session of the gateway, from its `POST /session`. It is stored in `localStorage`, so
   * that tasks still belong to the page after a reload.
   */
  token?: string | (() => string | Promise<string>);
  /**
   * Returns the response of a Turnstile widget, for a gateway that requires one for an anonymous session. It is called
   * for each session that is opened, since a response is valid once.
   *
   * @defaultValue none; a gateway that requires a response opens no session
   */
  turnstile?: () => string | Promise<string>;
  /**
   * Replaces the platform's `fetch` for every request, uploads included. The progress of an upload is then reported at
   * its end only.
   *
   * @defaultValue the global `fetch`
   */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /**
   * Wraps every request: to measure it, to read its response, to add a header. Uploads have their progress as without it.
   *
   * @defaultValue none; requests are sent as they are
   */
  middleware?: Middleware;
  /**
   * Receives a line for each request when its response begins, or when it fails. `console` is a logger.
   *
   * @defaultValue none; nothing is logged
   */
  logger?: Logger;
}

/** Receives a line for each request. The lines have neither tokens nor inputs. What a logger throws is ignored. */
export interface Logger {
  /**
   * Logs a request with a response, of whatever status.
   *
   * @param message - Such as `mediagate: GET https://media.example.com/api/app/v1/models 200`.
   * @param details - The same as an object, with more members.
   */
  debug(message: string, details: RequestLog): void;
  /**
   * Logs a request without a response.
   *
   * @param message - Such as `mediagate: GET https://media.example.com/api/app/v1/models failed`.
   * @param details - The same as an object, with the error.
   */
  warn(message: string, details: RequestLog): void;
}

/** One request, for a `Logger`. */
export interface RequestLog {
  /** The HTTP method: `GET` reads, `POST` creates, estimates or requests an upload URL or a session, `PUT` uploads a file, `DELETE` forgets. */
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** The URL, without its query. */
  readonly url: string;
  /** The capability that the request is about, such as `image_to_video`; empty for none. */
  readonly capability: CapabilityName | "";
  /** The time until the response began, or until the request failed, in milliseconds. */
  readonly milliseconds: number;
  /** The HTTP status of the response; absent for a request that failed. */
  readonly status?: number;
  /**
   * The gateway's id of the request, which is also in its log; absent for a request that failed, and for a response
   * without one, such as the storage's.
   */
  readonly requestId?: string;
  /** The error of a request that failed; absent for a request with a response. */
  readonly error?: unknown;
}

/** A request, for a `Middleware`. */
export interface MiddlewareRequest {
  /** The absolute URL. */
  readonly url: string;
  /** The HTTP method: `GET` reads, `POST` creates, estimates or requests an upload URL or a session, `PUT` uploads a file, `DELETE` forgets. */
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** The headers, which you may change before `next`. `authorization` has the session token: keep it out of logs. */
  readonly headers: Headers;
  /** The capability that the request is about, such as `image_to_video`; empty for none. */
  readonly capability: CapabilityName | "";
  /** A string of JSON, a file, or nothing. */
  readonly body?: string | Blob;
  /** Aborted when the call is. */
  readonly signal: AbortSignal;
}

/**
 * Wraps a request. The body of a response can be read once, so read that of a `clone()`. Do not read one of type
 * `text/event-stream`, which lasts as long as a task.
 *
 * @param request - The request that is about to be sent.
 * @param next - Sends it, and returns its response.
 * @returns The response that the client reads. What you throw becomes the `cause` of a `MediagateError` with code
 * `network`.
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
  /**
   * The key of this create: the gateway makes at most one task for it in 24 hours. 1 to 255 visible ASCII characters.
   * To repeat a create whose outcome is unknown, pass the `idempotencyKey` of its error, with the same input.
   *
   * @defaultValue a random key
   */
  idempotencyKey?: string;
}

/** The options of an upload. */
export interface UploadOptions extends CallOptions {
  /**
   * The file name of bytes or of a stream, such as `photo.png`. A `File` has its own.
   *
   * @defaultValue `file.` and the extension of the media type, such as `file.png`
   */
  name?: string;
  /**
   * The media type of bytes or of a stream, such as `image/png`. A `Blob` has its own.
   *
   * @defaultValue `application/octet-stream`
   */
  type?: string;
  /** Receives the progress in bytes: often in a browser, once at the end elsewhere. */
  onProgress?: (progress: { readonly loaded: number; readonly total: number }) => void;
}
"#;

#[wasm_bindgen(typescript_custom_section)]
const MEDIA: &str = r#"
/** A client of one gateway, with a method for each capability. `connect` returns it. */
export interface Media extends CapabilityMethods<Task, CreateOptions> {
  /**
   * Creates a task of a capability by name. The methods of the capabilities, such as
   * `media.imageToVideo(input)`, do the same.
   *
   * Files in the input are uploaded first. A task in it is waited for, and the gateway moves its output into the storage:
   * no byte of it passes through the page. A request without a response is repeated with the same idempotency key, for
   * which the gateway makes at most one task.
   *
   * @param name - The capability, such as `"image_to_video"`.
   * @param input - Its fields. A file field takes a `File`, a `Blob`, a task or an output of one in place of an id.
   * @param options - `idempotencyKey`, `signal`, `timeout` in milliseconds, `maxRetries` and `onRetry`.
   * @returns The task. Its result comes later: wait with `task.done()`.
   * @throws {MediagateError} `invalid_input` with all issues, before anything is sent; a code of the media service, such
   * as `insufficient_credits`; a code of the client, such as `network`. Its `outcome` says whether the create may have
   * cost credits.
   * @example
   * ```js
   * const task = await media.create("text_to_image", { prompt: "a lighthouse" });
   * ```
   */
  create<Name extends CapabilityName>(name: Name, input: Capabilities[Name], options?: CreateOptions): Promise<Task>;
  /**
   * Uploads a file and returns its id, for any file field. One client uploads the same `Blob` once, and four files at
   * a time. A stream is read to its end before anything is sent.
   *
   * @param file - A `File`, a `Blob`, bytes or a stream; at least one byte. Give bytes and streams a `name` and a `type`.
   * @param options - `name`, `type`, `onProgress`, `signal`, `timeout` in milliseconds, `maxRetries` and `onRetry`.
   * @returns The id of the file, valid for the same user.
   * @throws {MediagateError} `invalid_argument` for any other source and for an empty one; `invalid_input` with the
   * `reason` `file_too_large`; `upload_failed` where the storage does not accept it; `network`, `aborted`, `timeout`.
   * @example
   * ```js
   * const id = await media.upload(photo, { onProgress: ({ loaded, total }) => show(loaded / total) });
   * ```
   */
  upload(file: Blob | ArrayBuffer | ArrayBufferView | ReadableStream<Uint8Array>, options?: UploadOptions): Promise<string>;
  /**
   * Restores a task after a reload. It sends no request: `state` is `undefined` until the task is polled or awaited.
   *
   * @param saved - What `JSON.parse(JSON.stringify(task))` returned on the earlier page.
   * @returns The task. An unknown id is an error of its first request: `invalid_input` with the `reason` `unknown_task`.
   * @throws {MediagateError} `invalid_argument` for any other value.
   * @example
   * ```js
   * const restored = media.task(JSON.parse(JSON.stringify(task)));
   * ```
   */
  task(saved: SavedTask): Task;
  /**
   * Lists what this user has created, on whichever device, newest first, for as many days as the gateway's `HISTORY_DAYS`
   * says: one by default.
   *
   * @param options - `limit`, `cursor`, `signal`, `timeout` in milliseconds, `maxRetries` and `onRetry`.
   * @returns A page of the history, and the `cursor` of the next one; or, iterated by `for await`, all entries, for which
   * further pages are requested as they are needed. `media.task(entry)` restores an entry's task, and an entry can be an
   * input as its task can.
   * @throws {MediagateError} `invalid_input` with the `reason` `invalid_parameter` for a `limit` or a `cursor` that is none;
   * any code of a read.
   * @example
   * ```js
   * const { tasks, cursor } = await media.tasks({ limit: 20 });
   * const older = cursor ? await media.tasks({ limit: 20, cursor }) : undefined;
   *
   * for await (const { title, state } of media.tasks()) show(title, state);
   * ```
   */
  tasks(options?: TasksOptions): Promise<TaskPage> & AsyncIterable<HistoryEntry>;
  /**
   * Removes a task that has ended from the history. The task itself stays readable by its id; of a result that came without
   * a task, nothing stays.
   *
   * @param task - The task, its entry in the history, or its id.
   * @param options - `signal`, `timeout` in milliseconds, `maxRetries` and `onRetry`.
   * @throws {MediagateError} `invalid_input` with the `reason` `task_running` or `unknown_task`; `invalid_argument` for what
   * is no task; any code of a read.
   */
  forget(task: TaskReference | string, options?: CallOptions): Promise<void>;
  /**
   * Lists the models, where the gateway offers that.
   *
   * @param options - `signal`, `timeout` in milliseconds, `maxRetries` and `onRetry`.
   * @returns The model catalogue. What it has beyond `models` is the media service's own, and not documented.
   * @throws {MediagateError} `invalid_input` with the `reason` `unknown_path` where the gateway does not offer it; any
   * code of a read, such as `unauthenticated`, `network` and `timeout`.
   */
  models(options?: CallOptions): Promise<ModelCatalogue>;
  /**
   * Estimates the cost of a create, where the gateway offers that. Files in the input are uploaded first, and results moved.
   *
   * @param name - The capability, such as `"image_to_video"`.
   * @param input - Its fields, as for a create.
   * @param options - `signal`, `timeout` in milliseconds, `maxRetries` and `onRetry`.
   * @returns The estimate as the media service sends it.
   * @throws {MediagateError} `invalid_input` with all issues, or with the `reason` `unknown_path` where the gateway does
   * not offer it; any code of an upload and of a read.
   */
  estimate<Name extends CapabilityName>(name: Name, input: Capabilities[Name], options?: CallOptions): Promise<Estimate>;
}
"#;

#[wasm_bindgen(typescript_custom_section)]
const TASK: &str = r#"
/**
 * The state of a task, as the media service sends it.
 *
 * | State | Meaning | What to do |
 * | --- | --- | --- |
 * | `SUCCEEDED` | Last state: the task is done. | Show its `outputs`. |
 * | `FAILED` | Last state: the task failed. | Show that. `raw` may have the cause. Create it again if the user wants. |
 * | `EXPIRED` | Last state: the task ended before it was done. | Create it again if the user wants. |
 * | any other | The task goes on, such as `QUEUED` or `PROCESSING`; the names are not documented. | Show that it is in progress. |
 */
export type TaskState = "SUCCEEDED" | "FAILED" | "EXPIRED" | (string & {});

/**
 * What an output is.
 *
 * | Kind | How to show it |
 * | --- | --- |
 * | `image` | in an `<img>` |
 * | `video` | in a `<video controls>` |
 * | `audio` | in an `<audio controls>` |
 * | `pdf` | as a link, or in a PDF viewer |
 */
export type OutputKind = "image" | "video" | "audio" | "pdf";

/** One result of a task. */
export interface Output {
  /**
   * Where to download it; absent or null where the record has only an asset's id. Such a URL may expire: download the
   * file, or poll the task again.
   */
  readonly url?: string | null;
  /** The id of a reusable asset, for fields such as `avatar_asset_id`; absent or null where it is not one. */
  readonly asset_id?: string | null;
  /** What it is; absent or null where that is unknown. */
  readonly kind?: OutputKind | null;
  /** The id of its task. By this and `output` it can be an input; empty where the task has no id. */
  readonly task_id: string;
  /** Its position in the task's outputs, from 0. */
  readonly output: number;
}

/** The state of a task at one time. */
export interface TaskSnapshot {
  /** The id of the task, valid for the same user; empty for a result that came without a task, which is already done. */
  readonly id: string;
  /** The capability that it was created with. */
  readonly capability: CapabilityName;
  /** Its state; `undefined` where the record has none, and for a restored task before its first poll. */
  readonly state?: TaskState;
  /** Its progress from 0 to 1; `undefined` where the record has none. */
  readonly progress?: number;
  /** The time that it is likely to run on, from when this snapshot came; absent where nothing is known of it. */
  readonly eta?: Eta;
  /** Its results; empty until there are some. */
  readonly outputs: readonly Output[];
  /** The whole record, as the gateway sent it; `undefined` before the first one. */
  readonly raw: unknown;
}

/** The seconds that a task is likely to run on: an estimate of the gateway's, from tasks that have ended. */
export interface Eta {
  /** It is as likely to take longer as shorter. */
  readonly seconds: number;
  /** Of ten such tasks, nine take longer. */
  readonly low: number;
  /** Of ten such tasks, nine have ended by then. */
  readonly high: number;
}

/** Which page of the history is requested. */
export interface TasksOptions extends CallOptions {
  /**
   * The most entries of a page, 1 to 100. An iteration goes on over all pages.
   *
   * @defaultValue 50
   */
  limit?: number | undefined;
  /**
   * The `cursor` of the page before.
   *
   * @defaultValue none: the newest entries
   */
  cursor?: string | undefined;
}

/** A page of the history. */
export interface TaskPage {
  /** The entries, newest first. A page may have fewer than `limit`, also none, and yet a `cursor`. */
  readonly tasks: readonly HistoryEntry[];
  /** That of the next page; absent on the last one. Creates meanwhile do not move it. */
  readonly cursor?: string;
}

/** What a user has created, as the gateway last saw it. */
export interface HistoryEntry {
  /** The id of the task. */
  readonly id: string;
  /** The capability that it was created with. */
  readonly capability: CapabilityName;
  /** The create's `title`; absent without one. */
  readonly title?: string;
  /** When it was created: a date and time (RFC 3339). */
  readonly created_at: string;
  /** When the gateway saw its end; absent where it did not. */
  readonly ended_at?: string;
  /** Its state; read the task for the current one. Absent where `outcome` is there. */
  readonly state?: TaskState;
  /** Its results. Their URLs may have expired: `media.task(entry).refresh()` reads new ones. */
  readonly outputs: readonly Output[];
  /** Why the task failed, as far as that is known. */
  readonly error?: { readonly message?: string; readonly code?: string | number };
  /**
   * Where the response to its create was lost: whether it was made, and has cost credits, is unknown. The entry can only be
   * forgotten; it names no task.
   */
  readonly outcome?: "unknown";
}

/** What `JSON.stringify` writes of a task, for `media.task`. */
export interface SavedTask {
  /** The id of the task; empty for a result that came without a task. */
  readonly id: string;
  /** The capability that it was created with. */
  readonly capability: CapabilityName;
  /** The result itself, where `id` is empty. */
  readonly result?: unknown;
}

/**
 * A task, with its last snapshot. Its updates come from a stream that all subscribers in the page share; where there is
 * no stream, it is polled.
 *
 * Iterating it yields the current snapshot, then each change (of several at once the latest), and last the one with the
 * last state, also where that is `FAILED`. Leaving the loop closes the stream and stops the polls.
 *
 * @example
 * ```js
 * for await (const update of task) show(update.state, update.progress);
 * ```
 */
export interface Task extends TaskSnapshot, AsyncIterable<TaskSnapshot> {
  /** The last snapshot; the same object until it changes. */
  readonly snapshot: TaskSnapshot;
  /**
   * Waits until the task succeeds.
   *
   * @param options - `signal`, `timeout` in milliseconds, `maxRetries` and `onRetry`. Neither ends the task itself, only the wait.
   * @returns The last snapshot, with the outputs.
   * @throws {MediagateError} `task_failed` or `task_expired`, with the last snapshot as `task`; `invalid_input` with the
   * `reason` `unknown_task` where there is no such task; any code of a read, such as `network`, `aborted` and `timeout`.
   * @example
   * ```js
   * const { outputs } = await task.done();
   * show(outputs[0]?.url);
   * ```
   */
  done(options?: CallOptions): Promise<TaskSnapshot>;
  /**
   * Polls the task once.
   *
   * @param options - `signal`, `timeout` in milliseconds, `maxRetries` and `onRetry`.
   * @returns Its snapshot, also where the task failed.
   * @throws {MediagateError} `invalid_input` with the `reason` `unknown_task` where there is no such task; any code of a
   * read.
   */
  refresh(options?: CallOptions): Promise<TaskSnapshot>;
  /**
   * Iterates the snapshots, as iterating the task itself does.
   *
   * @param options - `signal`, `timeout` in milliseconds for each step, `maxRetries` and `onRetry`.
   * @returns A generator of snapshots, which ends after the last state. Its `return()` ends a step that waits, at once.
   * Where several states arrive together, each is a step; of snapshots with one state that wait, only the last is.
   * @throws {MediagateError} Those of `refresh`, in the step in which they occur.
   */
  updates(options?: CallOptions): AsyncGenerator<TaskSnapshot, void, undefined>;
  /**
   * The task as plain data, for `JSON.stringify`.
   *
   * @returns What `media.task` restores it from.
   */
  toJSON(): SavedTask;
}
"#;

#[wasm_bindgen(typescript_custom_section)]
const PURE: &str = r#"
/**
 * Why a part of a request is not valid.
 *
 * | Reason | Meaning | What to do |
 * | --- | --- | --- |
 * | `missing` | A required field is absent, or none of several fields is present. | Have the user enter it. |
 * | `empty` | A string, a list or a file is empty. | Have the user enter a value. |
 * | `unknown_field` | The capability has no such field. As a warning: the name is near that of one. | Correct its name; `message` may suggest one. |
 * | `wrong_type` | The value, or the file, is of another type. | Pass the type that `message` names. |
 * | `out_of_range` | A number has a fraction, or is too small or too large. | Have the user enter a value within the bounds. |
 * | `malformed` | A string is not in the expected format, such as `HH:MM:SS`. | Have the user enter the format that `message` names. |
 * | `order` | The end of a segment is before its start, or (as a warning) the same. | Have the user correct one of the two. |
 * | `not_offered` | The model does not take this value. | Offer those that `message` lists. |
 * | `reference_media` | The model does not take references of this kind. | Choose another model, or leave them out. |
 * | `asset_category` | The asset is no avatar, or no voice, where one is needed. | Choose another asset. |
 * | `unknown_id` | This user has no such file or asset. | Upload the file again, or choose another asset. |
 * | any other | A reason of a newer gateway. | Show `message`. |
 */
export type IssueReason =
  | "missing"
  | "empty"
  | "unknown_field"
  | "wrong_type"
  | "out_of_range"
  | "malformed"
  | "order"
  | "not_offered"
  | "reference_media"
  | "asset_category"
  | "unknown_id"
  | (string & {});

/** One part of a request that is not valid, or doubtful. */
export interface Issue {
  /** Where it is, such as `prompt` or `segments[1].end_time`; empty for the request itself. */
  readonly path: string;
  /** Why it is not valid, for your code. */
  readonly reason: IssueReason;
  /** What is wrong and what would be right, in English. It never repeats the value. */
  readonly message: string;
  /**
   * `error` stops the request. `warning` does not: the media service's documentation leaves it open. Absent in an issue of
   * the media service's own, which stopped the request.
   */
  readonly severity?: "error" | "warning";
}

/** What a create would cost. The media service does not document its members. */
export interface Estimate {
  /** The credits, where the media service names them so. */
  readonly credits?: number;
  /** Other members, as the media service sends them. */
  readonly [member: string]: unknown;
}

/** The models of the media service. */
export interface ModelCatalogue {
  /** The models; absent where the gateway cannot read the catalogue. */
  readonly models?: readonly Model[];
  /** The avatars and voices that this session may use, as far as they are known. */
  readonly assets?: readonly UsableAsset[];
  /** Other members, as the media service sends them. */
  readonly [member: string]: unknown;
}

/** An avatar or a voice. */
export interface UsableAsset {
  /** Its id, for `avatar_asset_id` or `voice_asset_id` of an input. */
  readonly asset_id?: string;
  /** What it is, where that is known. */
  readonly category?: "avatar" | "voice" | (string & {});
  /** Other members, as the media service sends them, such as a name or a picture. */
  readonly [member: string]: unknown;
}

/** One model. */
export interface Model {
  /** Its id, for `model_id` of an input. */
  readonly model_id: string;
  /** The capability that it serves, where the catalogue says so. */
  readonly capability?: CapabilityName | (string & {});
  /** The values that it takes, by field: only listed ones are accepted. A field that is not listed takes any. */
  readonly generation_options?: { readonly [field: string]: readonly (string | number | boolean)[] };
  /** Other members, as the media service sends them. */
  readonly [member: string]: unknown;
}

/** A capability: its names and its path. */
export interface CapabilityInfo {
  /** Its name, such as `image_to_video`. */
  readonly name: CapabilityName;
  /** Its method on the client, such as `imageToVideo`. */
  readonly method: keyof CapabilityMethods<Task, CreateOptions>;
  /** Its group: `generate` makes new media, `process` changes existing media. A session token may be limited to one. */
  readonly group: "generate" | "process";
  /** What it works on: `video`, `image`, `audio`, or `asset`: a PDF document. */
  readonly medium: "video" | "image" | "audio" | "asset";
  /** Its path on the gateway, such as `/api/app/v1/generate/video/image_to_video`. */
  readonly path: string;
}
"#;
