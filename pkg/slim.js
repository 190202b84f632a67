// The entry without wasm: `load` needs its place.

import { begin, MediagateError, open } from "./client.js";

export { capabilities, decodeEnvelope, isMediagateError, MediagateError, validate } from "./client.js";

const none = () => {
  const message =
    "mediagate/slim brings no WebAssembly; give load() the URL, bytes or module of mediagate/mediagate.wasm first";
  throw new MediagateError({ code: "not_loaded", message });
};

export const load = (source = none) => begin(source);
export const connect = (options) => open(load(), options);
