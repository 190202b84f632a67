// Platforms without some globals, such as React Native, old browsers and jsdom. Every entry can be
// imported.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const script = fileURLToPath(new URL("support/without.mjs", import.meta.url));

const NEEDED = [
  "WebAssembly",
  "TextDecoder",
  "TextEncoder",
  "AbortController",
  "Blob",
  "File",
  "Headers",
  "Request",
  "Response",
  "URL",
  "WeakRef",
  "fetch",
];

const OPTIONAL = [
  "FinalizationRegistry",
  "DecompressionStream",
  "AbortSignal",
  "BroadcastChannel",
  "EventTarget",
  "FormData",
  "ReadableStream",
  "TransformStream",
  "navigator",
  "performance",
  "structuredClone",
  "AbortSignal.any",
  "AbortSignal.timeout",
  "crypto.randomUUID",
];

/** Imports every entry on a platform without a global, and returns the outcomes of first uses. */
async function outcomes(name) {
  const { stdout } = await promisify(execFile)(process.execPath, [
    script,
    name,
  ]);
  return JSON.parse(stdout);
}

for (const name of NEEDED) {
  test(`without ${name}, every entry can be imported, and the error of connect names it`, async () => {
    const refused = `load_failed: this platform has no ${name}`;
    const seen = await outcomes(name);
    assert.equal(seen.connect, refused);
    // The caller may pass another fetch.
    assert.equal(seen.ownFetch, name === "fetch" ? "ok" : refused);
    assert.equal(seen.testing, "ok");
  });
}

for (const name of OPTIONAL) {
  test(`without ${name}, every entry can be imported, and a create works`, async () => {
    const seen = await outcomes(name);
    const { connect, ownFetch, testing } = seen;
    assert.deepEqual([connect, ownFetch, testing], ["ok", "ok", "ok"]);
  });
}

test("without DecompressionStream, the error of mediagate/inline names it", async () => {
  const { inline } = await outcomes("DecompressionStream");
  assert.equal(inline, "load_failed: this platform has no DecompressionStream");
});
