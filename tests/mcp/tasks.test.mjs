// The tasks extension: a client that declares it polls its tasks itself.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { token } from "../support/token.mjs";
import { startWorld, taskResponse } from "../support/world.mjs";
import { legacy, modern, TASKS } from "./support/client.mjs";

const DECLARED = { capabilities: { extensions: { [TASKS]: {} } } };
const task = (status, more) => taskResponse(status, "task-1", more);

const { upstream, url } = await startWorld(() => task("QUEUED"));
beforeEach(() => (upstream.respond = () => task("QUEUED")));

/** @param {import("./support/client.mjs").ModernOptions} options */
const create = async (options = DECLARED, params = {}) => {
  const { last } = await modern(
    url,
    "tools/call",
    {
      name: "mediagate_text_to_image_turbo",
      arguments: { prompt: "p", ...params },
    },
    options,
  );
  return last.result;
};
/**
 * @param {string} method
 * @param {string} taskId
 * @param {import("./support/client.mjs").ModernOptions} options
 */
const send = async (method, taskId, options = DECLARED) => {
  const { status, last } = await modern(url, method, { taskId }, options);
  return { status, ...last };
};

test("a create returns a task with the result of the call", async () => {
  const created = await create();
  assert.deepEqual(
    [
      created.resultType,
      created.status,
      created.ttlMs,
      created.pollIntervalMs > 0,
      created.content,
    ],
    ["task", "working", null, true, undefined],
  );
  for (const timestamp of [created.createdAt, created.lastUpdatedAt])
    assert.equal(new Date(timestamp).toISOString(), timestamp);
  upstream.respond = () => task("RUNNING");
  const running = (await send("tasks/get", created.taskId)).result;
  assert.deepEqual(
    [
      running.resultType,
      running.taskId,
      running.status,
      running.statusMessage,
      running.createdAt,
      running.result,
    ],
    [
      "complete",
      created.taskId,
      "working",
      "RUNNING",
      created.createdAt,
      undefined,
    ],
  );
  upstream.respond = () =>
    task("SUCCEEDED", { output_url: "https://media.example/a.png" });
  const { status, result } = (await send("tasks/get", created.taskId)).result;
  assert.deepEqual(
    [status, result.isError, result.structuredContent.task.outputs[0].url],
    ["completed", false, "https://media.example/a.png"],
  );
});

test("a repeated create returns the first task, with its id", async () => {
  const params = { idempotency_key: "once" };
  const first = await create(DECLARED, params);
  for (const between of ["a", "b", "c"])
    assert.equal(
      (await create(DECLARED, { idempotency_key: between })).resultType,
      "task",
    );
  const again = await create(DECLARED, params);
  assert.deepEqual(
    [again.taskId, again.createdAt],
    [first.taskId, first.createdAt],
  );
});

test("a failed job is a completed task with an error, since the protocol did not fail", async () => {
  const { taskId } = await create();
  for (const state of ["FAILED", "EXPIRED"]) {
    upstream.respond = () => task(state);
    const { status, result } = (await send("tasks/get", taskId)).result;
    assert.deepEqual(
      [status, result.isError, result.structuredContent.task.state],
      ["completed", true, state],
    );
  }
});

test("a create that ends at once, is refused, or comes without the extension returns no task", async () => {
  upstream.respond = () => task("SUCCEEDED");
  assert.deepEqual(
    (({ resultType, taskId }) => [resultType, taskId])(await create()),
    ["complete", undefined],
  );
  assert.deepEqual(
    (({ resultType, isError }) => [resultType, isError])(
      await create(DECLARED, { prompt: 7 }),
    ),
    ["complete", true],
  );
  upstream.respond = () => task("QUEUED");
  for (const capabilities of [{}, { extensions: { [TASKS]: true } }]) {
    assert.equal(
      (await create({ capabilities })).resultType,
      "complete",
      JSON.stringify(capabilities),
    );
  }
});

test("cancelling and updating are accepted, and the task goes on", async () => {
  const { taskId } = await create();
  for (const method of ["tasks/cancel", "tasks/update"]) {
    const { resultType, _meta, ...rest } = (await send(method, taskId)).result;
    assert.deepEqual([resultType, rest], ["complete", {}]);
  }
  assert.equal((await send("tasks/get", taskId)).result.status, "working");
});

test("reading a task needs its owner, the declared extension, and the right header", async () => {
  const { taskId } = await create();
  upstream.seen.length = 0;
  for (const method of ["tasks/get", "tasks/cancel", "tasks/update"]) {
    for (const [name, bearer] of [
      [taskId, token("mallory")],
      ["task-1", token()],
    ]) {
      const { status, error } = await send(method, name, {
        ...DECLARED,
        bearer,
      });
      assert.deepEqual([status, error.code], [400, -32602], method);
    }
    const { status, error } = await send(method, taskId, {});
    assert.deepEqual(
      [status, error.code, error.data.requiredCapabilities],
      [400, -32021, { extensions: { [TASKS]: {} } }],
    );
    const odd = await send(method, taskId, {
      ...DECLARED,
      headers: { "mcp-name": "other" },
    });
    assert.deepEqual([odd.status, odd.error.code], [400, -32020]);
    assert.equal(
      (await modern(url, method, {}, DECLARED)).last.error.code,
      -32602,
    );
    assert.equal(
      (await legacy(url, method, { taskId })).last.error.code,
      -32601,
    );
  }
  assert.equal(upstream.seen.length, 0);
});

test("a failing upstream is an error of the request, not of the task", async () => {
  const { taskId } = await create();
  upstream.respond = () => ({ status: 502, body: "<html>" });
  const { error } = await send("tasks/get", taskId);
  assert.deepEqual([error.code, error.data.reason], [-32603, "not_json"]);
  upstream.respond = () => task("RUNNING");
  assert.equal((await send("tasks/get", taskId)).result.status, "working");
});
