import type { WasmSource } from "./index.js";

/** What the platform or the bundler makes of the file: its URL, its bytes or the compiled module. `load` accepts each. */
declare const source: WasmSource;
export default source;
