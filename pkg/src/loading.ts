import {
  type ErrorMembers,
  isMediagateError,
  MediagateError,
} from "./error.js";
import { checkGlobals } from "./globals.js";
import { Instance, type Wasm } from "./instance.js";

export type WasmSource = Loadable | Promise<Loadable>;

/**
 * The WebAssembly in any form: its URL, a request for it, a response with it, its bytes, or the
 * compiled module.
 */
export type Loadable =
  | string
  | URL
  | Request
  | Response
  | ArrayBuffer
  | ArrayBufferView
  | (CompiledModule & object);

/** A compiled module: the platform's `WebAssembly.Module`, if its types are there. */
export type CompiledModule = typeof globalThis extends {
  WebAssembly: { Module: { prototype: infer Module } };
}
  ? Module
  : object;

const NEEDED = [
  "WebAssembly",
  "TextDecoder",
  "TextEncoder",
  "AbortController",
  "Blob",
  "File",
  "Headers",
  "Request",
  "Response",
  "URL",
  "WeakRef",
];

let loading: Promise<Wasm> | undefined;
let current: Instance | undefined;

/**
 * Loads the wasm, or returns the loaded instance: then the source is ignored. After a crash, a new
 * instance is loaded. A failed load can be repeated.
 *
 * @internal
 * @throws {MediagateError} `load_failed`, and errors of a source that is a function.
 */
export async function loadInstance(
  source: WasmSource | (() => WasmSource),
): Promise<Instance> {
  loading ??= instantiate(source).catch((error) => {
    loading = undefined;
    throw error;
  });
  const wasm = await loading;
  if (current?.hasCrashed) {
    // `restart` only schedules the new instance, and the next call makes it. That call must not
    // pass a string.
    wasm.restart();
    wasm.afterRestart();
  }
  if (!current || current.hasCrashed) current = new Instance(wasm);
  return current;
}

async function instantiate(
  given: WasmSource | (() => WasmSource),
): Promise<Wasm> {
  let place = "its place";
  const compiled = async () => {
    const source = await (typeof given === "function" ? given() : given);
    place = placeOf(source) ?? place;
    return compile(source);
  };
  checkGlobals(NEEDED);
  try {
    // The import of the script has effects, such as a new TextDecoder, so it happens here.
    const [module, wasm] = await Promise.all([compiled(), import("./glue.js")]);
    wasm.initSync({ module });
    return wasm;
  } catch (cause) {
    if (isMediagateError(cause)) throw cause;
    const explained = explain(String(cause), place);
    throw new MediagateError({ code: "load_failed", ...explained, cause });
  }
}

function placeOf(source: Loadable): string | undefined {
  if (typeof source === "string") return source;
  const { url, href } = source as { url?: string; href?: string };
  return url || href;
}

async function compile(source: Loadable): Promise<WebAssembly.Module> {
  if (source instanceof WebAssembly.Module) return source;
  const isRemote =
    typeof source === "string" ||
    source instanceof URL ||
    source instanceof Request;
  const loaded = isRemote ? await fetch(source) : source;
  const bytes =
    loaded instanceof Response ? await loaded.arrayBuffer() : loaded;
  // Not `compileStreaming`: it saves a millisecond, and fails if the server sends no media type.
  return WebAssembly.compile(bytes as ArrayBuffer);
}

function explain(
  cause: string,
  place: string,
): Pick<ErrorMembers, "message" | "hint"> {
  // The wordings of Chrome and Safari, and of Firefox.
  if (/unsafe-eval|by CSP/.test(cause))
    return {
      message: "the page's Content-Security-Policy blocks WebAssembly",
      hint: "add 'wasm-unsafe-eval' to its script-src",
    };
  // A platform that does not compile at run time, such as Cloudflare Workers.
  if (/embedder/.test(cause))
    return {
      message: "this platform compiles no bytes",
      hint:
        "in Next.js, add mediagate to serverExternalPackages; " +
        "elsewhere, give load() the module of mediagate/mediagate.wasm",
    };
  if ("EdgeRuntime" in globalThis)
    return {
      message: "the edge runtime compiles no bytes",
      hint: 'set the runtime of the route to "nodejs"',
    };
  return {
    message: `no WebAssembly at ${place}`,
    hint:
      "serve mediagate/mediagate.wasm there, allow it in the CSP's connect-src, " +
      'give load() its URL or bytes, or import "mediagate/inline"',
  };
}

/**
 * Returns the wasm of the package: its file, or the copy in the scripts if the file is missing, as
 * in some bundles.
 *
 * @internal
 */
export async function ownWasm(
  file: () => URL,
  read: (url: URL) => Promise<ArrayBuffer | ArrayBufferView>,
): Promise<Loadable> {
  let url: URL | undefined;
  try {
    url = file();
    return await read(url);
  } catch {
    // There is no such file.
  }
  try {
    const { default: packed } = await import("./wasm/inline.js");
    return unpacked(packed);
  } catch (error) {
    // The message of the error names the URL.
    if (url) return url;
    throw error;
  }
}

/**
 * Fetches the file of the wasm.
 *
 * @internal
 * @throws {Error} If there is no such file. A server may send a page instead.
 */
export async function fetchWasm(url: URL): Promise<ArrayBuffer> {
  const response = await fetch(url);
  const bytes = await response.arrayBuffer();
  const magic = new TextDecoder().decode(bytes.slice(0, 4));
  if (magic !== "\0asm") throw new Error(`${url} is not WebAssembly`);
  return bytes;
}

/** Returns the wasm in a script, which is compressed and in base64. @internal */
export function unpacked(packed: string): Response {
  checkGlobals(["DecompressionStream"]);
  const bytes = Uint8Array.from(atob(packed), (char) => char.charCodeAt(0));
  const stream = new Blob([bytes]).stream();
  return new Response(stream.pipeThrough(new DecompressionStream("gzip")));
}
