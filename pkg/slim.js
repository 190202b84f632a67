// The entry without wasm: `load` needs its place.

import { begin, open } from "./client.js";
import { createError } from "./error.js";

export {
  capabilities,
  decodeEnvelope,
  isMediagateError,
  MediagateError,
  validate,
} from "./client.js";

const none = () => {
  const message =
    "mediagate/slim brings no WebAssembly; give load() the URL, bytes or module of mediagate/mediagate.wasm first";
  throw createError("not_loaded", message);
};

/** @type {typeof import("./index.js").load} */
export const load = (source = none) => begin(source);
/** @type {typeof import("./index.js").connect} */
export const connect = (options) => open(load(), options);
