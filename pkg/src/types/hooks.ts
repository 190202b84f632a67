import type { CapabilityName } from "../generated/capabilities.js";

/**
 * Receives a line for each request. The lines have neither tokens nor inputs. Errors that a logger
 * throws are ignored.
 */
export interface Logger {
  /**
   * Logs a request with a response, of any status.
   *
   * @param message - Such as `mediagate: GET https://media.example.com/api/app/v1/models 200`.
   * @param details - The message as an object, with more members.
   */
  debug(message: string, details: RequestLog): void;
  /**
   * Logs a request without a response.
   *
   * @param message - Such as `mediagate: GET https://media.example.com/api/app/v1/models failed`.
   * @param details - The message as an object, with the error.
   */
  warn(message: string, details: RequestLog): void;
}

/**
 * The HTTP method of a request.
 *
 * | Method | Requests |
 * | --- | --- |
 * | `GET` | reads a task, a pipeline, the history or the models |
 * | `POST` | creates, estimates, moves an output, requests an upload URL or a session, or uploads a file by a form |
 * | `PUT` | uploads a file |
 * | `DELETE` | forgets a task or a pipeline |
 */
export type RequestMethod = "GET" | "POST" | "PUT" | "DELETE";

export interface RequestLog {
  /** The HTTP method. */
  readonly method: RequestMethod;
  /** The URL, without its query. */
  readonly url: string;
  /** The capability that the request is about, such as `image_to_video`; `undefined` for none. */
  readonly capability?: CapabilityName | undefined;
  /** The time until the response began, or until the request failed, in milliseconds. */
  readonly milliseconds: number;
  /** The HTTP status of the response; absent for a request that failed. */
  readonly status?: number | undefined;
  /**
   * The gateway's id of the request, which is also in its log. Absent for a request that failed,
   * and for a response without one, such as the storage's.
   */
  readonly requestId?: string | undefined;
  /** The error of a request that failed; absent for a request with a response. */
  readonly error?: unknown;
}

/** A request, for a `Middleware`. */
export interface MiddlewareRequest {
  readonly url: string;
  readonly method: RequestMethod;
  /**
   * The headers, which you may change before `next`. `authorization` has the session token: keep it
   * out of logs.
   */
  readonly headers: Headers;
  /** The capability that the request is about, such as `image_to_video`; `undefined` for none. */
  readonly capability?: CapabilityName | undefined;
  /** A string of JSON, a file, a stream with a `size`, or nothing. */
  readonly body?: string | Blob | ReadableStream<Uint8Array> | undefined;
  /** Aborted when the call is. */
  readonly signal: AbortSignal;
}

/**
 * Wraps a request. If a page gets no response from the gateway or the storage, the client sends up
 * to two `GET` requests to find the cause. These are wrapped, too.
 *
 * The body of a response can be read only once, so read that of a `clone()`. Do not read a body of
 * the type `text/event-stream`, which lasts as long as a task.
 *
 * An error that you throw becomes the `cause` of a `MediagateError` with code `network`. The
 * `outcome` of a create is then `unknown`.
 */
export type Middleware = (
  request: MiddlewareRequest,
  next: () => Promise<Response>,
) => Promise<Response>;
