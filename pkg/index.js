// The entry. It fetches nothing when it is imported; the wasm is loaded once, on the first `connect` or `load`.

import start, * as wasm from "./dist/mediagate.js";
import { MediagateError, isMediagateError } from "./error.js";

export { MediagateError, isMediagateError };

let loading;
let ready;

export function load(source) {
  return (loading ??= instantiate(source).catch((error) => {
    loading = undefined;
    throw error;
  }));
}

export async function connect(options) {
  await load();
  return wasm.connect(options);
}

export const validate = (name, input) => loaded().validate(name, input);
export const capabilities = () => loaded().capabilities().map(described);
export const decodeEnvelope = (status, text, name) => loaded().decodeEnvelope(status, text, name);

function loaded() {
  if (!ready) throw new MediagateError({ code: "not_loaded", message: "not loaded yet; await load() or connect() first" });
  return wasm;
}

// Bundlers find the file by this expression, and only where it is written exactly so, once.
async function instantiate(source = new URL("./dist/mediagate_bg.wasm", import.meta.url)) {
  try {
    await start({ module_or_path: source });
  } catch (cause) {
    throw new MediagateError({ code: "load_failed", message: remedy(String(cause), source), cause });
  }
  wasm.install(MediagateError);
  ready = true;
  complete(wasm.Media.prototype, wasm.Task.prototype);
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
  // Nothing runs between two pulls, so leaving the loop leaves no timer behind.
  task[Symbol.asyncIterator] = task.updates = async function* (options) {
    for (let update; (update = await this.next(update, options)); ) yield update;
  };
}

function described(path) {
  const [group, medium, name] = path.split("/").slice(-3);
  return { name, method: name.replace(/_(.)/g, (_, letter) => letter.toUpperCase()), group, medium, path };
}

function remedy(cause, source) {
  return /unsafe-eval|CSP|Content.Security/i.test(cause)
    ? "the page's Content-Security-Policy blocks WebAssembly; add 'wasm-unsafe-eval' to its script-src"
    : `the WebAssembly did not load from ${source}; serve it there, or give load() its URL or bytes (Vite: optimizeDeps.exclude: ["mediagate"])`;
}
