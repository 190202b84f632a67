// Counts what the client's wasm does, on the very bytes that ship: nothing here depends on how fast the machine is.
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const SHIPPED = fileURLToPath(new URL("../../../pkg/dist/mediagate_bg.wasm", import.meta.url));
const WASM_OPT = fileURLToPath(new URL("../../../node_modules/binaryen/bin/wasm-opt", import.meta.url));
// What the shipped wasm may hold; all that binaryen knows would also turn on encodings that nobody reads yet.
const FEATURES = ["bulk-memory", "bulk-memory-opt", "multivalue", "mutable-globals", "nontrapping-float-to-int", "reference-types", "sign-ext"];

/** The client's wasm with a call of `log_execution` at each function's entry, loop's turn and return. */
export async function instrumented() {
  const folder = await mkdtemp(join(tmpdir(), "mediagate-bench-"));
  const file = join(folder, "counted.wasm");
  try {
    await promisify(execFile)(process.execPath, [WASM_OPT, SHIPPED, ...FEATURES.map((it) => `--enable-${it}`), "--log-execution", "-o", file]);
    return await readFile(file);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/**
 * Counts from now on, in every module that is loaded after this.
 *
 * @returns {{ crossings: number, steps: number, memory: () => number }} `crossings` are calls between JavaScript and
 *   wasm, either way; `memory` is the wasm's, in bytes
 */
export function startCounting() {
  const counts = { crossings: 0, steps: 0, memory: () => 0 };
  const { Instance } = WebAssembly;
  const crossing = (members) => Object.fromEntries(Object.entries(members).map(([name, it]) => [name, typeof it == "function" ? counted(it) : it]));
  const counted = (work) =>
    function (...values) {
      counts.crossings++;
      return work.apply(this, values);
    };
  WebAssembly.Instance = function (module, imports) {
    // binaryen imports its hook from whichever module the wasm imports from.
    const wrap = ([name, members]) => [name, { ...crossing(members), log_execution: () => counts.steps++ }];
    const { exports } = new Instance(module, Object.fromEntries(Object.entries(imports).map(wrap)));
    counts.memory = () => exports.memory.buffer.byteLength;
    return { exports: crossing(exports) };
  };
  return counts;
}
