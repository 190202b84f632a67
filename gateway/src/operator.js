// What decides in the commands of an operator: Rust, as wasm. Its errors are texts.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Failure } from "./failure.js";
import { DIST } from "./package.js";

let loading;

/** The wasm's exports, loaded once. */
export const operator = () => (loading ??= load());

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
 * What the function returns.
 *
 * @template T
 * @param {() => T} work
 * @returns {T}
 * @throws {Failure} with the text that it has thrown
 */
export function decided(work) {
  try {
    return work();
  } catch (error) {
    if (typeof error === "string") throw new Failure(error);
    throw error;
  }
}
