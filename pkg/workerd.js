// The entry for Cloudflare Workers, where bytes cannot be compiled: the bundle brings the module.

import module from "./dist/mediagate_bg.wasm";
import { begin, open } from "./client.js";

export { MediagateError, capabilities, decodeEnvelope, isMediagateError, validate } from "./client.js";

export const load = (source = module) => begin(source);
export const connect = (options) => open(load(), options);
