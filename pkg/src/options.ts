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

const LIMIT_NAMES = [
  "signal",
  "timeout",
  "maxRetries",
  "onRetry",
] as const satisfies (keyof CallOptions)[];

const CREATE_NAMES = [
  ...LIMIT_NAMES,
  "idempotencyKey",
  "onProgress",
  "onState",
] as const;

export const OPTIONS = {
  load: ["signal", "timeout"],
  call: LIMIT_NAMES,
  create: CREATE_NAMES,
  storedCreate: [...CREATE_NAMES, "metadata"],
  resume: [...LIMIT_NAMES, "onProgress", "onState"],
  start: [...CREATE_NAMES, "title"],
  upload: [...LIMIT_NAMES, "onProgress", "name", "type", "size"],
  list: [...LIMIT_NAMES, "limit", "cursor"],
  download: ["signal", "timeout", "fileName"],
  thumbnail: ["signal", "timeout", "size", "at"],
} as const satisfies Record<string, readonly string[]>;

/** The listeners of uploads and creates, with the value that each receives. */
const LISTENERS = { onProgress: "{ loaded, total }", onState: "a state" };

export type OptionsKind = keyof typeof OPTIONS;

/**
 * Checks the options of a call.
 *
 * @throws {MediagateError} `invalid_argument` for an unknown option, and for a wrong value;
 * `aborted` if the signal is aborted already.
 */
export function checkOptions(
  options: CallOptions | null | undefined,
  kind: OptionsKind,
  defaults?: CallOptions,
  members?: Partial<ErrorMembers>,
): CallOptions {
  const limits = checkLimits(options, defaults, members);
  checkNames(Object.keys(options ?? {}), OPTIONS[kind], members);
  const given = (options ?? {}) as Record<string, unknown>;
  for (const [name, value] of Object.entries(LISTENERS))
    if (given[name] !== undefined && typeof given[name] !== "function")
      throw invalidArgument(
        `${name} is not a function`,
        `give one that takes ${value}`,
        members,
      );
  return limits;
}

