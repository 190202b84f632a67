import {
  aborted,
  type ErrorMembers,
  invalidArgument,
  NOT_SENT,
} from "./error.js";
import { CATALOGUE, type CapabilityName } from "./generated/capabilities.js";
import type { Hooks } from "./hooks.js";
import { nearest } from "./nearest.js";
import type { CallOptions, ConnectOptions } from "./types/calls.js";
import type { ListOptions } from "./types/history.js";

/** The longest timeout of the platforms in milliseconds; a longer one fires at once. */
export const MAX_TIMEOUT = 2 ** 31 - 1;

/** The most retries that the wasm can count. */
const MAX_RETRIES = 2 ** 30;

/** The limits of a call. The ones that {@link checkLimits} returns are valid. */
export type Limits = CallOptions;

/**
 * Checks the limits among the options of a call.
 *
 * @param options - The caller's options.
 * @param defaults - The limits of `connect`.
 * @param members - Further members of the errors.
 * @throws {MediagateError} `invalid_argument` for options that are not valid; `aborted` if the
 * signal is aborted already.
 */
export function checkLimits(
  options: CallOptions | null | undefined,
  defaults: Limits = {},
  members?: Partial<ErrorMembers>,
): Limits {
  const invalid = (message: string) => invalidArgument(message, members);
  if (options != null && !isObject(options))
    throw invalid("the options are not an object; give one such as { signal }");
  const given: CallOptions = options ?? {};
  const {
    signal,
    timeout = defaults.timeout,
    maxRetries = defaults.maxRetries,
    onRetry = defaults.onRetry,
  } = given;
  if (timeout !== undefined && !(typeof timeout === "number" && timeout > 0))
    throw invalid("timeout is not a positive number; give milliseconds");
  if (
    maxRetries !== undefined &&
    !(typeof maxRetries === "number" && maxRetries >= 0)
  )
    throw invalid(
      "maxRetries is not a number from 0 on; give 0 for no retries",
    );
  if (onRetry !== undefined && typeof onRetry !== "function")
    throw invalid(
      "onRetry is not a function; give one that takes { attempt, milliseconds, error }",
    );
  if (signal != null && typeof signal.addEventListener !== "function")
    throw invalid(
      "signal is not an AbortSignal; give the signal of an AbortController",
    );
  if (signal?.aborted) throw aborted(signal, members);
  return {
    signal: signal ?? undefined,
    // Without a limit, the wasm needs no timer.
    timeout:
      timeout === undefined || timeout === Infinity
        ? undefined
        : Math.min(timeout, MAX_TIMEOUT),
    maxRetries:
      maxRetries === undefined
        ? undefined
        : Math.min(Math.floor(maxRetries), MAX_RETRIES),
    onRetry,
  };
}

/**
 * Checks the options of a call of a client: their names, and the limits among them.
 *
 * @throws {MediagateError} `invalid_argument` for a misspelt name, and the errors of
 * {@link checkLimits}.
 */
export function checkOptions(
  options: CallOptions | null | undefined,
  defaults?: Limits,
  members?: Partial<ErrorMembers>,
): Limits {
  const limits = checkLimits(options, defaults, members);
  for (const name of Object.keys(options ?? {})) {
    if (CALL_NAMES.includes(name)) continue;
    const near = nearest(name, CALL_NAMES);
    if (near)
      throw invalidArgument(
        `there is no option ${name}; did you mean ${near}?`,
        members,
      );
  }
  return limits;
}

/** Returns limits with the rest of their timeout, for a call that began at a time of `Date.now`. */
export function remaining<Limited extends { timeout?: number | undefined }>(
  limits: Limited,
  start: number,
): Limited {
  const { timeout } = limits;
  if (timeout === undefined) return limits;
  return { ...limits, timeout: Math.max(1, timeout - (Date.now() - start)) };
}

/** The names of the options of all calls. */
const CALL_NAMES: readonly string[] = [
  "signal",
  "timeout",
  "maxRetries",
  "onRetry",
  "idempotencyKey",
  "onProgress",
  "name",
  "type",
  "size",
  "title",
  "limit",
  "cursor",
];

/** The names of the options of `connect`. */
const NAMES: readonly string[] = [
  "url",
  "token",
  "turnstile",
  "fetch",
  "middleware",
  "logger",
  "signal",
  "timeout",
  "maxRetries",
  "onRetry",
] satisfies (keyof ConnectOptions)[];

/** The checked options of `connect`, without the limits. */
export interface Target extends Hooks {
  /** The URL of the gateway, without a slash at its end. */
  base: string;
  token: ConnectOptions["token"];
  turnstile: ConnectOptions["turnstile"];
}

/**
 * Checks the options of `connect`.
 *
 * @throws {MediagateError} `invalid_argument`.
 */
