// What callers pass, checked: options, and the sources of uploads. No value, however hostile, does more than be an error.

import { copy } from "./dist/copy.js";
import { aborted, fail } from "./dist/driver.js";
import { randomKey } from "./dist/page.js";
import {
  attempt,
  BLOB,
  kindOf,
  NULL,
  NUMBER,
  OBJECT,
  read,
  sizeOf,
  TEXT,
} from "./dist/values.js";
import { errorWith, isMediagateError } from "./error.js";

/** The longest timeout that platforms support, in milliseconds; a longer one fires at once. */
const MAX_TIMEOUT = 2 ** 31 - 1;

/**
 * @param {string} message
 * @param {object} [more] members
 */
export const invalid = (message, more) =>
  errorWith({ code: "invalid_argument", message, ...more });

/** The most retries, as the wasm counts them. */
const MAX_RETRIES = 2 ** 30;

/** @typedef {import("./dist/driver.js").Limits} Limits */

/**
 * The limits of options: `signal`, `timeout` in milliseconds, `maxRetries`, `onRetry`.
 *
 * @param {unknown} options
 * @param {Limits} [defaults] those of `connect`
 * @param {object} [more] members of the errors
 * @returns {Limits}
 * @throws {MediagateError} for options that are not valid, and where the signal is aborted
 */
export function limits(options, defaults = {}, more) {
  if (![NULL, OBJECT].includes(kindOf(options)))
    throw invalid(
      "the options are not an object; give one such as { signal }",
      more,
    );
  const signal = read(options, "signal") ?? undefined;
  const or = (/** @type {string} */ name, /** @type {any} */ other) => {
    const own = read(options, name);
    return own === undefined ? other : own;
  };
  const [timeout, maxRetries] = [
    or("timeout", defaults.timeout),
    or("maxRetries", defaults.maxRetries),
  ];
  const onRetry = or("onRetry", defaults.onRetry);
  if (timeout !== undefined && !(typeof timeout === "number" && timeout > 0))
    throw invalid("timeout is not a positive number; give milliseconds", more);
  if (
    maxRetries !== undefined &&
    !(typeof maxRetries === "number" && maxRetries >= 0)
  )
    throw invalid(
      "maxRetries is not a number from 0 on; give 0 for no retries",
      more,
    );
  if (onRetry !== undefined && typeof onRetry !== "function")
    throw invalid(
      "onRetry is not a function; give one that takes { attempt, milliseconds, error }",
      more,
    );
  if (signal !== undefined && read(signal, "addEventListener") === undefined)
    throw invalid(
      "signal is not an AbortSignal; give the signal of an AbortController",
      more,
    );
  if (read(signal, "aborted")) throw errorWith({ ...aborted(signal), ...more });
  return {
    signal,
    timeout: Number.isFinite(timeout)
      ? Math.min(timeout, MAX_TIMEOUT)
      : undefined,
    maxRetries:
      maxRetries === undefined
        ? undefined
        : Math.min(Math.floor(maxRetries), MAX_RETRIES),
    onRetry,
  };
}

/**
 * @param {unknown} options
 * @param {object} more members of the errors
 * @returns {string} the caller's, or a random one
 * @throws {MediagateError}
 */
export function idempotencyKey(options, more) {
  const given = read(options, "idempotencyKey");
  const key = given === undefined ? randomKey() : given;
  if (key === undefined)
    throw invalid(
      "this platform has no crypto for a random key; give an idempotencyKey",
      more,
    );
  if (typeof key !== "string" || !/^[!-~]{1,255}$/.test(key))
    throw invalid(
      "idempotencyKey is not 1 to 255 visible ASCII characters",
      more,
    );
  return key;
}

/**
 * Which page of a list is requested, as a query: `limit`, the most entries, and the `cursor` of the page before.
 *
 * @param {unknown} options
 * @throws {MediagateError}
 */
export function page(options) {
  const query = new URLSearchParams();
  for (const [name, type, remedy] of /** @type {const} */ ([
    ["limit", NUMBER, "give a number from 1 to 100"],
    ["cursor", TEXT, "give that of the page before"],
  ])) {
    const value = read(options, name);
    if (kindOf(value) === type) query.set(name, String(value));
    else if (kindOf(value) !== NULL)
      throw invalid(`${name} is not valid; ${remedy}`);
  }
  return `?${query}`.replace(/\?$/, "");
}

