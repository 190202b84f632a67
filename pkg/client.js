// Shared by all entries, which differ in where the wasm comes from. Importing this fetches nothing.

// Imported by name, so that bundlers drop the exports that are not used.
import {
  validate as check,
  connect,
  decodeEnvelope as decode,
  initSync,
  install,
  Media,
  capabilities as paths,
  Task,
} from "./dist/mediagate.js";
import { createError, isMediagateError, MediagateError } from "./error.js";

export { isMediagateError, MediagateError };

/**
 * @typedef {import("./index.js").WasmSource} WasmSource
 * @typedef {import("./index.js").ConnectOptions} ConnectOptions
 * @typedef {import("./index.js").MiddlewareRequest} MiddlewareRequest
 * @typedef {import("./index.js").CapabilityInfo} CapabilityInfo
 * @typedef {import("./dist/mediagate.js").Network} Network
 * @typedef {import("./dist/mediagate.js").WasmTask} WasmTask
 */

/** @type {Promise<void> | undefined} */
let loading;
let ready = false;

/**
 * Loads the wasm from a source, or from the result of a function. The first call of any entry loads it, once.
 *
 * @param {unknown} source
 */
export function begin(source) {
  loading ??= instantiate(source).catch((error) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

/**
 * @param {Promise<void>} loaded
 * @param {ConnectOptions} options
 */
export async function open(loaded, options) {
  await loaded;
  const { fetch, middleware, logger } = options ?? {};
  return connect(fetch || middleware || logger ? { ...options, network: network(options) } : options);
}

/**
 * The function that the wasm calls in the place of `fetch`: `fetch` within `middleware` within `logger`.
 *
 * @param {ConnectOptions} options
 * @returns {Network}
 */
function network({ fetch: custom, middleware, logger }) {
  const hooks = /** @type {unknown[]} */ ([custom, middleware])
    .filter(Boolean)
    .concat(logger ? [logger.debug, logger.warn] : []);
  if (hooks.some((it) => typeof it !== "function")) {
    throw createError("invalid_argument", "fetch and middleware must be functions, and a logger has debug and warn");
  }
  /** @type {Network} */
  const send = (url, init) => (custom ?? fetch)(url, init);
  /**
   * @param {((request: MiddlewareRequest, next: () => Promise<Response>) => Promise<Response>) | undefined} run
   * @param {Network} next
   * @returns {Network}
   */
  const wrap = (run, next) =>
    run ? (url, init, capability) => run({ url, ...init, capability }, next.bind(null, url, init, capability)) : next;
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
    const details = { method, url, capability, milliseconds: Date.now() - start, ...more };
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

/** @type {typeof import("./index.js").validate} */
export const validate = (name, input) => loaded(check)(name, input);
/** @type {typeof import("./index.js").capabilities} */
export const capabilities = () => loaded(paths)().map(describe);
/** @type {(status: number, text: string, name?: import("./index.js").CapabilityName) => any} */
export const decodeEnvelope = (status, text, name) => loaded(decode)(status, text, name);

/**
 * @template Work
 * @param {Work} work
 */
function loaded(work) {
  if (ready) return work;
  throw createError("not_loaded", "not loaded yet; await load() or connect() first");
}

/** @param {any} input */
async function instantiate(input) {
  let place = "its place";
  try {
    const source = await (typeof input === "function" ? input() : input);
    place = source.url || source.href || (typeof source === "string" ? source : place);
    initSync({ module: await compile(source) });
  } catch (cause) {
    if (isMediagateError(cause)) throw cause;
    throw createError("load_failed", remedy(String(cause), String(place)), cause);
  }
  install(MediagateError);
  ready = true;
  addMembers(Media.prototype, Task.prototype);
}

// Not `compileStreaming`: it would save a millisecond, and fails where the server does not send the media type.
/** @param {any} source */
async function compile(source) {
  if (source instanceof WebAssembly.Module) return source;
  const remote = typeof source === "string" || source.href || source instanceof Request;
  const response = remote ? await fetch(source) : source;
  return WebAssembly.compile(await (response.arrayBuffer?.() ?? response));
}

// The names come from the catalogue in the wasm, so that a new capability needs no line here.
/**
 * @param {any} media
 * @param {any} task
 */
function addMembers(media, task) {
  for (const { name, method } of capabilities()) {
    /**
     * @this {import("./index.js").Media}
     * @param {any} input
     * @param {import("./index.js").CreateOptions} [options]
     */
    media[method] = function (input, options) {
      return this.create(name, input, options);
    };
  }
  for (const member of /** @type {(keyof import("./index.js").TaskSnapshot)[]} */ ([
    "id",
    "capability",
    "state",
    "progress",
    "outputs",
    "raw",
  ])) {
    Object.defineProperty(task, member, {
      get() {
        return this.snapshot[member];
      },
    });
  }
  // The lease keeps the stream open between two steps of the loop; leaving the loop closes it.
  task[Symbol.asyncIterator] = task.updates = /**
   * @this {WasmTask}
   * @param {import("./index.js").CallOptions} [options]
   */ async function* (options) {
    const lease = this.lease();
    try {
      let update;
      while (true) {
        update = await this.next(update, options);
        if (!update) return;
        yield update;
      }
    } finally {
      lease.free();
    }
  };
}

/**
 * @param {string} path
 * @returns {CapabilityInfo}
 */
function describe(path) {
  const [group, medium, name] = path.split("/").slice(-3);
  return /** @type {any} */ ({
    name,
    method: name.replace(/_(.)/g, (_, letter) => letter.toUpperCase()),
    group,
    medium,
    path,
  });
}

/**
 * @param {string} cause
 * @param {string} place
 */
function remedy(cause, place) {
  // The messages are those of Chrome and Safari, of Firefox, and of platforms that do not compile at run time.
  if (/unsafe-eval|by CSP/.test(cause)) {
    return "the page's Content-Security-Policy blocks WebAssembly; add 'wasm-unsafe-eval' to its script-src";
  }
  if (/embedder/.test(cause)) {
    return "this platform compiles no bytes; give load() the module of mediagate/mediagate.wasm";
  }
  return place.includes("/.vite/")
    ? `Vite's optimiser left the WebAssembly behind; add optimizeDeps: { exclude: ["mediagate"] } to its config`
    : `no WebAssembly at ${place}; serve mediagate/mediagate.wasm there, allow it in the CSP's connect-src, give load() its URL or bytes, or import "mediagate/inline"`;
}
