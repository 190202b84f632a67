// The entry for Node, Deno and Bun. Their `fetch` does not read files.

import { readFile } from "node:fs/promises";
import { entry } from "./entry.js";
import type * as index from "./index.js";
import { type Loadable, ownWasm, type WasmSource } from "./loading.js";

export { capabilities } from "./client.js";
export * from "./exports.js";

// Next.js puts a URL of its site there, which `readFile` refuses. The copy of the wasm is used
// then.
const file = () => new URL("./wasm/mediagate_bg.wasm", import.meta.url);
const functions = entry(() => ownWasm(file, readFile));

export const { connect, decodeEnvelope, validate } = functions;
export const load: typeof index.load = (source, options) =>
  functions.load(source && read(source), options);

/** Returns the bytes of a file instead of its URL. */
async function read(source: WasmSource): Promise<Loadable> {
  const loadable = await source;
  const isFile = loadable instanceof URL && loadable.protocol === "file:";
  // If the file is missing, the error of the load names its URL.
  return isFile ? readFile(loadable).catch(() => loadable) : loadable;
}
