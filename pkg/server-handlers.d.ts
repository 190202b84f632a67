import type { Session, SessionDefaults } from "./server-session.js";

/** A value, or a promise of it. */
export type Awaitable<T> = T | PromiseLike<T>;

/**
 * The options of a session handler. Besides `secret` and `authenticate`, it has the defaults of what `authenticate` returns,
 * and `issuer` and `audience`. An unknown option, and one that is not valid, is an error at once. Options may be inherited,
 * such as the getters of a class.
 *
 * @typeParam Args - What the framework passes to a handler. Where that has more than the handler needs, such as the user
 * that a middleware has found, give the parameter of `authenticate` the framework's type.
 */
export interface SessionHandlerOptions<Args extends unknown[]>
  extends SessionDefaults {
  /**
   * The gateway's `SESSION_SECRET`, or a function that returns it, for platforms that pass it with the request. Without one,
   * the response is a 500, and the server's log says what to set.
   */
  readonly secret:
    | string
    | undefined
    | ((...args: Args) => Awaitable<string | undefined>);
  /**
   * Finds the user of a request, by your own session.
   *
   * @returns The user as `subject`, with what differs from the defaults; `undefined`, `null` or `false` if no user is signed
   * in, for a 401. Members may be inherited, and an unknown member is an error. To know the id of the token, in order to
   * revoke it, return a `tokenId` of your own.
   */
  readonly authenticate: (
    ...args: Args
  ) => Awaitable<Session | undefined | null | false>;
}

/** What the handler needs of Express's request. */
export interface ExpressRequest {
  /** The method. */
  readonly method?: string | undefined;
  /** The headers, by their names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>> & {
    /** A token, as pages without cookies send one. */
    readonly authorization?: string | undefined;
    /** The cookies. */
    readonly cookie?: string | undefined;
  };
}

/** What the handler needs of Express's response. */
export interface ExpressResponse {
  /** The status. */
  statusCode: number;
  /** Whether there is a response already. */
  readonly headersSent?: boolean;
  /** Sets a header. */
  setHeader(name: string, value: string): unknown;
  /** Sends the body. */
  end(body: string): unknown;
}

/** What the handler needs of Hono's context. */
export interface HonoContext {
  /** The request. */
  readonly req: {
    /** The method. */
    readonly method: string;
    /** The request of the platform. */
    readonly raw: Request;
    /** A header. */
    header(name: string): string | undefined;
  };
}

/** What the handler needs of SvelteKit's event. */
export interface SvelteKitEvent {
  /** The request. */
  readonly request: Request;
}

/**
 * A route handler of Next.js that issues session tokens: export it as `POST` of a `route.js`.
 *
 * Its response is that of the gateway's own `POST /session`, `{code, data: {session: {token, expires_in}}, message}`, and
 * is never stored. Any other method than `POST` gets a 405: the response to a `GET` may be rendered at build time, cached or
 * prefetched, and so reach another user, and browsers send cookies along when another site links to it. Where
 * `authenticate` throws, or returns what is no session, the response is a 500 that says nothing, and the error is in the
 * server's log; what `redirect` and `unauthorized` throw goes on to Next.js.
 *
 * Without a framework it serves where a handler gets a `Request` and returns a `Response`: in a Worker, the second argument is
 * its `env`.
 *
 * @typeParam NextRequest - `Request`, or Next's own.
 * @typeParam Context - The second argument: in Next.js `{ params }`.
 * @param options - `secret`, `authenticate`, and defaults. `authenticate` gets the request and the context of the route.
 * @returns The handler.
 * @throws {MediagateError} `invalid_argument` for options that are not valid.
 *
 * @example
 * ```js
 * import { nextSessionHandler } from "mediagate/server";
 *
 * export const POST = nextSessionHandler({
 *   secret: process.env.SESSION_SECRET,
 *   scope: ["upload", "image_to_video"],
 *   authenticate: async ({ headers }) => {
 *     const user = await findUser(headers.get("cookie"));
 *     return user && { subject: user.id };
 *   },
 * });
 * ```
 */
export function nextSessionHandler<
  NextRequest extends Request = Request,
  Context = unknown,
>(
  options: SessionHandlerOptions<[request: NextRequest, context: Context]>,
): (request: NextRequest, context: Context) => Promise<Response>;

/**
 * A handler of Hono that issues session tokens, as {@link nextSessionHandler} does. An `HTTPException` of `authenticate` goes
 * on to Hono.
 *
 * @typeParam Context - Hono's `Context`, with the types of your environment.
 * @param options - `secret`, `authenticate`, and defaults. `authenticate` and a function as `secret` get the context.
 * @returns The handler, for `app.post`.
 * @throws {MediagateError} `invalid_argument` for options that are not valid.
 */
export function honoSessionHandler<Context extends HonoContext = HonoContext>(
  options: SessionHandlerOptions<[context: Context]>,
): (context: Context) => Promise<Response>;

/**
 * A handler of Express that issues session tokens, as {@link nextSessionHandler} does. What `authenticate` throws goes to
 * `next`, and so to your error handler. It only uses what Node's own requests and responses have.
 *
 * @typeParam Incoming - Express's `Request`.
 * @param options - `secret`, `authenticate`, and defaults. `authenticate` gets the request.
 * @returns The handler, for `app.post`.
 * @throws {MediagateError} `invalid_argument` for options that are not valid.
 *
 * @example
 * ```js
 * import express from "express";
 * import { expressSessionHandler } from "mediagate/server";
 *
 * const handler = expressSessionHandler({
 *   secret: process.env.SESSION_SECRET,
 *   scope: ["upload", "image_to_video"],
 *   authenticate: async ({ headers }) => {
 *     const user = await findUser(headers.cookie);
 *     return user && { subject: user.id };
 *   },
 * });
 * express().post("/media/session", handler);
 * ```
 */
export function expressSessionHandler<
  Incoming extends ExpressRequest = ExpressRequest,
>(
  options: SessionHandlerOptions<[request: Incoming]>,
): (
  request: Incoming,
  response: ExpressResponse,
  next?: (error?: unknown) => void,
) => Promise<void>;

/**
 * A handler of SvelteKit that issues session tokens, as {@link nextSessionHandler} does: export it as `POST` of a
 * `+server.js`. What `error` and `redirect` throw goes on to SvelteKit.
 *
 * @typeParam Event - SvelteKit's `RequestEvent`.
 * @param options - `secret`, `authenticate`, and defaults. `authenticate` gets the event.
 * @returns The handler.
 * @throws {MediagateError} `invalid_argument` for options that are not valid.
 */
export function svelteKitSessionHandler<
  Event extends SvelteKitEvent = SvelteKitEvent,
>(
  options: SessionHandlerOptions<[event: Event]>,
): (event: Event) => Promise<Response>;
