import { claimsOf, IDENTITY, NAMES, PERMISSIONS } from "./claims.js";
import type { Session, SessionDefaults } from "./session.js";
import { issue, signingKey } from "./token.js";
import { checkMembers, invalid, isRecord, membersOf } from "./values.js";

export type Awaitable<T> = T | PromiseLike<T>;

/**
 * The options of a session handler. Beside `secret` and `authenticate` there are the defaults of
 * the sessions that `authenticate` returns, and `issuer` and `audience`. An unknown option, and one
 * that is not valid, is an error at once. Options may be inherited, such as the getters of a class.
 *
 * @typeParam Args - The arguments that the framework passes to a handler. If the framework has more
 * than the handler needs, such as the user that a middleware has found, give the parameter of
 * `authenticate` the framework's type.
 */
export interface SessionHandlerOptions<Args extends unknown[]>
  extends SessionDefaults {
  /**
   * The gateway's `SESSION_SECRET`, or a function that returns it, for platforms that pass it with
   * the request. Without one, the response is a 500, and the server's log says what to set.
   */
  readonly secret:
    | string
    | undefined
    | ((...args: Args) => Awaitable<string | undefined>);
  /**
   * Finds the user of a request, by your own session.
   *
   * @returns The user as `subject`, with the members that differ from the defaults. `undefined`,
   * `null` or `false` if no user is signed in, for a 401. Members may be inherited, and an unknown
   * member is an error. Return a `tokenId` of your own if you want to revoke the token later.
   */
  readonly authenticate: (
    ...args: Args
  ) => Awaitable<Session | undefined | null | false>;
}

/** The members of Express's request that the handler needs. */
export interface ExpressRequest {
  readonly method?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>> & {
    /** A token, as pages without cookies send one. */
    readonly authorization?: string | undefined;
    readonly cookie?: string | undefined;
  };
}

/** The members of Express's response that the handler needs. */
export interface ExpressResponse {
  statusCode: number;
  /** True if there is a response already. */
  readonly headersSent?: boolean | undefined;
  setHeader(name: string, value: string): unknown;
  end(body: string): unknown;
}

export interface HonoContext {
  /** The request. */
  readonly req: {
    readonly method: string;
    readonly raw: Request;
    header(name: string): string | undefined;
  };
}

export interface SvelteKitEvent {
  readonly request: Request;
}

const DEFAULTS = [...PERMISSIONS, ...NAMES];
const OPTIONS = ["secret", "authenticate", ...DEFAULTS];
const SESSION = [...IDENTITY, ...PERMISSIONS];

/**
 * Makes a route handler of Next.js that issues session tokens: export it as `POST` of a `route.js`.
 *
 * The response is like that of the gateway's `POST /session`, `{code, data: {session: {token,
 * expires_in}}, message}`, and is never stored. Any other method than `POST` gets a 405: the
 * response to a `GET` may be cached or prefetched, and so reach another user. If `authenticate`
 * throws, or returns something that is no session, the response is a 500 without details, and the
 * error is in the server's log. Errors that `redirect` and `unauthorized` throw go on to Next.js.
 *
 * The handler also works without a framework if the platform passes a `Request` and takes a
 * `Response`. In a Worker, the second argument is its `env`.
 *
 * @throws {MediagateError} `invalid_argument` for options that are not valid.
 */
export function nextSessionHandler<
  NextRequest extends Request = Request,
  Context = unknown,
>(
  options: SessionHandlerOptions<[request: NextRequest, context: Context]>,
): (request: NextRequest, context: Context) => Promise<Response> {
  const handle = fetchHandler(
    options,
    (request) => request.method,
    // `redirect`, `notFound` and `unauthorized` throw such errors.
    (error) => String(memberOf(error, "digest")).startsWith("NEXT_"),
  );
  return (request, context) => handle(request, context);
}

/**
 * Makes a handler of Hono that issues session tokens, as {@link nextSessionHandler} does. An
 * `HTTPException` of `authenticate` goes on to Hono.
 */
export function honoSessionHandler<Context extends HonoContext = HonoContext>(
  options: SessionHandlerOptions<[context: Context]>,
): (context: Context) => Promise<Response> {
  const handle = fetchHandler(
    options,
    (context) => context.req.method,
    // An `HTTPException`.
    (error) => typeof memberOf(error, "getResponse") === "function",
  );
  return (context) => handle(context);
}

/**
 * Makes a handler of Express that issues session tokens, as {@link nextSessionHandler} does. Errors
 * of `authenticate` go to `next`, and so to your error handler. The handler only uses members that
 * Node's own requests and responses have.
 */
export function expressSessionHandler<
  Incoming extends ExpressRequest = ExpressRequest,
>(
  options: SessionHandlerOptions<[request: Incoming]>,
): (
  request: Incoming,
  response: ExpressResponse,
  next?: (error?: unknown) => void,
) => Promise<void> {
  const respond = responder(options);
  return async (request, response, next) => {
    let reply: Reply;
    try {
      reply = await respond(request.method, [request]);
    } catch (error) {
      // Express takes `undefined` and "route" as a sign to go on to the next route.
      const isObject = typeof error === "object" && error !== null;
      if (next)
        return next(
          isObject
            ? error
            : new Error("authenticate threw no error", { cause: error }),
        );
      reply = failed(error);
    }
    // A middleware with a time limit may have responded meanwhile.
    if (response.headersSent) return;
    response.statusCode = reply.status;
    for (const [name, value] of Object.entries(reply.headers))
      response.setHeader(name, value);
    response.end(reply.body);
  };
}

