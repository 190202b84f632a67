// The entry for Node, Deno and Bun, where `fetch` does not read files.

import { readFile } from "node:fs/promises";
import { begin, open } from "./client.js";

export { capabilities, decodeEnvelope, isMediagateError, MediagateError, validate } from "./client.js";

const file = () => new URL("./dist/mediagate_bg.wasm", import.meta.url);

/** @type {typeof import("./index.js").load} */
export const load = (source = file) => begin(() => read(typeof source === "function" ? source() : source));
/** @type {typeof import("./index.js").connect} */
export const connect = (options) => open(load(), options);

/** @param {any} source */
const read = (source) =>
  source?.protocol === "file:" ? { url: source.href, arrayBuffer: () => readFile(source) } : source;
