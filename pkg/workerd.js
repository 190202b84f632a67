// The entry for Cloudflare Workers, which do not compile bytes: the bundle has the compiled module.

import module from "./dist/mediagate_bg.wasm";
import { begin, open } from "./client.js";

export { MediagateError, capabilities, decodeEnvelope, isMediagateError, validate } from "./client.js";

export const load = (source = module) => begin(source);
export const connect = (options) => open(load(), options);
