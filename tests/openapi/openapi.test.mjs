// The gateway against its own OpenAPI document: the document is valid, and describes the gateway's
// behaviour.
import assert from "node:assert/strict";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { folder } from "../support/folder.mjs";
import { SETTINGS } from "../support/gateway.mjs";
import { startStack } from "../support/stack.mjs";
import { token } from "../support/token.mjs";
import { ids, makeVideo, models, npm, python, run } from "./support.mjs";

const at = await folder({ after });
let stack, video;
before(async () => {
  // Hundreds of videos would take hours, so all but the first fail when their time is over.
  const scene = await write("scene.json", {
    faults: [{ path: "*/video/*", after: 1, do: "state=FAILED" }],
  });
  stack = await startStack({
    flags: ["--task-seconds", "0.1", "--scene", scene],
    settings: { UPLOAD_MODE: "relay" },
  });
  video = await makeVideo(stack.emulator, SETTINGS.UPSTREAM_API_KEY);
});
after(() => stack?.stop());

/** Writes a JSON file for this run, and returns its path. */
async function write(name, value) {
  const path = join(at, name);
  await writeFile(path, JSON.stringify(value));
  return path;
}

/**
 * Tests every operation of the document with valid and invalid requests. `callers` has the token of
 * each caller. Operations that need files run by themselves: the tool would not start a sequence
 * with them while others need no files.
 */
async function testAll(callers, facts) {
  const auth = Object.entries(callers).map(([caller, bearer]) => ({
    name: caller,
    fixedHeaders: [{ name: "Authorization", value: `Bearer ${bearer}` }],
  }));
  const env = {
    OPENAPI_CALLERS: await write("callers.json", { auth }),
    OPENAPI_FACTS: JSON.stringify({ ...facts, callers, origin: stack.url }),
  };
  for (const more of [
    [],
    [
      "--phases",
      "stateful",
      "--include-tag",
      "Process",
      "--include-tag",
      "Tasks",
    ],
  ]) {
    const args = [
      "--config-file",
      "gateway.toml",
      "run",
      `${stack.url}/openapi.json`,
      ...more,
    ];
    const { code, output } = await run(python("schemathesis"), args, env);
    assert.ok(code === 0 && /\d+ generated, \d+ passed/.test(output), output);
  }
}

test("the gateway behaves as documented, and no caller reads another's data", async () => {
  const callers = Object.fromEntries(
    ["alice", "bob"].map((user) => [
      user,
      token(user, undefined, { exp: inAnHour() }),
    ]),
  );
  const own = {};
  for (const [caller, bearer] of Object.entries(callers))
    own[caller] = await ids(stack.url, bearer, video);
  await testAll(callers, {
    ids: own,
    models: await models(stack.url, callers.alice),
  });
});

test("validator and linter accept the gateway's document", async () => {
  const document = await write(
    "gateway.json",
    await (await fetch(`${stack.url}/openapi.json`)).json(),
  );
  const validator = await run(python("openapi-spec-validator"), [
    "--errors",
    "all",
    document,
  ]);
  assert.equal(validator.code, 0, validator.output);
  const lint = await run(npm("redocly"), [
    "lint",
    "--format",
    "json",
    document,
  ]);
  const { totals } = JSON.parse(
    lint.output.slice(
      lint.output.indexOf("{"),
      lint.output.lastIndexOf("}") + 1,
    ),
  );
  assert.deepEqual([totals.errors, totals.warnings], [0, 0], lint.output);
});

test("published generators make a client of every operation, without options", async () => {
  const gateway = await (await fetch(`${stack.url}/openapi.json`)).json();
  const operations = Object.values(gateway.paths)
    .flatMap((item) => Object.values(item))
    .filter((operation) => operation.operationId !== undefined);
  const document = await write("clients.json", gateway);
  const forScripts = await run(npm("openapi-ts"), [
    "--input",
    document,
    "--output",
    join(at, "scripts"),
    "--no-log-file",
  ]);
  assert.equal(forScripts.code, 0, forScripts.output);
  const sdk = await readFile(join(at, "scripts/sdk.gen.ts"), "utf8");
  assert.equal(sdk.match(/^export const /gm).length, operations.length);
  const types = await readFile(join(at, "scripts/types.gen.ts"), "utf8");
  // A field with a default is optional.
  assert.match(types, /type TextToImageTurboInput = \{[^}]*\bmodel_id\?: /);

  const target = join(at, "python");
  const forPython = await run(python("openapi-python-client"), [
    "generate",
    "--path",
    document,
    "--meta",
    "none",
    "--output-path",
    target,
    "--fail-on-warning",
    "--config",
    await write("python.json", { post_hooks: [] }),
  ]);
  assert.equal(forPython.code, 0, forPython.output);
  const files = await readdir(join(target, "api"), { recursive: true });
  const modules = files.filter((name) => /\/(?!__init__)\w+\.py$/.test(name));
  assert.equal(modules.length, operations.length);
});

/** Returns about the latest expiry of a token, because the run takes minutes. */
const inAnHour = () => Math.floor(Date.now() / 1000) + 3500;
