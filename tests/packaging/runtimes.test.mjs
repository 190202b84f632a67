// The package in Deno and in Bun, from their npm packages, with the scripts of the tests in Node.
import assert from "node:assert/strict";
import { test } from "node:test";
import { token } from "../support/token.mjs";
import { RUNTIMES, run } from "./support/install.mjs";
import { assertWorks, suite } from "./support/suite.mjs";

const suited = suite({ browser: false });
for (const [name, command, ...options] of RUNTIMES) {
  test(`${name}: a create without a connection is reported as not sent`, async (t) => {
    const folder = await suited.project(t, "page", "node");
    // No service listens on this port.
    const lines = await run(
      command,
      [...options, "refused.js", "http://127.0.0.1:39", token()],
      folder,
    );
    const { code, outcome, message, retryable } = JSON.parse(lines);
    assert.deepEqual([code, outcome, retryable], ["network", "not_sent", true]);
    assert.doesNotMatch(message, /credits/);
  });
}

for (const [name, command, ...options] of RUNTIMES.slice(1)) {
  for (const script of ["main.js", "inline.js"]) {
    test(`${name}: ${script} works`, async (t) => {
      const folder = await suited.project(t, "page", "node");
      const lines = await run(
        command,
        [...options, script, await suited.gateway(), token()],
        folder,
      );
      assertWorks(JSON.parse(lines));
    });
  }
}