/**
 * Makes a handler of SvelteKit that issues session tokens, as {@link nextSessionHandler} does:
 * export it as `POST` of a `+server.js`. Objects that `error` and `redirect` throw go on to
 * SvelteKit.
 */
export function svelteKitSessionHandler<
  Event extends SvelteKitEvent = SvelteKitEvent,
>(
  options: SessionHandlerOptions<[event: Event]>,
): (event: Event) => Promise<Response> {
  const handle = fetchHandler(
    options,
    (event) => event.request.method,
    // `error` and `redirect` throw objects that are no errors.
    (error) =>
      !(error instanceof Error) &&
      typeof memberOf(error, "status") === "number",
  );
  return (event) => handle(event);
}

interface Reply {
  status: number;
  headers: Record<string, string>;
  body: string;
}

const memberOf = (thrown: unknown, name: string): unknown =>
  (thrown as Record<string, unknown> | null | undefined)?.[name];

/**
 * Makes a handler that returns a `Response`.
 *
 * @param isResponse - Returns true if an error of `authenticate` is a response of the framework,
 * which the framework has to receive.
 */
function fetchHandler<Args extends unknown[]>(
  options: SessionHandlerOptions<Args>,
  methodOf: (...args: Args) => string,
  isResponse: (error: unknown) => boolean,
) {
  const respond = responder(options);
  return async (...args: Args): Promise<Response> => {
    const reply = await respond(methodOf(...args), args).catch((error) => {
      if (isResponse(error)) throw error;
      return failed(error);
    });
    return new Response(reply.body, reply);
  };
}

/**
 * Makes a function that responds to requests. It rejects if `authenticate` does, and if
 * `authenticate` returns something that is no session.
 *
 * @throws {MediagateError} `invalid_argument` for options that are not valid: at the start, and not
 * at the first request.
 */
function responder<Args extends unknown[]>(
  options: SessionHandlerOptions<Args>,
) {
  checkOptions(options);
  const { secret, authenticate } = options;
  const defaults = membersOf(options, DEFAULTS);
  // Each token gets a random id later: a Worker can make none while it starts.
  claimsOf({ ...defaults, subject: "any", tokenId: "any" });
  return async (method: string | undefined, args: Args): Promise<Reply> => {
    if (method !== "POST")
      return refusal(405, 12, "unknown_method", "this path takes POST only", {
        allow: "POST",
      });
    const found = await authenticate.apply(options, args);
    if (!found)
      return refusal(
        401,
        13,
        "not_signed_in",
        "no user is signed in; sign in first",
      );
    const session = readSession(found);
    const key =
      typeof secret === "function" ? await secret.apply(options, args) : secret;
    if (!canSign(key))
      return refusal(
        500,
        99,
        "misconfigured",
        "the server is not set up; its log says what is missing",
      );
    return issued({ ...defaults, ...session, secret: key });
  };
}

function checkOptions(options: unknown): void {
  if (!isRecord(options) || typeof options.authenticate !== "function")
    throw invalid(
      "a session handler needs authenticate: " +
        "a function that returns { subject } for a user who is signed in",
    );
  checkMembers(
    options,
    OPTIONS,
    (other, all) =>
      `there is no option ${other} of a session handler; there are ${all}`,
  );
}

/**
 * Returns the members of a session that are set. A member that is `undefined` must not hide its
 * default, which may be a limit.
 */
function readSession(session: unknown) {
  if (!isRecord(session))
    throw invalid(
      "authenticate returned no object; return { subject }, or undefined if no user is signed in",
    );
  checkMembers(
    session,
    SESSION,
    (other, all) =>
      `authenticate returned the unknown member ${other}; a session has ${all}`,
  );
  return membersOf(session, SESSION);
}

/**
 * Returns true if a secret can sign. If not, the server's log says why. The caller gets no reason.
 */
function canSign(secret: unknown): boolean {
  try {
    signingKey(secret);
    return true;
  } catch (error) {
    console.error(`mediagate/server: ${(error as Error).message}`);
    return false;
  }
}

async function issued(options: object): Promise<Reply> {
  const { token, claims } = await issue(options);
  return envelope(200, 0, "ok", {
    session: { token, expires_in: claims.exp - claims.iat },
  });
}

function failed(error: unknown): Reply {
  console.error("mediagate/server: no session token was issued:", error);
  return refusal(500, 99, "server_error", "the server failed; try again later");
}

/** The documented texts of the codes, with which messages begin. */
const CODE_TEXTS = {
  12: "invalid input",
  13: "unauthenticated",
  99: "server error",
} as const;

function refusal(
  status: number,
  code: keyof typeof CODE_TEXTS,
  reason: string,
  message: string,
  headers?: Record<string, string>,
): Reply {
  const text = `${CODE_TEXTS[code]}: ${message}`;
  return envelope(status, code, text, { reason }, headers);
}

/**
 * Returns a response in the gateway's envelope. None may be stored: a token is one user's, and the
 * same user may sign in after a 401.
 */
function envelope(
  status: number,
  code: number,
  message: string,
  data: object,
  headers?: Record<string, string>,
): Reply {
  return {
    status,
    headers: {
      "content-type": "application/json",
      "cache-control": "no-store",
      ...headers,
    },
    body: JSON.stringify({ code, data, message }),
  };
}
