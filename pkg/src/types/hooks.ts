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
  /**
   * The HTTP method: `GET` reads, `POST` creates, estimates or requests an upload URL or a session,
   * `PUT` uploads a file, `DELETE` forgets.
   */
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
   * The gateway's id of the request, which is also in its log. Absent for a request that failed,
   * and for a response without one, such as the storage's.
   */
  readonly requestId?: string;
  /** The error of a request that failed; absent for a request with a response. */
  readonly error?: unknown;
}

/** A request, for a `Middleware`. */
export interface MiddlewareRequest {
  /** The absolute URL. */
  readonly url: string;
  /**
   * The HTTP method: `GET` reads, `POST` creates, estimates or requests an upload URL or a session,
   * `PUT` uploads a file, `DELETE` forgets.
   */
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /**
   * The headers, which you may change before `next`. `authorization` has the session token: keep it
   * out of logs.
   */
  readonly headers: Headers;
  /** The capability that the request is about, such as `image_to_video`; empty for none. */
  readonly capability: CapabilityName | "";
  /** A string of JSON, a file, or nothing. */
  readonly body?: string | Blob;
  /** Aborted when the call is. */
  readonly signal: AbortSignal;
}

/**
 * Wraps a request. The body of a response can be read once, so read that of a `clone()`. Do not
 * read one of type `text/event-stream`, which lasts as long as a task.
 *
 * @param request - The request that is about to be sent.
 * @param next - Sends the request, and returns its response.
 * @returns The response that the client reads. An error that you throw becomes the `cause` of a
 * `MediagateError` with code `network`. The `outcome` of a create is then `unknown`.
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
export type Middleware = (
  request: MiddlewareRequest,
  next: () => Promise<Response>,
) => Promise<Response>;
