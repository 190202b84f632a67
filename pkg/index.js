// The entry. It fetches nothing when it is imported; the wasm is loaded once, on the first `connect` or `load`.

import start, * as wasm from "./dist/mediagate.js";
import { MediagateError, isMediagateError } from "./error.js";

export { MediagateError, isMediagateError };

let loading;

export function load(source) {
  loading ??= instantiate(source).catch((error) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

export async function connect(options) {
  await load();
  return wasm.connect(options);
}

export const validate = loaded((...given) => wasm.validate(...given));
export const capabilities = loaded(() => wasm.capabilities());
export const decodeEnvelope = loaded((...given) => wasm.decodeEnvelope(...given));

// Bundlers find the file by this expression, and only where it is written exactly so, once.
async function instantiate(source = new URL("./dist/mediagate_bg.wasm", import.meta.url)) {
  try {
    await start({ module_or_path: source });
  } catch (cause) {
    throw new MediagateError(explain(String(cause), source), { code: "load_failed", retryable: false, cause });
  }
  wasm.install(MediagateError);
  complete(wasm.Media.prototype, wasm.Task.prototype);
}

// The names come from the catalogue in the wasm: a new capability needs no line here.
function complete(media, task) {
  for (const { name, method } of wasm.capabilities()) {
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
  // Nothing runs between two pulls, so leaving the loop leaves no timer behind.
  task.updates = async function* (options) {
    for (let update; (update = await this.next(update, options)); ) yield update;
  };
  task[Symbol.asyncIterator] = task.updates;
}

function loaded(pure) {
  return (...given) => {
    if (!loading) throw new MediagateError("not loaded yet; await load() or connect() first", { code: "not_loaded", retryable: false });
    return pure(...given);
  };
}

function explain(cause, source) {
  return /unsafe-eval|CSP|Content.Security/i.test(cause)
    ? "the page's Content-Security-Policy blocks WebAssembly; add 'wasm-unsafe-eval' to its script-src"
    : `the WebAssembly file was not loaded from ${source}; serve it there, or give load() its URL or bytes (Vite: optimizeDeps.exclude: ["mediagate"])`;
}
