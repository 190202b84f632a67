// A trap of the wasm, which is a defect of the client: no call hangs, nothing is left running, and a new client works.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pageTests } from "./support/page-tests.mjs";
import { suite } from "./support/suite.mjs";

const suited = suite();

pageTests(suited, "a trap in a page", "/trap.html");

test("a trap in Node", async (t) => {
  const folder = await suited.project(t, "page", "plain");
  const of = (name) => import(`${folder}/${name}`);
  const { trapped } = await of("trapped.js");
  const { define } = await of("trap-tests.js");
  const { names, run } = await of("check.js");
  const trap = trapped();
  t.after(trap.restore);
  const { connect } = await of("node_modules/mediagate/dist/node.js");
  define(connect, trap);
  for (const name of names())
    await t.test(name, async () => assert.equal(await run(name), null));
});
