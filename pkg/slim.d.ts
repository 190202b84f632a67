import type { WasmSource } from "./index.js";

export * from "./index.js";

/**
 * Loads the WebAssembly, once; later calls wait for the first. `connect` and the other functions need it first.
 *
 * @param source - Where it comes from, such as the URL of `mediagate/mediagate.wasm`.
 * @throws {MediagateError} `load_failed`, with a message that says what to change.
 */
export function load(source: WasmSource): Promise<void>;