/**
 * The id of what has one, or the id itself.
 *
 * @param {unknown} value
 * @param {string} message of the error
 * @returns {string}
 * @throws {MediagateError}
 */
export function idOf(value, message) {
  const id = read(value, "id") ?? value;
  if (typeof id === "string" && id.trim()) return id;
  throw invalid(message);
}

/**
 * The options of `connect`: the gateway's URL without a slash at its end, the token or a function for it, the function for
 * the response of a Turnstile widget, and the one in the place of `fetch`.
 *
 * @template Network
 * @param {any} options
 * @param {(hooks: any) => Network} network makes the last of the caller's hooks
 * @throws {MediagateError} also where a getter of the options throws
 */
export function connection(options, network) {
  try {
    const { url, token, turnstile, fetch, middleware, logger } = options ?? {};
    // What throws here is an error, as it is for the others.
    void [options?.signal, options?.timeout];
    const base = baseUrl(url);
    if (!base)
      throw invalid(
        "connect needs the gateway's whole url, such as https://media.example.com: no query, no user",
      );
    if (turnstile !== undefined && typeof turnstile !== "function")
      throw invalid(
        "turnstile is not a function; give one that returns the widget's response",
      );
    if (
      token !== undefined &&
      typeof token !== "function" &&
      !(typeof token === "string" && /^[!-~]+$/.test(token))
    )
      throw invalid(
        "token is neither a session token nor a function that returns one; leave it out for an anonymous session",
      );
    return {
      base,
      token,
      turnstile,
      network: network({ fetch, middleware, logger }),
    };
  } catch (cause) {
    throw isMediagateError(cause)
      ? cause
      : invalid("the options cannot be read", { cause });
  }
}

/**
 * The URL of a string or a `URL`, without a slash at its end; `undefined` for any scheme but http and https, for none,
 * and for a URL with a query, a fragment or a user.
 *
 * @param {unknown} url
 */
function baseUrl(url) {
  const text = typeof url === "string" ? url : read(url, "href");
  const href =
    typeof text === "string" ? attempt(() => new URL(text).href) : undefined;
  return href && /^https?:[^?#@]*$/.test(href)
    ? href.replace(/\/$/, "")
    : undefined;
}

/**
 * A copy of what a task is restored from, without any code of the caller's in it.
 *
 * @param {unknown} saved
 */
export function savedTask(saved) {
  if (kindOf(saved) !== OBJECT) return copy(saved);
  const [id, capability, result] = ["id", "capability", "result"].map((it) =>
    copy(read(saved, it), 64),
  );
  return { id, capability, result };
}

const EMPTY = "the file is empty; give one with at least one byte";

/** @typedef {(promise: number, file: Blob) => void} Send */

/**
 * What is uploaded: the name and the type of what is read first, the subscriber to the progress, and a function that sends
 * what was read; `undefined` for a file, which need not be read.
 *
 * @param {any} source
 * @param {any} options
 * @throws {MediagateError} for any other source, an empty one, and a subscriber that is not a function
 */
export function source(source, options) {
  const progress = read(options, "onProgress");
  if (progress !== undefined && typeof progress !== "function")
    throw invalid(
      "onProgress is not a function; give one that takes { loaded, total }",
    );
  if (kindOf(source) === BLOB) {
    if (!sizeOf(source)) throw invalid(EMPTY);
    return { name: "", type: "", progress };
  }
  const isStream = typeof read(source, "getReader") === "function";
  if (!isStream && !Number.isFinite(read(source, "byteLength")))
    throw invalid("upload takes a File, a Blob, bytes or a ReadableStream");
  const [name, type] = ["name", "type"]
    .map((it) => read(options, it))
    .map((it) => (typeof it === "string" ? it : ""));
  return { name, type, progress, read: sender(isStream) };
}

/** @param {boolean} isStream */
const sender =
  (isStream) =>
  (/** @type {number} */ promise, /** @type {Send} */ send) =>
  (/** @type {boolean} */ hasThrown, /** @type {any} */ value) => {
    if (!hasThrown && value.size) return send(promise, value);
    const cause = hasThrown ? value : undefined;
    const [message, hint] = [
      "the stream broke, or is locked by another reader",
      "give a new stream",
    ];
    if (hasThrown && isStream)
      fail(promise, errorWith({ code: "upload_failed", message, hint, cause }));
    else
      fail(
        promise,
        invalid(hasThrown ? "the bytes cannot be read" : EMPTY, { cause }),
      );
  };
