// A panic of the wasm, which is a defect of the package: no call hangs, and a new client works.
import assert from "node:assert/strict";
import { test } from "node:test";
import { run } from "./support/install.mjs";
import { pageTests } from "./support/page-tests.mjs";
import { suite } from "./support/suite.mjs";

const suited = suite();

pageTests(suited, "a panic in a page", "/panic.html");

test("the client recovers from a panic in Node", async (t) => {
  const folder = await suited.project(t, "page", "plain");
  const errors = JSON.parse(await run("node", ["panic-in-node.js"], folder));
  for (const [name, error] of Object.entries(errors))
    await t.test(name, () => assert.equal(error, null));
});
