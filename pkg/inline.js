// The entry for where no file can stand beside a script: the wasm is inside, compressed, and a third larger for being
// text. Its Content-Security-Policy is that of the others.

import { begin, open } from "./client.js";
import packed from "./dist/inline.js";

export { MediagateError, capabilities, decodeEnvelope, isMediagateError, validate } from "./client.js";

const unpacked = () => {
  const bytes = Uint8Array.from(atob(packed), (it) => it.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream, { headers: { "content-type": "application/wasm" } });
};

export const load = (source = unpacked) => begin(source);
export const connect = (options) => open(load(), options);
