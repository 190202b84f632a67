// What runs for each request of the client: the caller's fetch, middleware and logger.

import { invalid } from "./options.js";

/**
 * @typedef {import("./index.js").ConnectOptions} ConnectOptions
 * @typedef {import("./index.js").MiddlewareRequest} MiddlewareRequest
 * @typedef {import("./dist/mediagate.js").Network} Network
 */

/** In the place of a hook that is not set. */
const NONE = {};

/**
 * The functions that were made: a map by `fetch` of maps by `middleware` of maps by `logger`, each as long as its hooks are
 * in use.
 *
 * @type {WeakMap<object, any>}
 */
const made = new WeakMap();

/**
 * The function in the place of `fetch`, the same for the same hooks, so that their clients share what is under way;
 * `undefined` for `fetch` itself.
 *
 * @param {ConnectOptions} options
 * @returns {Network | undefined}
 */
export function network(options) {
  const hooks = [options.fetch, options.middleware, options.logger];
  if (!hooks.some(Boolean)) return undefined;
  const last = hooks.reduce(
    (map, hook) => entry(map, Object(hook || NONE), () => new WeakMap()),
    made,
  );
  return entry(last, NONE, () => wrapped(options));
}

/**
 * What a map has for a key, made where it has nothing.
 *
 * @param {WeakMap<object, any>} map
 * @param {object} key
 * @param {() => any} make
 */
function entry(map, key, make) {
  if (!map.has(key)) map.set(key, make());
  return map.get(key);
}

/**
 * `fetch` within `middleware` within `logger`.
 *
 * @param {ConnectOptions} options
 * @returns {Network}
 */
function wrapped({ fetch: custom, middleware, logger }) {
  const hooks = /** @type {unknown[]} */ ([custom, middleware])
    .filter(Boolean)
    .concat(logger ? [logger.debug, logger.warn] : []);
  if (hooks.some((it) => typeof it !== "function")) {
    throw invalid(
      "fetch and middleware must be functions, and a logger has debug and warn",
    );
  }
  /** @type {Network} */
  const send = (url, init, _capability, transport) =>
    (custom || transport || fetch)(url, init);
  /**
   * @param {((request: MiddlewareRequest, next: () => Promise<Response>) => Promise<Response>) | undefined} run
   * @param {Network} next
   * @returns {Network}
   */
  const wrap = (run, next) =>
    run
      ? (url, init, ...rest) =>
          run(
            { url, ...init, capability: rest[0] },
            next.bind(null, url, init, ...rest),
          )
      : next;
  return wrap(logger && log.bind(logger), wrap(middleware, send));
}

/**
 * A middleware that passes a line for each request to the logger in `this`: its URL without the query, and its end.
 *
 * @type {(this: import("./index.js").Logger, request: MiddlewareRequest, next: () => Promise<Response>) => Promise<Response>}
 */
async function log({ url, method, capability }, next) {
  const start = Date.now();
  /**
   * @param {"debug" | "warn"} level
   * @param {unknown} end
   * @param {Pick<import("./index.js").RequestLog, "status" | "requestId" | "error">} more
   */
  const write = (level, end, more) => {
    [url] = url.split("?");
    const details = {
      method,
      url,
      capability,
      milliseconds: Date.now() - start,
      ...more,
    };
    // A logger that throws or rejects must not fail the request.
    Promise.resolve()
      .then(() => this[level](`mediagate: ${method} ${url} ${end}`, details))
      .catch(() => {});
  };
  let response;
  try {
    response = await next();
  } catch (error) {
    write("warn", "failed", { error });
    throw error;
  }
  write("debug", response?.status, {
    status: response?.status,
    requestId: response?.headers?.get?.("x-request-id") ?? undefined,
  });
  return response;
}
