// Measures the bytes that a page downloads for create, poll and upload, and the size of the
// gateway's Worker against Cloudflare's limit.
import { readFile } from "node:fs/promises";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { bundle } from "../support/bundle.mjs";
import { playground } from "../support/playground.mjs";

export const title = "Bytes";
export const deterministic = true;

const root = new URL("../../../", import.meta.url);
/** Cloudflare's limit for a Worker after gzip, in the free plan. */
const WORKER_LIMIT = 3 << 20;
const MAX_QUALITY = {
  params: {
    [constants.BROTLI_PARAM_QUALITY]: 11,
    [constants.BROTLI_PARAM_LGWIN]: 22,
  },
};

/** The copy of the wasm in a script: a page loads it only if the file is missing. */
const COPY = "./wasm/inline.js";

const PEERS = {
  fal: 'export { createFalClient } from "@fal-ai/client"',
  replicate: 'export { default } from "replicate"',
  runway: 'export { default } from "@runwayml/sdk"',
};

const sizesOf = (bytes) => [
  bytes.length,
  gzipSync(bytes, { level: 9 }).length,
  brotliCompressSync(bytes, MAX_QUALITY).length,
];
const sum = (one, other) => one.map((value, index) => value + other[index]);

export async function run() {
  const scripts = sizesOf(
    await bundle('export * from "mediagate"', { external: [COPY] }),
  );
  const wasm = sizesOf(
    await readFile(new URL("pkg/dist/wasm/mediagate_bg.wasm", root)),
  );
  const rows = {
    mediagate: sum(scripts, wasm),
    "  its scripts": scripts,
    "  its wasm": wasm,
  };
  for (const [name, entry] of Object.entries(PEERS))
    rows[name] = sizesOf(await bundle(entry));
  const worker = gzipSync(
    await readFile(new URL("crates/entry/build/index_bg.wasm", root)),
    { level: 9 },
  ).length;
  const shim = gzipSync(
    await readFile(new URL("crates/entry/build/index.js", root)),
    { level: 9 },
  ).length;
  const page = await playground();
  return {
    facts: {
      "scripts, brotli": scripts[2],
      "wasm, brotli": wasm[2],
      "Worker, gzip": worker + shim,
      "playground, brotli": page.first,
    },
    tables: [
      {
        title: "What a page downloads, minified, in bytes",
        columns: ["raw", "gzip 9", "brotli 11"],
        rows,
        ratio: { column: 2, to: "fal" },
      },
      {
        title: "The gateway's Worker, in bytes after gzip 9",
        columns: ["gzip 9"],
        rows: {
          "its wasm": [worker],
          "its glue": [shim],
          "Cloudflare's limit (free plan)": [WORKER_LIMIT],
        },
        ratio: { column: 0, to: "Cloudflare's limit (free plan)" },
      },
      {
        title: "The playground, in bytes",
        columns: ["bytes"],
        rows: {
          "first load, after brotli": [page.first],
          "on opening a picture, a video or a PDF, raw": [page.later],
        },
      },
    ],
  };
}
