// The extension for tasks: a client that declares it asks after its tasks by itself.
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { startGateway } from "../support/gateway.mjs";
import { startUpstream } from "../support/upstream.mjs";
import { token } from "../support/token.mjs";
import { TASKS, legacy, modern } from "./support/client.mjs";

const DECLARED = { capabilities: { extensions: { [TASKS]: {} } } };
const task = (status, more = {}) => ({ json: { code: 0, data: { task: { id: "task-1", status, ...more } } } });

let upstream, gateway, url;
before(async () => {
  upstream = await startUpstream(() => task("QUEUED"));
  gateway = await startGateway({ UPSTREAM_BASE_URL: upstream.url });
  url = gateway.url;
});
after(() => Promise.all([gateway?.stop(), upstream?.stop()]));
beforeEach(() => (upstream.answer = () => task("QUEUED")));

const make = async (options = DECLARED, params = {}) => {
  const answer = await modern(url, "tools/call", { name: "mediagate_text_to_image_turbo", arguments: { prompt: "p", ...params } }, options);
  return answer.last.result;
};
const ask = async (method, taskId, options = DECLARED) => {
  const { status, last } = await modern(url, method, { taskId }, options);
  return { status, ...last };
};

test("a create gives a task, which in the end gives what the call would have", async () => {
  const made = await make();
  assert.deepEqual([made.resultType, made.status, made.ttlMs, made.pollIntervalMs > 0, made.content], ["task", "working", null, true, undefined]);
  for (const moment of [made.createdAt, made.lastUpdatedAt]) assert.equal(new Date(moment).toISOString(), moment);
  upstream.answer = () => task("RUNNING");
  const running = (await ask("tasks/get", made.taskId)).result;
  assert.deepEqual([running.resultType, running.taskId, running.status, running.statusMessage, running.createdAt, running.result], ["complete", made.taskId, "working", "RUNNING", made.createdAt, undefined]);
  upstream.answer = () => task("SUCCEEDED", { output_url: "https://media.example/a.png" });
  const { status, result } = (await ask("tasks/get", made.taskId)).result;
  assert.deepEqual([status, result.isError, result.structuredContent.task.outputs[0].url], ["completed", false, "https://media.example/a.png"]);
});

test("a job that fails is completed with an error, for the protocol did not fail", async () => {
  const { taskId } = await make();
  for (const state of ["FAILED", "EXPIRED"]) {
    upstream.answer = () => task(state);
    const { status, result } = (await ask("tasks/get", taskId)).result;
    assert.deepEqual([status, result.isError, result.structuredContent.task.state], ["completed", true, state]);
  }
});

test("what is done at once, refused, or asked for by others is no task", async () => {
  upstream.answer = () => task("SUCCEEDED");
  assert.deepEqual((({ resultType, taskId }) => [resultType, taskId])(await make()), ["complete", undefined]);
  assert.deepEqual((({ resultType, isError }) => [resultType, isError])(await make(DECLARED, { prompt: "" })), ["complete", true]);
  upstream.answer = () => task("QUEUED");
  for (const capabilities of [{}, { extensions: {} }, { extensions: { [TASKS]: true } }, { tasks: {} }]) {
    assert.equal((await make({ capabilities })).resultType, "complete", JSON.stringify(capabilities));
  }
});

test("cancelling and updating are heard, and the task goes on", async () => {
  const { taskId } = await make();
  for (const method of ["tasks/cancel", "tasks/update"]) {
    const { resultType, _meta, ...rest } = (await ask(method, taskId)).result;
    assert.deepEqual([resultType, rest], ["complete", {}]);
  }
  assert.equal((await ask("tasks/get", taskId)).result.status, "working");
});

test("a task is asked for by its caller, who has declared it, with the right header", async () => {
  const { taskId } = await make();
  const flipped = (taskId[0] === "A" ? "B" : "A") + taskId.slice(1);
  upstream.seen.length = 0;
  for (const method of ["tasks/get", "tasks/cancel", "tasks/update"]) {
    for (const [name, bearer] of [[taskId, token("mallory")], [flipped, token()], ["task-1", token()]]) {
      const { status, error } = await ask(method, name, { ...DECLARED, bearer });
      assert.deepEqual([status, error.code], [400, -32602], method);
    }
    const { status, error } = await ask(method, taskId, {});
    assert.deepEqual([status, error.code, error.data.requiredCapabilities], [400, -32021, { extensions: { [TASKS]: {} } }]);
    const odd = await ask(method, taskId, { ...DECLARED, headers: { "mcp-name": "other" } });
    assert.deepEqual([odd.status, odd.error.code], [400, -32020]);
    assert.equal((await modern(url, method, {}, DECLARED)).last.error.code, -32602);
    assert.equal((await legacy(url, method, { taskId })).last.error.code, -32601);
  }
  assert.equal(upstream.seen.length, 0);
});

test("a service in trouble is an error of this request, not of the task", async () => {
  const { taskId } = await make();
  upstream.answer = () => ({ status: 502, body: "<html>" });
  const { error } = await ask("tasks/get", taskId);
  assert.deepEqual([error.code, error.data.reason], [-32603, "not_json"]);
  upstream.answer = () => task("RUNNING");
  assert.equal((await ask("tasks/get", taskId)).result.status, "working");
});