/** @throws {MediagateError} As {@link checkOptions}, except for unknown options. */
export function checkLimits(
  options: CallOptions | null | undefined,
  defaults: CallOptions = {},
  members?: Partial<ErrorMembers>,
): CallOptions {
  const invalid = (message: string, hint: string) =>
    invalidArgument(message, hint, members);
  if (options != null && !isObject(options))
    throw invalid(
      "the options are not an object",
      "give one such as { signal }",
    );
  const given: CallOptions = options ?? {};
  const {
    signal,
    timeout = defaults.timeout,
    maxRetries = defaults.maxRetries,
    onRetry = defaults.onRetry,
  } = given;
  if (timeout !== undefined && !(typeof timeout === "number" && timeout > 0))
    throw invalid("timeout is not a positive number", "give milliseconds");
  if (
    maxRetries !== undefined &&
    !(typeof maxRetries === "number" && maxRetries >= 0)
  )
    throw invalid(
      "maxRetries is not a number from 0 on",
      "give 0 for no retries",
    );
  if (onRetry !== undefined && typeof onRetry !== "function")
    throw invalid(
      "onRetry is not a function",
      "give one that takes { attempt, milliseconds, since, error }",
    );
  if (signal != null && typeof signal.addEventListener !== "function")
    throw invalid(
      "signal is not an AbortSignal",
      "give the signal of an AbortController",
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

/** @throws {MediagateError} `invalid_argument` for an unknown name, with the nearest name. */
export function checkNames(
  names: readonly string[],
  known: readonly string[],
  members?: Partial<ErrorMembers>,
): void {
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const near = nearest(unknown, known);
  throw invalidArgument(
    `there is no option ${unknown} here`,
    near ? `did you mean ${near}?` : `the options are ${known.join(", ")}`,
    members,
  );
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

const CONNECT_NAMES: readonly string[] = [
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

export interface Target extends Hooks {
  /** The URL of the gateway, without a slash at its end. */
  base: string;
  token: ConnectOptions["token"];
  turnstile: ConnectOptions["turnstile"];
}

export function checkTarget(
  options: ConnectOptions | null | undefined,
): Target {
  const given: Partial<ConnectOptions> = options ?? {};
  const names = Object.keys(given);
  checkNoKey(names);
  checkNames(names, CONNECT_NAMES);
  const { url, token, turnstile, fetch, middleware, logger } = given;
  const base = baseUrl(url);
  // A path such as /gateway has no host either, and ftp://host has another scheme.
  const isHost =
    typeof url === "string" && /^[\w[]/.test(url) && !url.includes("://");
  if (!base && isHost && baseUrl(`http://${url}`))
    throw invalidArgument(
      "url has no scheme",
      `did you mean http://${url} or https://${url}?`,
    );
  if (!base)
    throw invalidArgument(
      "url is not the address of a gateway",
      "give its whole http or https URL, such as https://media.example.com: no query, no user",
    );
  if (turnstile !== undefined && typeof turnstile !== "function")
    throw invalidArgument(
      "turnstile is not a function",
      "give one that returns the widget's response",
    );
  // A session token that is missing by mistake must not become an anonymous session.
  if (
    "token" in given &&
    typeof token !== "function" &&
    !(typeof token === "string" && isVisibleAscii(token))
  )
    throw invalidArgument(
      `token is ${describeToken(token)} instead of a session token`,
      "give a session token or a function that returns one; " +
        "leave token out for an anonymous session",
    );
  const isFunction = (value: unknown) => typeof value === "function";
  if (
    (fetch && !isFunction(fetch)) ||
    (middleware && !isFunction(middleware)) ||
    (logger && !(isFunction(logger.debug) && isFunction(logger.warn)))
  )
    throw invalidArgument(
      "fetch, middleware or logger is not valid",
      "fetch and middleware are functions, and a logger has debug and warn",
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

/** @throws {MediagateError} `invalid_argument` if an option has the name of an API key. */
function checkNoKey(names: readonly string[]): void {
  const isKey = (name: string) => {
    const plain = name.toLowerCase().replaceAll(/[^a-z]/g, "");
    return /^(x|api|access|secret)*key$|secret/.test(plain);
  };
  const key = names.find(isKey);
  if (key === undefined) return;
  throw invalidArgument(
    `connect takes no ${key}: only the gateway has the API key`,
    "give a session token of your backend as token",
  );
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
 * @throws {MediagateError} `invalid_argument` for a key that is not valid.
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
      "this platform has no crypto for a random key",
      "give an idempotencyKey",
      NOT_SENT,
    );
  if (typeof key === "string" && isVisibleAscii(key) && key.length <= 255)
    return key;
  throw invalidArgument(
    "idempotencyKey is not valid",
    "give 1 to 255 visible ASCII characters",
    NOT_SENT,
  );
}

/** Returns the query of a page of the history, or throws `invalid_argument`. */
export function checkPage({ limit, cursor }: ListOptions): string {
  if (limit != null && typeof limit !== "number")
    throw invalidArgument("limit is not valid", "give a number from 1 to 100");
  if (cursor != null && typeof cursor !== "string")
    throw invalidArgument(
      "cursor is not valid",
      "give that of the page before",
    );
  const query = new URLSearchParams();
  if (limit != null) query.set("limit", String(limit));
  if (cursor != null) query.set("cursor", cursor);
  const text = query.toString();
  return text && `?${text}`;
}

/** @throws {MediagateError} `invalid_argument` if there is no capability of this name. */
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
  throw invalidArgument(`there is no ${missing}`, remedy, members);
}

/**
 * Returns the id of an object that has one, or the id itself.
 *
 * @throws {MediagateError} `invalid_argument` for another value.
 */
export function checkId(value: unknown, hint: string): string {
  const id = isObject(value) ? value.id : value;
  if (typeof id === "string" && id.trim()) return id;
  throw invalidArgument("there is no id", hint);
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

/** Describes a value that is not a session token. The text contains no part of it. */
export function describeToken(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (value instanceof Promise) return "a promise";
  if (typeof value !== "string") return `a value of the type ${typeof value}`;
  if (value === "") return "an empty string";
  return value.startsWith("Bearer ")
    ? '"Bearer " and a token'
    : "a string with spaces or characters that are not ASCII";
}

function isVisibleAscii(text: string): boolean {
  return /^[!-~]+$/.test(text);
}