export function checkTarget(
  options: ConnectOptions | null | undefined,
): Target {
  const given: Partial<ConnectOptions> = options ?? {};
  checkNames(Object.keys(given));
  const { url, token, turnstile, fetch, middleware, logger } = given;
  const base = baseUrl(url);
  // A path such as /gateway has no host either.
  const isHost = typeof url === "string" && /^[\w[]/.test(url);
  if (!base && isHost && baseUrl(`http://${url}`))
    throw invalidArgument(
      `url has no scheme; did you mean http://${url} or https://${url}?`,
    );
  if (!base)
    throw invalidArgument(
      "connect needs the gateway's whole url, such as https://media.example.com: no query, no user",
    );
  if (turnstile !== undefined && typeof turnstile !== "function")
    throw invalidArgument(
      "turnstile is not a function; give one that returns the widget's response",
    );
  // A session token that is missing by mistake must not become an anonymous session.
  if (
    "token" in given &&
    typeof token !== "function" &&
    !(typeof token === "string" && isVisibleAscii(token))
  )
    throw invalidArgument(
      "token is neither a session token nor a function that returns one; " +
        "leave it out for an anonymous session",
    );
  const isFunction = (value: unknown) => typeof value === "function";
  if (
    (fetch && !isFunction(fetch)) ||
    (middleware && !isFunction(middleware)) ||
    (logger && !(isFunction(logger.debug) && isFunction(logger.warn)))
  )
    throw invalidArgument(
      "fetch and middleware must be functions, and a logger has debug and warn",
    );
  return {
    base,
    token,
    turnstile,
    fetch: fetch || undefined,
    middleware: middleware || undefined,
    logger: logger || undefined,
  };
}

/**
 * Checks the names of the options of `connect`.
 *
 * @throws {MediagateError} `invalid_argument` for an unknown name, with a suggestion.
 */
function checkNames(names: readonly string[]): void {
  const unknown = names.find((name) => !NAMES.includes(name));
  if (unknown === undefined) return;
  const plain = unknown.toLowerCase().replaceAll(/[^a-z]/g, "");
  if (/^(x|api|access|secret)*key$|secret/.test(plain))
    throw invalidArgument(
      `connect takes no ${unknown}: only the gateway has the API key; ` +
        "give a session token of your backend as token",
    );
  const near = nearest(unknown, NAMES);
  const remedy = near
    ? `did you mean ${near}?`
    : `its options are ${NAMES.join(", ")}`;
  throw invalidArgument(`connect has no option ${unknown}; ${remedy}`);
}

/** Returns a URL without a slash at its end; `undefined` if it is no URL of a gateway. */
function baseUrl(url: unknown): string | undefined {
  try {
    const { href } = new URL(String(url));
    return /^https?:[^?#@]*$/.test(href) ? href.replace(/\/$/, "") : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the idempotency key of the options, or a random one.
 *
 * @throws {MediagateError} `invalid_argument`.
 */
export function checkKey(
  options: { idempotencyKey?: string } | null | undefined,
): string {
  const { crypto } = globalThis;
  // An insecure context, such as plain http, has no `randomUUID`.
  const random = () =>
    crypto?.randomUUID?.() ??
    crypto?.getRandomValues(new Uint32Array(4)).join("-");
  const { idempotencyKey: key = random() } = options ?? {};
  if (key === undefined)
    throw invalidArgument(
      "this platform has no crypto for a random key; give an idempotencyKey",
      NOT_SENT,
    );
  if (typeof key === "string" && isVisibleAscii(key) && key.length <= 255)
    return key;
  throw invalidArgument(
    "idempotencyKey is not 1 to 255 visible ASCII characters",
    NOT_SENT,
  );
}

/**
 * Returns the query of a page of the history.
 *
 * @throws {MediagateError} `invalid_argument`.
 */
export function checkPage({ limit, cursor }: ListOptions): string {
  if (limit != null && typeof limit !== "number")
    throw invalidArgument("limit is not valid; give a number from 1 to 100");
  if (cursor != null && typeof cursor !== "string")
    throw invalidArgument("cursor is not valid; give that of the page before");
  const query = new URLSearchParams();
  if (limit != null) query.set("limit", String(limit));
  if (cursor != null) query.set("cursor", cursor);
  const text = query.toString();
  return text && `?${text}`;
}

/**
 * Returns the name of a capability.
 *
 * @throws {MediagateError} `invalid_argument` for any other value.
 */
export function checkName(
  name: unknown,
  members?: Partial<ErrorMembers>,
): CapabilityName {
  const known = CATALOGUE.find((capability) => capability.name === name);
  if (known) return known.name;
  const given = typeof name === "string" ? name : "";
  const names = CATALOGUE.map((capability) => capability.name);
  const near = nearest(given, names);
  const missing = given ? `capability "${given}"` : "such capability";
  const remedy = near
    ? `did you mean "${near}"?`
    : "capabilities() lists their names";
  throw invalidArgument(`there is no ${missing}; ${remedy}`, members);
}

/**
 * Returns the id of an object that has one, or the id itself.
 *
 * @param value - The object or the id.
 * @param message - The message of the error.
 * @throws {MediagateError} `invalid_argument`.
 */
export function checkId(value: unknown, message: string): string {
  const id = isObject(value) ? value.id : value;
  if (typeof id === "string" && id.trim()) return id;
  throw invalidArgument(message);
}

/** Returns true if a value is an object with members: neither a list nor a file. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    !isBlob(value)
  );
}

/** Returns true if a value is a file of this platform, which may have no files. */
export function isBlob(value: unknown): value is Blob {
  return "Blob" in globalThis && value instanceof Blob;
}

function isVisibleAscii(text: string): boolean {
  return /^[!-~]+$/.test(text);
}
