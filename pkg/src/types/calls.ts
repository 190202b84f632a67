import type { MediagateError } from "../error.js";
import type { Logger, Middleware } from "./hooks.js";

/** The limits of a call. Each ends it at once, also during a wait, a request or an upload. */
export interface CallOptions {
  /** Aborts the call, which rejects with code `aborted` and the signal's reason as `cause`. */
  signal?: AbortSignal | undefined;
  /**
   * The longest time for the whole call in milliseconds, with its retries and waits. A positive
   * number. After it, the call rejects with code `timeout`.
   *
   * @defaultValue the client's, from `connect`; a wait for a task (`done`, `updates`) has none by
   * default
   */
  timeout?: number | undefined;
  /**
   * The number of times that a request is sent again if that may succeed; 0 for never. An attempt
   * fails after 40 seconds without a response, and an upload after 40 seconds without progress. The
   * waits between attempts grow from half a second to 16, and are up to 30 seconds longer while the
   * device is offline. If several calls wait for one request, the highest number applies.
   *
   * @defaultValue the client's, from `connect`, or 4
   */
  maxRetries?: number | undefined;
  /**
   * Called before each wait for the next attempt, so that a page can say that it tries again.
   *
   * @defaultValue the client's, from `connect`, or none
   */
  onRetry?: ((retry: Retry) => void) | undefined;
}

/** A request that has failed and is sent again. */
export interface Retry {
  /** The number of attempts that failed, from 1. */
  readonly attempt: number;
  /** The time until the next attempt in milliseconds; longer while the device is offline. */
  readonly milliseconds: number;
  /** The date and time of the first attempt (RFC 3339): since then, there is no response. */
  readonly since: string;
  /** The error of the last attempt. */
  readonly error: MediagateError;
}

/**
 * The options of `connect`. There is none for an API key: only the gateway has it. The client's
 * calls use `timeout`, `maxRetries` and `onRetry` unless they have their own.
 */
export interface ConnectOptions extends CallOptions {
  /**
   * The whole URL of the gateway, such as `https://media.example.com`: http or https, without
   * query, fragment and user. For a gateway on the page's own origin, pass `location.origin`.
   */
  url: string | URL;
  /**
   * The session token that your backend signs, or a function that returns one. The function is
   * called when a token is needed, and again when the gateway rejects the last one. If it throws,
   * the call fails with code `token_failed` and the message of its error. A client is of one user:
   * call `connect` again when another signs in, which calls the function again. Visible ASCII
   * characters. Leave the option out for an anonymous session: `undefined` is an error, since a
   * token may be missing by mistake.
   *
   * @defaultValue an anonymous session of the gateway, from its `POST /session`. It is stored in
   * `localStorage`, so that the page can read its tasks after a reload.
   */
  token?: string | (() => string | Promise<string>);
  /**
   * Returns the response of a Turnstile widget, for a gateway that requires one for an anonymous
   * session. It is called for each session that is opened, since a response is valid once.
   *
   * @defaultValue none; a gateway that requires a response opens no session
   */
  turnstile?: (() => string | Promise<string>) | undefined;
  /**
   * Replaces the platform's `fetch` for every request, uploads included. The progress of an upload
   * is then reported only at its end. Pass on the whole `init`: it follows no redirects, which
   * would send the input to another server.
   *
   * @defaultValue the global `fetch`
   */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /**
   * Wraps every request: to measure it, to read its response, to add a header. The progress of
   * uploads is reported as without it.
   *
   * @defaultValue none; requests are sent as they are
   */
  middleware?: Middleware | undefined;
  /**
   * Receives a line for each request when its response begins, or when it fails. `console` is a
   * logger.
   *
   * @defaultValue none; nothing is logged
   */
  logger?: Logger | undefined;
}

/**
 * The state of a create before its response. The states follow each other in this order, without
 * those that do not apply. If several apply, the create is in the first of them. A create of
 * `mediagate/store` uploads its files before it waits for a task.
 *
 * | State | Meaning |
 * | --- | --- |
 * | `waiting` | A task in the input has not ended. |
 * | `uploading` | Files in the input are uploaded. |
 * | `moving` | The gateway moves results, or files at URLs, into the storage. |
 * | `sending` | The create itself is sent, and sent again if no response arrives. From here on, it may be charged. |
 */
export type CreateState = "waiting" | "uploading" | "moving" | "sending";

export interface CreateOptions extends CallOptions {
  /**
   * The key of this create: the gateway makes at most one task for it in 24 hours. 1 to 255 visible
   * ASCII characters. To repeat a create whose outcome is unknown, pass the `idempotencyKey` of its
   * error, and the same input: each file as the same `Blob`, bytes object or `{ url }`, or by its
   * id. A text that is a data URI is a new file each time.
   *
   * @defaultValue a random key
   */
  idempotencyKey?: string | undefined;
  /**
   * Receives the progress of the files in the input: of all of them together, and of each in
   * `files`. Files that were uploaded before count as sent.
   */
  onProgress?: ((progress: UploadProgress) => void) | undefined;
  /**
   * Called once for each state of the create, when the state begins. If it returns a promise for
   * `sending`, the promise is awaited before the create is sent, so that a page can store that the
   * create may be charged. If it throws or the promise rejects for `sending`, nothing is sent: the
   * call rejects with code `aborted`, the error as `cause` and the outcome `not_sent`. Errors for
   * other states are ignored.
   */
  onState?: ((state: CreateState) => unknown) | undefined;
}

export interface UploadOptions extends CallOptions {
  /**
   * The file name of bytes or of a stream, such as `photo.png`. A `File` has its own.
   *
   * @defaultValue `file.` and the extension of the media type, such as `file.png`
   */
  name?: string | undefined;
  /**
   * The media type of bytes or of a stream, such as `image/png`. A `Blob` has its own.
   *
   * @defaultValue `application/octet-stream`
   */
  type?: string | undefined;
  /**
   * The size of a stream in bytes. In Node, Bun and Workers, such a stream is sent as it comes, and
   * is not read into memory first. After a failure, such an upload cannot be repeated.
   *
   * @defaultValue none; the stream is read to its end before anything is sent
   */
  size?: number | undefined;
  /**
   * Receives the progress in bytes: often in a browser and for a stream with a `size`, once at the
   * end elsewhere.
   */
  onProgress?: ((progress: UploadProgress) => void) | undefined;
}

/** The progress of one or more files, in bytes. */
export interface UploadProgress {
  readonly loaded: number;
  readonly total: number;
  /**
   * The progress of each file of a create or a pipeline, in the order of the input. A file in
   * several fields is listed once per field. Absent for `media.upload`.
   */
  readonly files?: readonly FileProgress[] | undefined;
}

/** The progress of a file in an input, in bytes. */
export interface FileProgress {
  /** The file; for bytes and a data URI, the file that the client has made of them. */
  readonly file: Blob;
  readonly loaded: number;
  readonly total: number;
}

/** A source of an upload: a file, bytes, or a stream of bytes. */
export type UploadSource =
  | Blob
  | ArrayBuffer
  | ArrayBufferView
  | ReadableStream<Uint8Array>;

/** The options of a start of a pipeline. */
export interface PipelineOptions extends CreateOptions {
  /** The title, for the snapshot and the history. */
  title?: string | undefined;
}
