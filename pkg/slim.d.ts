import type { WasmSource } from "./index.js";

export * from "./index.js";

/** Loads the WebAssembly, once, from where it is told. `connect` and the pure functions need it first. */
export function load(source: WasmSource): Promise<void>;
