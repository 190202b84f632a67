// The entry for browsers: the wasm is a file beside this one.

import { begin, open } from "./client.js";

export {
  capabilities,
  decodeEnvelope,
  isMediagateError,
  MediagateError,
  validate,
} from "./client.js";

// Bundlers find the file by this expression, which must be written exactly like this, and once. It is in a function
// because `import.meta.url` is not a URL where a bundler writes a classic script.
const file = () => new URL("./dist/mediagate_bg.wasm", import.meta.url);

/** @type {typeof import("./index.js").load} */
export const load = (source = file) => begin(source);
/** @type {typeof import("./index.js").connect} */
export const connect = (options) => open(load(), options);
