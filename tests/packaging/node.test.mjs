// In Node, as in a backend or a command-line script.
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { test } from "node:test";
import { token } from "../support/token.mjs";
import { run, tool } from "./support/install.mjs";
import { assertWorks, suite } from "./support/suite.mjs";

const suited = suite({ browser: false });
const project = (t) => suited.project(t, "page", "node");
const outcome = async (t, folder, script) =>
  JSON.parse(
    await run("node", [script, await suited.gateway(t), token()], folder),
  );

for (const script of ["main.js", "inline.js", "slim.js", "from.js"]) {
  test(`${script} works`, async (t) =>
    assertWorks(await outcome(t, await project(t), script)));
}

test("importing uses no global of a page, compiles nothing and fetches nothing", async (t) => {
  assert.equal(await run("node", ["quiet.js"], await project(t)), "[]\n");
});

test("a missing wasm file is an error that names its URL", async (t) => {
  const folder = await project(t);
  await rm(`${folder}/node_modules/mediagate/dist/wasm/mediagate_bg.wasm`);
  const { code, message } = await outcome(t, folder, "main.js");
  assert.equal(code, "load_failed");
  assert.match(
    message,
    /no WebAssembly at file:.*mediagate_bg\.wasm; .*mediagate\/inline/,
  );
});

test("bytes that are not wasm are an error that does not contain them", async (t) => {
  const { code, message } = await outcome(t, await project(t), "broken.js");
  assert.equal(code, "load_failed");
  assert.ok(message.length < 300, message.slice(0, 300));
});

for (const [format, extension] of [
  ["esm", "mjs"],
  ["cjs", "cjs"],
]) {
  test(`a bundle for Node (${format}) without the wasm file has an error that names mediagate/inline, which works`, async (t) => {
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
    const { code, message } = await outcome(t, folder, `out/main.${extension}`);
    assert.equal(code, "load_failed");
    assert.match(message, /mediagate\/inline/);
    assertWorks(await outcome(t, folder, `out/inline.${extension}`));
  });
}
