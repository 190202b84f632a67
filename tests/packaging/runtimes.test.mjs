// In Deno and in Bun, from their npm packages: the same scripts as in Node.
import { test } from "node:test";
import { token } from "../support/token.mjs";
import { run, tool } from "./support/install.mjs";
import { assertWorks, suite } from "./support/suite.mjs";

const suited = suite({ browser: false });

for (const [name, ...options] of [
  ["deno", "run", "--allow-all", "--no-remote", "--node-modules-dir=manual"],
  ["bun"],
]) {
  for (const script of ["main.js", "inline.js"]) {
    test(`${name}: ${script} works`, async (t) => {
      const folder = await suited.project(t, "page", "node");
      const lines = await run(tool(name), [...options, script, await suited.gateway(t), token()], folder);
      assertWorks(JSON.parse(lines));
    });
  }
}
