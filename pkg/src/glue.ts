// The functions of the wasm that the package uses. A bundler drops the others, such as the loader
// of the glue.

export {
  afterRestart,
  Client,
  decodeEnvelope,
  initSync,
  restart,
  validate,
} from "./wasm/mediagate.js";
