// In Chromium, without a bundler: the files as they are in the tarball.
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { test } from "node:test";
import { suite, works } from "./support/suite.mjs";

const suited = suite();
const project = (t) => suited.project(t, "page", "plain");
const WASM = "/node_modules/mediagate/dist/mediagate_bg.wasm";

test("a module script imports it with no set-up, fetches the wasm once, and prints nothing", async (t) => {
  const { outcome, lines, seen } = await suited.visit(t, await project(t));
  works(outcome);
  assert.deepEqual(lines, []);
  assert.equal(seen.filter((it) => it === WASM).length, 1);
});

test("a module worker imports it", async (t) => {
  const { outcome, lines } = await suited.visit(t, await project(t), { path: "/worker.html" });
  works(outcome);
  assert.deepEqual(lines, []);
});

test("a server that knows no media type of wasm serves it, and the console stays empty", async (t) => {
  const types = { ".html": "text/html", ".js": "text/javascript" };
  const { outcome, lines } = await suited.visit(t, await project(t), { types });
  works(outcome);
  assert.deepEqual(lines, []);
});

test("mediagate/inline fetches no wasm, and needs no file beside it", async (t) => {
  const { outcome, seen } = await suited.visit(t, await project(t), { path: "/inline.html" });
  works(outcome);
  assert.ok(!seen.includes(WASM));
});

for (const source of ["url", "text", "request", "answer", "bytes", "module"]) {
  test(`mediagate/slim takes the wasm as ${source}`, async (t) => {
    works((await suited.visit(t, await project(t), { path: "/slim.html", query: { source } })).outcome);
  });
}

test("mediagate/slim without wasm says what it needs", async (t) => {
  const { outcome } = await suited.visit(t, await project(t), { path: "/unloaded.html" });
  assert.equal(outcome.code, "not_loaded");
  assert.match(outcome.message, /mediagate\/slim .* load\(\)/);
});

test("a missing wasm file is an error that names its place and the ways out", async (t) => {
  const folder = await project(t);
  await rm(folder + WASM);
  const { outcome } = await suited.visit(t, folder);
  assert.equal(outcome.code, "load_failed");
  assert.match(outcome.message, /no WebAssembly at http:.*mediagate_bg\.wasm; .*mediagate\/inline/);
});

const SELF = "default-src 'none'; img-src data:; connect-src *;";

test("a policy that blocks WebAssembly is an error that names the word it lacks", async (t) => {
  for (const path of ["/", "/inline.html"]) {
    const policy = `${SELF} script-src 'self' 'unsafe-inline'`;
    const { outcome } = await suited.visit(t, await project(t), { policy, path });
    assert.equal(outcome.code, "load_failed");
    assert.match(outcome.message, /Content-Security-Policy.*'wasm-unsafe-eval' to its script-src/);
  }
});

test("the policy with that word is enough", async (t) => {
  const policy = `${SELF} script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'`;
  works((await suited.visit(t, await project(t), { policy })).outcome);
});

test("a policy that keeps the page from fetching the wasm is an error that names connect-src", async (t) => {
  const policy = "default-src 'none'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'";
  const { outcome } = await suited.visit(t, await project(t), { policy });
  assert.equal(outcome.code, "load_failed");
  assert.match(outcome.message, /connect-src/);
});
