// The entry for Node, Deno and Bun, where `fetch` does not read files.

import { readFile } from "node:fs/promises";
import { begin, open } from "./client.js";
import { unpacked } from "./unpacked.js";

export {
  capabilities,
  decodeEnvelope,
  isMediagateError,
  MediagateError,
  validate,
} from "./client.js";

const file = () => new URL("./dist/mediagate_bg.wasm", import.meta.url);

/**
 * The file; where a bundler has put a URL of its site there, which a server cannot open, the wasm of `mediagate/inline`.
 * Next does so: Turbopack for server components, webpack for all of a server.
 */
async function own() {
  const url = file();
  return url.protocol === "file:"
    ? url
    : unpacked((await import("./dist/inline.js")).default);
}

/** @type {typeof import("./index.js").load} */
export const load = (source = own) =>
  begin(async () =>
    read(await (typeof source === "function" ? source() : source)),
  );
/** @type {typeof import("./index.js").connect} */
export const connect = (options) => open(load(), options);

/** @param {any} source */
const read = (source) =>
  source?.protocol === "file:"
    ? { url: source.href, arrayBuffer: () => readFile(source) }
    : source;
