// The entry for Cloudflare Workers, which do not compile bytes: the bundle has the compiled module.

import { begin, open } from "./client.js";
import module from "./dist/mediagate_bg.wasm";

export { capabilities, decodeEnvelope, isMediagateError, MediagateError, validate } from "./client.js";

export const load = (source = module) => begin(source);
export const connect = (options) => open(load(), options);
