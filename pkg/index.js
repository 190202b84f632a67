// The entry for browsers: the wasm is a file beside this one.

import { begin, open } from "./client.js";

export { MediagateError, capabilities, decodeEnvelope, isMediagateError, validate } from "./client.js";

// Bundlers find the file by this expression, and only where it is written exactly so, once. It is inside a function
// because a classic script has no URL to begin with.
const file = () => new URL("./dist/mediagate_bg.wasm", import.meta.url);

export const load = (source = file) => begin(source);
export const connect = (options) => open(load(), options);
