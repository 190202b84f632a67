// The package in Node, as in a backend or a command-line script.
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { test } from "node:test";
import { token } from "../support/token.mjs";
import { run, tool } from "./support/install.mjs";
import { assertWorks, suite } from "./support/suite.mjs";

const suited = suite({ browser: false });
const WASM = "/node_modules/mediagate/dist/wasm/mediagate_bg.wasm";
const COPY = "/node_modules/mediagate/dist/wasm/inline.js";
const project = (t) => suited.project(t, "page", "node");
const outcome = async (folder, script) =>
  JSON.parse(
    await run("node", [script, await suited.gateway(), token()], folder),
  );

for (const script of ["main.js", "inline.js", "slim.js", "from.js"]) {
  test(`${script} works`, async (t) =>
    assertWorks(await outcome(await project(t), script)));
}

test("a program ends as soon as its last call has settled", async (t) => {
  const lines = await run("node", ["lifetime.js"], await project(t));
  const { short, state, lived } = JSON.parse(lines);
  assert.deepEqual([short, state], ["timeout", "SUCCEEDED"]);
  assert.ok(lived < 5_000, `${lived} ms`);
});

test("importing uses no global of a page, compiles nothing and fetches nothing", async (t) => {
  assert.equal(await run("node", ["quiet.js"], await project(t)), "[]\n");
});

test("the copy in a script is loaded if the wasm file is missing", async (t) => {
  const folder = await project(t);
  await rm(folder + WASM);
  assertWorks(await outcome(folder, "main.js"));
});

test("the error names the URL of the wasm file if the copy is missing too", async (t) => {
  const folder = await project(t);
  await rm(folder + WASM);
  await rm(folder + COPY);
  const { code, message } = await outcome(folder, "main.js");
  assert.equal(code, "load_failed");
  assert.match(
    message,
    /no WebAssembly at file:.*mediagate_bg\.wasm; .*mediagate\/inline/,
  );
});

test("the error names the URL that was given to load", async (t) => {
  const { code, message } = await outcome(await project(t), "missing.js");
  assert.equal(code, "load_failed");
  assert.match(message, /no WebAssembly at file:.*missing\.wasm; /);
});

test("bytes that are not wasm are an error that does not contain them", async (t) => {
  const { code, message } = await outcome(await project(t), "broken.js");
  assert.equal(code, "load_failed");
  assert.ok(message.length < 300, message.slice(0, 300));
});

for (const [format, extension] of [
  ["esm", "mjs"],
  ["cjs", "cjs"],
]) {
  test(`a bundle for Node (${format}) works without the wasm file`, async (t) => {
    const folder = await project(t);
    const options = [
      "--bundle",
      "--platform=node",
      `--format=${format}`,
      `--out-extension:.js=.${extension}`,
      "--outdir=out",
    ];
    await run(
      tool("esbuild"),
      ["main.js", "inline.js", ...options, "--log-level=error"],
      folder,
    );
    for (const name of ["main", "inline"])
      assertWorks(await outcome(folder, `out/${name}.${extension}`));
  });
}
