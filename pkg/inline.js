// The entry for a page that cannot load a file beside its script: the wasm is inside, as compressed base64, which is a
// third larger. It needs the same Content-Security-Policy as the other entries.

import { begin, open } from "./client.js";
import packed from "./dist/inline.js";

export { capabilities, decodeEnvelope, isMediagateError, MediagateError, validate } from "./client.js";

const unpacked = () => {
  const bytes = Uint8Array.from(atob(packed), (it) => it.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream, { headers: { "content-type": "application/wasm" } });
};

/** @type {typeof import("./index.js").load} */
export const load = (source = unpacked) => begin(source);
/** @type {typeof import("./index.js").connect} */
export const connect = (options) => open(load(), options);
