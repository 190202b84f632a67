// The entry for Cloudflare Workers, which do not compile bytes: the bundle has the compiled module.

import { begin, open } from "./client.js";
import module from "./dist/mediagate_bg.wasm";

export {
  capabilities,
  decodeEnvelope,
  isMediagateError,
  MediagateError,
  validate,
} from "./client.js";

/** @type {typeof import("./index.js").load} */
export const load = (source = module) => begin(source);
/** @type {typeof import("./index.js").connect} */
export const connect = (options) => open(load(), options);
