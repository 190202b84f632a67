// Handlers that issue session tokens, for the frameworks that apps' backends are written with.

import { claimsOf, IDENTITY, NAMES, PERMISSIONS } from "./server-claims.js";
import { issue, signingKey } from "./server-token.js";
import {
  invalid,
  isRecord,
  membersOf,
  unknownMember,
} from "./server-values.js";

/**
 * @typedef {{ status: number, headers: Record<string, string>, body: string }} Reply
 * @typedef {import("./server-handlers.js").SessionHandlerOptions<any[]>} Options
 */

const DEFAULTS = [...PERMISSIONS, ...NAMES];
const OPTIONS = ["secret", "authenticate", ...DEFAULTS];
const SESSION = [...IDENTITY, ...PERMISSIONS];

/** @type {typeof import("./server-handlers.js").nextSessionHandler} */
export const nextSessionHandler = (options) => {
  // Of `redirect`, `notFound` and `unauthorized`, which throw.
  const isResponse = (/** @type {any} */ error) =>
    String(error?.digest).startsWith("NEXT_");
  const handle = fetchHandler(options, (request) => request.method, isResponse);
  return (request, context) => handle(request, context);
};

/** @type {typeof import("./server-handlers.js").honoSessionHandler} */
export const honoSessionHandler = (options) => {
  // An `HTTPException`.
  const isResponse = (/** @type {any} */ error) =>
    typeof error?.getResponse === "function";
  const handle = fetchHandler(
    options,
    (context) => context.req.method,
    isResponse,
  );
  return (context) => handle(context);
};

/** @type {typeof import("./server-handlers.js").svelteKitSessionHandler} */
export const svelteKitSessionHandler = (options) => {
  // Of `error` and `redirect`, which throw objects that are no errors.
  const isResponse = (/** @type {any} */ error) =>
    !(error instanceof Error) && typeof error?.status === "number";
  const handle = fetchHandler(
    options,
    (event) => event.request.method,
    isResponse,
  );
  return (event) => handle(event);
};

/** @type {typeof import("./server-handlers.js").expressSessionHandler} */
export const expressSessionHandler = (options) => {
  const respond = responder(options);
  return async (request, response, next) => {
    const reply = await respond(request.method, [request]).catch((error) => {
      if (!next) return failed(error);
      // Express goes on to the next route for `undefined` and for "route".
      next(
        typeof error === "object" && error
          ? error
          : new Error("authenticate threw no error", { cause: error }),
      );
      return undefined;
    });
    // A middleware with a time limit may have responded meanwhile.
    if (!reply || response.headersSent) return;
    // Node's own methods, so that it also works in what is built on them.
    response.statusCode = reply.status;
    for (const [name, value] of Object.entries(reply.headers))
      response.setHeader(name, value);
    response.end(reply.body);
  };
};

/**
 * A handler that returns a `Response`. What `authenticate` throws to have the framework respond goes on to the framework.
 *
 * @template {any[]} Args
 * @param {import("./server-handlers.js").SessionHandlerOptions<Args>} options
 * @param {(...args: Args) => string} methodOf
 * @param {(error: unknown) => boolean} isResponse
 */
function fetchHandler(options, methodOf, isResponse) {
  const respond = responder(/** @type {any} */ (options));
  return async (/** @type {Args} */ ...args) => {
    const reply = await respond(methodOf(...args), args).catch((error) => {
      if (isResponse(error)) throw error;
      return failed(error);
    });
    return new Response(reply.body, reply);
  };
}

/**
 * What responds to a request. It rejects where `authenticate` does, and where that returns what is no session.
 *
 * @param {Options} options
 * @throws {MediagateError} for options that are not valid: at the start, and not at the first request
 */
function responder(options) {
  const { secret, authenticate, ...defaults } = readOptions(options);
  // A random id is made for each token, since a Worker can make none while it starts.
  claimsOf({ ...defaults, subject: "any", tokenId: "any" });
  return async (
    /** @type {string | undefined} */ method,
    /** @type {any[]} */ args,
  ) => {
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
    if (!isUsable(key))
      return refusal(
        500,
        99,
        "misconfigured",
        "the server is not set up; its log says what is missing",
      );
    return issued({ ...defaults, ...session, secret: key });
  };
}

/**
 * Returns the options that are set.
 *
 * @param {unknown} options
 * @throws {MediagateError} for an unknown option, and without `authenticate`
 */
function readOptions(options) {
  const members = isRecord(options) ? membersOf(options, OPTIONS) : {};
  if (!isRecord(options) || typeof members.authenticate !== "function")
    throw invalid(
      "a session handler needs authenticate: a function that returns { subject } for a user who is signed in",
    );
  const other = unknownMember(options, OPTIONS);
  if (other !== undefined)
    throw invalid(
      `there is no option ${other} of a session handler; there are ${OPTIONS.join(", ")}`,
    );
  return members;
}

/**
 * Returns the members of a session that are set. A member that is `undefined` must not hide its default, which may be a
 * limit.
 *
 * @param {unknown} session
 * @throws {MediagateError} for an unknown member, and for what is no object
 */
function readSession(session) {
  if (!isRecord(session))
    throw invalid(
      "authenticate returned no object; return { subject }, or undefined where no user is signed in",
    );
  const other = unknownMember(session, SESSION);
  if (other !== undefined)
    throw invalid(
      `authenticate returned the unknown member ${other}; a session has ${SESSION.join(", ")}`,
    );
  return membersOf(session, SESSION);
}

/**
 * Whether the secret can sign. If not, the server's log says why, and the caller learns nothing.
 *
 * @param {unknown} secret
 */
function isUsable(secret) {
  try {
    return Boolean(signingKey(secret));
  } catch (error) {
    console.error(`mediagate/server: ${/** @type {Error} */ (error).message}`);
    return false;
  }
}

/** @param {object} options */
async function issued(options) {
  const { token, claims } = await issue(options);
  return envelope(200, 0, "ok", {
    session: { token, expires_in: claims.exp - claims.iat },
  });
}

/**
 * A response for what went wrong here. The caller learns nothing of it.
 *
 * @param {unknown} error
 */
function failed(error) {
  console.error("mediagate/server: no session token was issued:", error);
  return refusal(500, 99, "server_error", "the server failed; try again later");
}

/**
 * @param {number} status
 * @param {number} code
 * @param {string} reason
 * @param {string} message
 * @param {Record<string, string>} [headers]
 */
const refusal = (status, code, reason, message, headers) =>
  envelope(status, code, message, { reason }, headers);

/**
 * A response in the gateway's envelope. None may be stored: a token is one user's, and the same user may sign in after a 401.
 *
 * @param {number} status
 * @param {number} code
 * @param {string} message
 * @param {object} data
 * @param {Record<string, string>} [headers]
 * @returns {Reply}
 */
function envelope(status, code, message, data, headers) {
  const common = {
    "content-type": "application/json",
    "cache-control": "no-store",
  };
  return {
    status,
    headers: { ...common, ...headers },
    body: JSON.stringify({ code, data, message }),
  };
}
