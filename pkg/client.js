// What all entries share; they differ in where the wasm comes from. Nothing is fetched when this is imported.

// By name: bundlers drop what no name asks for.
import { Media, Task, capabilities as paths, connect, decodeEnvelope as decode, initSync, install, validate as check } from "./dist/mediagate.js";
import { MediagateError, isMediagateError } from "./error.js";

export { MediagateError, isMediagateError };

let loading;
let ready;

/** Loads the wasm from a source, or from what a function gives; once, whichever entry is first. */
export function begin(source) {
  return (loading ??= instantiate(source).catch((error) => {
    loading = undefined;
    throw error;
  }));
}

export async function open(loaded, options) {
  await loaded;
  const { fetch, middleware, logger } = options ?? {};
  return connect(fetch || middleware || logger ? { ...options, network: network(options) } : options);
}

/** What the wasm asks in the place of `fetch`. */
function network({ fetch: given, middleware, logger }) {
  const hooks = [given, middleware].filter(Boolean).concat(logger ? [logger.debug, logger.warn] : []);
  if (hooks.some((it) => typeof it != "function")) {
    const message = "fetch and middleware are functions, and a logger has debug and warn; give such";
    throw new MediagateError({ code: "invalid_argument", message });
  }
  const send = (url, init) => (given ?? fetch)(url, init);
  const around = (run, next) =>
    run ? (url, init, capability) => run({ url, ...init, capability }, next.bind(null, url, init, capability)) : next;
  return around(logger && log.bind(logger), around(middleware, send));
}

/** A middleware that tells its `this` of each request: where it went, without a query, and how it ended. */
async function log({ url, method, capability }, next) {
  const began = Date.now();
  const tell = (level, ended, end) => {
    [url] = url.split("?");
    const details = { method, url, capability, milliseconds: Date.now() - began, ...end };
    // What a logger throws, at once or later, must not cost the answer.
    Promise.resolve().then(() => this[level](`mediagate: ${method} ${url} ${ended}`, details)).catch(() => {});
  };
  let answer;
  try {
    answer = await next();
  } catch (error) {
    tell("warn", "failed", { error });
    throw error;
  }
  tell("debug", answer?.status, { status: answer?.status, requestId: answer?.headers?.get?.("x-request-id") ?? undefined });
  return answer;
}

export const validate = (name, input) => loaded(check)(name, input);
export const capabilities = () => loaded(paths)().map(described);
export const decodeEnvelope = (status, text, name) => loaded(decode)(status, text, name);

function loaded(work) {
  if (ready) return work;
  throw new MediagateError({ code: "not_loaded", message: "not loaded yet; await load() or connect() first" });
}

async function instantiate(source) {
  let at = "its place";
  try {
    source = await (typeof source == "function" ? source() : source);
    at = source.url || source.href || (typeof source == "string" ? source : at);
    initSync({ module: await compiled(source) });
  } catch (cause) {
    if (isMediagateError(cause)) throw cause;
    throw new MediagateError({ code: "load_failed", message: remedy(String(cause), String(at)), cause });
  }
  install(MediagateError);
  ready = true;
  complete(Media.prototype, Task.prototype);
}

// Not while it arrives: that would save a millisecond, and want a server that names the type.
async function compiled(source) {
  if (source instanceof WebAssembly.Module) return source;
  const remote = typeof source == "string" || source.href || source instanceof Request;
  const answer = remote ? await fetch(source) : source;
  return WebAssembly.compile(await (answer.arrayBuffer?.() ?? answer));
}

// The names come from the catalogue in the wasm: a new capability needs no line here.
function complete(media, task) {
  for (const { name, method } of capabilities()) {
    media[method] = function (input, options) {
      return this.create(name, input, options);
    };
  }
  for (const member of ["id", "capability", "state", "progress", "outputs", "raw"]) {
    Object.defineProperty(task, member, {
      get() {
        return this.snapshot[member];
      },
    });
  }
  // Between two pulls the stream stays open; leaving the loop ends it.
  task[Symbol.asyncIterator] = task.updates = async function* (options) {
    const hold = this.hold();
    try {
      for (let update; (update = await this.next(update, options)); ) yield update;
    } finally {
      hold.free();
    }
  };
}

function described(path) {
  const [group, medium, name] = path.split("/").slice(-3);
  return { name, method: name.replace(/_(.)/g, (_, letter) => letter.toUpperCase()), group, medium, path };
}

function remedy(cause, at) {
  // In the words of Chrome and Safari, of Firefox, and of platforms that compile ahead of time alone.
  if (/unsafe-eval|by CSP/.test(cause)) {
    return "the page's Content-Security-Policy blocks WebAssembly; add 'wasm-unsafe-eval' to its script-src";
  }
  if (/embedder/.test(cause)) {
    return "this platform compiles no bytes; give load() the module that it makes of mediagate/mediagate.wasm";
  }
  return at.includes("/.vite/")
    ? `Vite's optimiser left the WebAssembly behind; add optimizeDeps: { exclude: ["mediagate"] } to its config`
    : `no WebAssembly at ${at}; serve mediagate/mediagate.wasm there, allow it in the CSP's connect-src, give load() its URL or bytes, or import "mediagate/inline"`;
}
