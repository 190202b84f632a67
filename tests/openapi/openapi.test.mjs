// Gateway and emulator against their own documents: the documents are valid, and the servers do what they say.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { SETTINGS } from "../support/gateway.mjs";
import { startStack } from "../support/stack.mjs";
import { token } from "../support/token.mjs";
import { film, ids, models, npm, python, run } from "./support.mjs";

let stack, folder, file, video;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "mediagate-openapi-"));
  // Hundreds of videos would take hours: but for the first, they fail when their time is over.
  const scene = await write("scene.json", { faults: [{ path: "*/video/*", after: 1, do: "state=FAILED" }] });
  stack = await startStack({ flags: ["--task-seconds", "0.1", "--scene", scene], settings: { UPLOAD_MODE: "relay" } });
  ({ file, video } = await film(stack.emulator, SETTINGS.UPSTREAM_API_KEY));
});
after(async () => {
  await stack?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Writes JSON beside the other files of this run, and gives its path. */
async function write(name, value) {
  const path = join(folder, name);
  await writeFile(path, JSON.stringify(value));
  return path;
}

/** What the judges of a document say of it. */
async function judge(name, url) {
  const file = await write(`${name}.json`, await (await fetch(`${url}/openapi.json`)).json());
  const validator = await run(python("openapi-spec-validator"), ["--errors", "all", file]);
  assert.equal(validator.code, 0, validator.output);
  const lint = await run(npm("redocly"), ["lint", "--format", "json", file]);
  const { totals } = JSON.parse(lint.output.slice(lint.output.indexOf("{"), lint.output.lastIndexOf("}") + 1));
  assert.deepEqual([totals.errors, totals.warnings], [0, 0], lint.output);
}

/**
 * Tries every operation of a document with what it allows and what it does not; each of the `callers` has a token. Those
 * that need files would not begin a sequence where others need none, so there is one of theirs.
 */
async function tryAll(name, url, callers, facts) {
  const auth = Object.entries(callers).map(([caller, bearer]) => ({
    name: caller,
    fixedHeaders: [{ name: "Authorization", value: `Bearer ${bearer}` }],
  }));
  const env = {
    OPENAPI_CALLERS: await write(`${name}.callers.json`, { auth }),
    OPENAPI_FACTS: JSON.stringify({ ...facts, callers, file, origin: stack.url }),
  };
  for (const more of [[], ["--phases", "stateful", "--include-tag", "Process", "--include-tag", "Tasks"]]) {
    const args = ["--config-file", `${name}.toml`, "run", `${url}/openapi.json`, ...more];
    const { code, output } = await run(python("schemathesis"), args, env);
    assert.ok(code === 0 && /\d+ generated, \d+ passed/.test(output), output);
  }
}

describe("gateway and emulator", { concurrency: 2 }, () => {
  test("the gateway does what it says, and no caller reads what is another's", async () => {
    const callers = Object.fromEntries(["alice", "bob"].map((it) => [it, token(it, undefined, { exp: inAnHour() })]));
    const own = {};
    for (const [caller, bearer] of Object.entries(callers)) own[caller] = await ids(stack.url, bearer, video);
    const facts = { ids: own, models: await models(stack.url, callers.alice), file_id: "[A-Za-z0-9_-]{23,8192}" };
    await tryAll("gateway", stack.url, callers, facts);
  });

  test("the emulator does what it says", async () => {
    const key = SETTINGS.UPSTREAM_API_KEY;
    const own = { account: await ids(stack.emulator, key, video) };
    const facts = { ids: own, models: await models(stack.emulator, key), file_id: ".*\\S.*" };
    await tryAll("emulator", stack.emulator, { account: key }, facts);
  });

  test("the gateway's document is taken by every judge", () => judge("gateway", stack.url));

  test("the emulator's document is taken by every judge", () => judge("emulator", stack.emulator));
});

/** A token's longest life: the run takes minutes. */
const inAnHour = () => Math.floor(Date.now() / 1000) + 3500;
