// The content of the tarball, which publint and attw check too.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { pack, run, tool } from "./support/install.mjs";

test("the tarball has one wasm file, and every file that an entry refers to", async () => {
  const { files } = await pack();
  assert.deepEqual(
    files.filter((file) => file.endsWith(".wasm")),
    ["dist/wasm/mediagate_bg.wasm"],
  );
  const exported = Object.values((await manifest()).exports).flatMap((target) =>
    Object.values(typeof target === "string" ? [target] : target),
  );
  for (const file of exported) assert.ok(files.includes(file.slice(2)), file);
  assert.ok(files.includes("README.md"));
});

test("every entry has types", async () => {
  for (const [name, entry] of Object.entries((await manifest()).exports)) {
    if (!name.endsWith(".json"))
      assert.equal(Object.keys(entry)[0], "types", name);
  }
});

for (const [name, ...options] of [
  ["publint", "--strict"],
  ["attw", "--profile", "esm-only", "--no-emoji"],
]) {
  test(`${name} reports no problem`, async () => {
    const { tarball, folder } = await pack();
    const output = await run(tool(name), [tarball, ...options], folder);
    assert.doesNotMatch(output, /Suggestions|Warnings|Errors/);
  });
}

const manifest = async () =>
  JSON.parse(
    await readFile(new URL("../../pkg/package.json", import.meta.url), "utf8"),
  );
