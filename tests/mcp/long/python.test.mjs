// The Python client does a whole job in each mode of negotiation (`python/job.py`), and so does an
// early one (`python/early.py`). Google's SDK accepts the tools (`python/schemas.py`).
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { picture } from "../../support/fixtures.mjs";
import { folder } from "../../support/folder.mjs";
import { startStack } from "../../support/stack.mjs";
import { token } from "../../support/token.mjs";
import { legacy } from "../support/client.mjs";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const PYTHON = process.env.MCP_PYTHON ?? `${root}.tools/python/mcp/bin/python`;
const JOB = `${root}tests/mcp/python/job.py`;
const EARLY_PYTHON =
  process.env.MCP_EARLY_PYTHON ?? `${root}.tools/python/mcp-early/bin/python`;
const EARLY_JOB = `${root}tests/mcp/python/early.py`;
const SCHEMAS = `${root}tests/mcp/python/schemas.py`;

const photo = `${await folder({ after })}/photo.png`;
let stack;
before(async () => {
  await writeFile(photo, picture(64, 64));
  stack = await startStack({
    assets: false,
    flags: ["--task-seconds", "0.6"],
    settings: { INPUT_HOSTS: "cdn.example.com" },
  });
});
after(() => stack?.stop());

for (const [mode, version] of [
  ["legacy", "2025-11-25"],
  ["auto", "2026-07-28"],
  ["2026-07-28", "2026-07-28"],
]) {
  test(`the Python client does a whole job, ${mode}`, async () => {
    const env = { ...process.env, TOKEN: token() };
    const { stdout } = await promisify(execFile)(
      PYTHON,
      [JOB, `${stack.url}/mcp`, mode, photo],
      {
        env,
      },
    );
    const seen = JSON.parse(stdout);
    assert.deepEqual([seen.version, seen.tools], [version, 30]);
    assert.deepEqual(
      [
        seen.created === "SUCCEEDED",
        seen.read.state,
        seen.read.outputs[0].kind,
      ],
      [false, "SUCCEEDED", "video"],
    );
    assert.ok(seen.followed === "SUCCEEDED" && seen.progress.length > 0);
    assert.equal(seen.refused[0], true);
    assert.match(seen.refused[1], /"path":"prompt"/);
    if (mode === "2026-07-28") assert.deepEqual(seen.task, ["SUCCEEDED", true]);
  });
}

test("a Python client of 2025-03-26 does a whole job", async () => {
  const env = { ...process.env, TOKEN: token() };
  const { stdout } = await promisify(execFile)(
    EARLY_PYTHON,
    [EARLY_JOB, `${stack.url}/mcp`, photo],
    { env },
  );
  const { version, tools, task } = JSON.parse(stdout);
  assert.deepEqual(
    [version, tools, task.state, task.outputs[0].kind],
    ["2025-03-26", 30, "SUCCEEDED", "video"],
  );
});

test("Google's SDK for Gemini accepts the schema of every tool, and loses nothing of it", async () => {
  const { result } = (await legacy(stack.url, "tools/list")).last;
  const running = promisify(execFile)(PYTHON, [SCHEMAS]);
  running.child.stdin.end(JSON.stringify(result));
  assert.deepEqual(
    JSON.parse((await running).stdout),
    result.tools.map(({ name }) => name),
  );
});
