// The entry for a page that cannot load a file beside its script: the wasm is inside. It needs the same
// Content-Security-Policy as the other entries.

import { begin, open } from "./client.js";
import packed from "./dist/inline.js";
import { unpacked } from "./unpacked.js";

export {
  capabilities,
  decodeEnvelope,
  isMediagateError,
  MediagateError,
  validate,
} from "./client.js";

/** @type {typeof import("./index.js").load} */
export const load = (source = () => unpacked(packed)) => begin(source);
/** @type {typeof import("./index.js").connect} */
export const connect = (options) => open(load(), options);
