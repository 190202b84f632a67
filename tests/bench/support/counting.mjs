// Counts the work of the client's wasm, as it ships: independent of the machine's speed.
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const SHIPPED = fileURLToPath(
  new URL("../../../pkg/dist/mediagate_bg.wasm", import.meta.url),
);
const WASM_OPT = fileURLToPath(
  new URL("../../../node_modules/binaryen/bin/wasm-opt", import.meta.url),
);
// The features of the shipped wasm; all of binaryen's features would also turn on encodings that engines can't read yet.
const FEATURES = [
  "bulk-memory",
  "bulk-memory-opt",
  "multivalue",
  "mutable-globals",
  "nontrapping-float-to-int",
  "reference-types",
  "sign-ext",
];

/** The client's wasm with a call of `log_execution` at each function entry, loop iteration and return. */
export async function instrumented() {
  const folder = await mkdtemp(join(tmpdir(), "mediagate-bench-"));
  const file = join(folder, "counted.wasm");
  try {
    await promisify(execFile)(process.execPath, [
      WASM_OPT,
      SHIPPED,
      ...FEATURES.map((it) => `--enable-${it}`),
      "--log-execution",
      "-o",
      file,
    ]);
    return await readFile(file);
  } finally {
    await rm(folder, { recursive: true });
  }
}
