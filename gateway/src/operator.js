// The decisions in an operator's commands, which are made in Rust and compiled to wasm. Errors of
// the wasm are strings.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Failure } from "./failure.js";
import { DIST } from "./package.js";

let loading;

export const loadOperator = () => (loading ??= load());

async function load() {
  if (!existsSync(join(DIST, "operator")))
    throw new Failure("the gateway is not built; run `cargo xtask build`");
  const exports = await import("../dist/operator/operator.js");
  exports.initSync({
    module: await readFile(join(DIST, "operator/operator_bg.wasm")),
  });
  return exports;
}

/**
 * Returns the result of a function of the wasm.
 *
 * @template T
 * @param {() => T} work
 * @returns {T}
 * @throws {Failure} with the string that the function has thrown
 */
export function callWasm(work) {
  try {
    return work();
  } catch (error) {
    if (typeof error === "string") throw new Failure(error);
    throw error;
  }
}
