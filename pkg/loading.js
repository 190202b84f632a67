// Loads the wasm, once for all entries. Importing this fetches nothing.

import { start } from "./dist/driver.js";
import { initSync } from "./dist/mediagate.js";
import { createError, errorWith, isMediagateError } from "./error.js";

/** @type {import("./dist/mediagate.js").Wasm | undefined} */
let exports;

/** The wasm's exports. */
export function wasm() {
  if (exports) return exports;
  throw createError(
    "not_loaded",
    "not loaded yet; await load() or connect() first",
  );
}

/**
 * Loads the wasm from a source, or from the result of a function.
 *
 * @param {any} input
 */
export async function instantiate(input) {
  let place = "its place";
  try {
    const source = await (typeof input === "function" ? input() : input);
    place =
      source.url ||
      source.href ||
      (typeof source === "string" ? source : place);
    exports = initSync({ module: await compile(source) });
  } catch (cause) {
    if (isMediagateError(cause)) throw cause;
    throw createError(
      "load_failed",
      remedy(String(cause), String(place)),
      cause,
    );
  }
  start(exports, errorWith);
}

// Not `compileStreaming`: it would save a millisecond, and fails where the server does not send the media type.
/** @param {any} source */
async function compile(source) {
  if (source instanceof WebAssembly.Module) return source;
  const remote =
    typeof source === "string" || source.href || source instanceof Request;
  const response = remote ? await fetch(source) : source;
  return WebAssembly.compile(await (response.arrayBuffer?.() ?? response));
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
