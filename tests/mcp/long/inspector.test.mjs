// The command line of the inspector, with which people try a server of the protocol.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { startStack } from "../../support/stack.mjs";
import { token } from "../../support/token.mjs";
import { newerNode, SUITE } from "../support/newer-node.mjs";

const INSPECTOR = `${SUITE}node_modules/@modelcontextprotocol/inspector-cli/build/cli.js`;

let stack;
before(async () => {
  stack = await startStack({ assets: false, flags: ["--task-seconds", "0.6"] });
});
after(() => stack?.stop());

/** Runs the inspector with a method, and returns its result. */
async function inspect(...args) {
  const { stdout } = await promisify(execFile)(newerNode(), [
    ...[INSPECTOR, "--cli", `${stack.url}/mcp`, "--transport", "http"],
    ...["--header", `Authorization: Bearer ${token()}`, ...args],
  ]);
  return JSON.parse(stdout);
}

test("the inspector lists the tools, and calls one", async () => {
  const { tools } = await inspect("--method", "tools/list");
  assert.equal(tools.length, 29);
  const created = await inspect(
    ...["--method", "tools/call"],
    ...["--tool-name", "mediagate_text_to_image_turbo"],
    ...["--tool-arg", "prompt=a lighthouse"],
  );
  assert.ok(created.structuredContent.task.id, JSON.stringify(created));
  const listed = await inspect(
    ...["--method", "tools/call", "--tool-name", "mediagate_list_tasks"],
  );
  assert.equal(listed.structuredContent.tasks.length, 1);
});
