// Calls of tools: the same checks, owners, budgets and memory as everywhere, told so that a model can go on.
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { SETTINGS, startGateway } from "../support/gateway.mjs";
import { startUpstream } from "../support/upstream.mjs";
import { token } from "../support/token.mjs";
import { call, legacy, modern, refusal } from "./support/client.mjs";

const TURBO = "text_to_image_turbo";
const task = (status, more = {}) => ({ json: { code: 0, data: { task: { id: "task-1", status, ...more } } } });

let upstream, gateway, url;
before(async () => {
  upstream = await startUpstream(() => task("QUEUED"));
  gateway = await startGateway({ UPSTREAM_BASE_URL: upstream.url, PUBLIC_ASSETS: "avatar_1, voice_1", MCP_WAIT_SECONDS: "5" });
  url = gateway.url;
});
after(() => Promise.all([gateway?.stop(), upstream?.stop()]));
beforeEach(() => {
  upstream.seen.length = 0;
  upstream.answer = () => task("QUEUED");
});

const listed = async (options) => (await legacy(url, "tools/list", {}, options)).last.result;
const creates = () => upstream.seen.filter((it) => it.method === "POST").length;

test("every capability is a tool, described for an agent, and so is what goes with them", async () => {
  const { tools, nextCursor } = await listed();
  assert.deepEqual([tools.length, nextCursor], [19 + 4, undefined]);
  for (const { name, title, description, inputSchema, outputSchema, annotations } of tools) {
    assert.match(name, /^mediagate_[a-z_]+$/);
    assert.ok(title && description.length > 40 && inputSchema.type === "object" && outputSchema.type === "object", name);
    assert.equal(annotations.destructiveHint, false, name);
  }
  const video = tools.find((it) => it.name === "mediagate_image_to_video");
  assert.deepEqual(video.inputSchema.required, ["file_id", "prompt"]);
  assert.deepEqual([video.annotations.readOnlyHint, tools.find((it) => it.name === "mediagate_get_task").annotations.readOnlyHint], [false, true]);
  const newer = (await modern(url, "tools/list")).last.result;
  assert.deepEqual(newer.tools, tools);
  assert.deepEqual([newer.cacheScope, newer.ttlMs >= 0], ["private", true]);
});

test("a token sees and calls what its scope allows", async () => {
  const bearer = token("alice", "image_to_video");
  assert.deepEqual((await listed({ bearer })).tools.map((it) => it.name.slice(10)), ["image_to_video", "get_task", "list_options", "estimate_credits"]);
  const upload = await call(url, "request_upload", { file_name: "a.png", content_type: "image/png", size: 5 }, { bearer });
  const made = await call(url, TURBO, { prompt: "p" }, { bearer });
  for (const result of [upload, made]) assert.deepEqual([result.isError, refusal(result).code, refusal(result).data.reason], [true, 13, "scope"]);
  assert.equal(upstream.seen.length, 0);
});

test("what is wrong with the arguments is listed at once, and nothing is sent", async () => {
  const result = await call(url, "split_video", { input_file_id: "nobody's", segments: [{ start_time: "00:00:05", end_time: "00:00:01" }, { start_time: 5 }], extra: 1 });
  const said = refusal(result);
  assert.deepEqual([result.isError, result.structuredContent, said.code, said.data.outcome], [true, undefined, 12, "not_sent"]);
  const paths = said.data.errors.map((it) => it.path);
  assert.deepEqual(paths.sort(), ["extra", "segments[0].end_time", "segments[1].end_time", "segments[1].start_time"]);
  const foreign = refusal(await call(url, "image_to_video", { file_id: "raw-id", prompt: "p" }));
  assert.deepEqual(foreign.data.errors.map((it) => [it.path, it.reason]), [["file_id", "unknown_id"]]);
  const own = refusal(await call(url, "get_task", { id: 5, wait_seconds: -1 }));
  assert.deepEqual(own.data.errors.map((it) => it.path).sort(), ["id", "task_id", "wait_seconds"]);
  assert.deepEqual(refusal(await call(url, TURBO, { prompt: "p", idempotency_key: 5 })).data.reason, "idempotency_key");
  assert.deepEqual(refusal(await call(url, TURBO, { prompt: "p", idempotency_key: "a b" })).data.reason, "idempotency_key");
  assert.equal(upstream.seen.length, 0);
});

test("a create answers with its task, and a repetition with the same one", async () => {
  const first = await call(url, TURBO, { prompt: "p", idempotency_key: "once" });
  assert.deepEqual([first.isError, first.structuredContent.task.state], [false, "QUEUED"]);
  assert.deepEqual(JSON.parse(first.content[0].text), first.structuredContent);
  assert.match(first.content[1].text, /mediagate_get_task/);
  const again = await call(url, TURBO, { idempotency_key: "once", prompt: "p" });
  assert.deepEqual([again.structuredContent, creates()], [first.structuredContent, 1]);
  assert.equal(JSON.parse(upstream.seen[0].body).idempotency_key, undefined);
  const other = refusal(await call(url, TURBO, { prompt: "q", idempotency_key: "once" }));
  assert.deepEqual([other.data.reason, creates()], ["idempotency_key_reused", 1]);
  await call(url, TURBO, { prompt: "p" });
  await call(url, TURBO, { prompt: "p" });
  assert.equal(creates(), 3, "without a key there is nothing to repeat it by");
});

test("the same memory is behind the HTTP interface", async () => {
  const init = { method: "POST", headers: { authorization: `Bearer ${token()}`, "idempotency-key": "shared" }, body: '{"prompt":"p"}' };
  const made = await (await fetch(`${url}/api/app/v1/generate/image/text_to_image_turbo`, init)).json();
  const again = await call(url, TURBO, { prompt: "p", idempotency_key: "shared" });
  assert.deepEqual([again.structuredContent.task.id, creates()], [made.data.task.id, 1]);
});

test("a budget ends agents' creates as it ends all", async () => {
  const bearer = token("poor", "generate:*", { budget: { creates: 1 } });
  assert.equal((await call(url, TURBO, { prompt: "p" }, { bearer })).isError, false);
  const result = await call(url, TURBO, { prompt: "p" }, { bearer });
  const said = refusal(result);
  assert.deepEqual([result.isError, said.code, said.data.reason, said.data.limit, said.data.retry_after > 0], [true, 16, "budget", "creates", true]);
  assert.equal(creates(), 1);
});

test("a task is its caller's alone, whatever the name it is asked for by", async () => {
  const { task } = (await call(url, TURBO, { prompt: "p" })).structuredContent;
  upstream.seen.length = 0;
  const flipped = (task.id[0] === "A" ? "B" : "A") + task.id.slice(1);
  for (const [bearer, task_id] of [[token("mallory"), task.id], [token(), flipped], [token(), "task-1"], [token(), "../models"], [token(), "x".repeat(9000)]]) {
    const result = await call(url, "get_task", { task_id }, { bearer });
    assert.deepEqual([result.isError, refusal(result).data.reason], [true, "unknown_task"]);
  }
  assert.equal(upstream.seen.length, 0, "nobody asks the service for what is not theirs");
  assert.equal((await call(url, "get_task", { task_id: task.id })).structuredContent.task.id, task.id);
});

test("a task can be waited for, and is handed back when the time is over", async () => {
  const { task: made } = (await call(url, TURBO, { prompt: "waited for" })).structuredContent;
  let looks = 0;
  upstream.answer = () => task(++looks < 3 ? "RUNNING" : "SUCCEEDED", { output_url: "https://media.example/a.png" });
  const ended = await call(url, "get_task", { task_id: made.id, wait_seconds: 300 });
  assert.deepEqual([ended.structuredContent.task.state, ended.content.length], ["SUCCEEDED", 1]);
  assert.equal(ended.structuredContent.task.outputs[0].url, "https://media.example/a.png");

  upstream.answer = () => task("RUNNING");
  const other = (await call(url, TURBO, { prompt: "too long" }, { bearer: token("bob") })).structuredContent.task;
  const running = await call(url, "get_task", { task_id: other.id, wait_seconds: 1 }, { bearer: token("bob") });
  assert.deepEqual([running.isError, running.structuredContent.task.state], [false, "RUNNING"]);
  assert.match(running.content[1].text, /get_task/);
});

test("a job that fails is a call that fails; reading it is none", async () => {
  upstream.answer = () => task("FAILED", { error: "no face found" });
  const made = await call(url, TURBO, { prompt: "p" });
  assert.deepEqual([made.isError, made.structuredContent.task.error], [true, "no face found"]);
  const read = await call(url, "get_task", { task_id: made.structuredContent.task.id });
  assert.deepEqual([read.isError, read.structuredContent.task.state], [false, "FAILED"]);
});

test("progress is told on the call's own stream, ever growing, and then the result", async () => {
  for (const send of [legacy, modern]) {
    let looks = 0;
    const steps = [["RUNNING", 0.6], ["RUNNING", 0.2], ["SUCCEEDED", 1]];
    upstream.answer = ({ method }) => (method === "POST" ? task("QUEUED") : task(...((step) => [step[0], { progress: step[1] }])(steps[Math.min(looks++, 2)])));
    const bearer = token(send.name);
    const { messages, ...result } = await call(url, TURBO, { prompt: "p" }, { send, bearer, meta: { progressToken: "p-1" } });
    const told = messages.slice(0, -1);
    assert.ok(told.every((it) => it.method === "notifications/progress" && it.params.progressToken === "p-1" && it.params.total === 1));
    assert.deepEqual(told.map((it) => [it.params.progress, it.params.message]), [[0, "QUEUED"], [0.6, "RUNNING"]], send.name);
    assert.deepEqual([result.structuredContent.task.state, result.resultType], ["SUCCEEDED", send === modern ? "complete" : undefined]);
  }
});

test("a call that takes too long gives the task before the client gives up", async () => {
  upstream.answer = () => task("RUNNING", { progress: 0.5 });
  const { messages, ...result } = await call(url, TURBO, { prompt: "p" }, { bearer: token("patient"), meta: { progressToken: 1 } });
  assert.equal(messages.at(-2).params.progress, 0.5);
  assert.deepEqual([result.isError, result.structuredContent.task.state], [false, "RUNNING"]);
  assert.match(result.content[1].text, /don't make it again/);
});

test("models and public assets can be listed, and credits estimated", async () => {
  upstream.answer = ({ path }) => ({ json: { code: 0, data: path.endsWith("/models") ? { models: [{ model_id: "m", generation_options: { clarity: ["2K"] } }] } : { credits: 4 } } });
  const { structuredContent: options } = await call(url, "list_options");
  assert.deepEqual(options, { any_asset: false, public_assets: ["avatar_1", "voice_1"], catalogue: { models: [{ model_id: "m", generation_options: { clarity: ["2K"] } }] } });
  const estimate = await call(url, "estimate_credits", { capability: TURBO, input: { prompt: "p" } });
  assert.deepEqual(estimate.structuredContent, { credits: 4 });
  const wrong = refusal(await call(url, "estimate_credits", { capability: TURBO, input: { promt: "p" } }));
  assert.deepEqual(wrong.data.errors.map((it) => it.path), ["promt", "prompt"]);
});

test("what the service says is told, without the key", async () => {
  upstream.answer = () => ({ status: 402, json: { code: 1409, message: `no plan for ${SETTINGS.UPSTREAM_API_KEY}`, data: { paid_plan_required: { plan: "starter" } } } });
  const said = refusal(await call(url, TURBO, { prompt: "p" }));
  assert.deepEqual([said.code, said.name, said.data.outcome, said.data.paid_plan_required], [1409, "paid_plan_required", "rejected", { plan: "starter" }]);
  assert.ok(!JSON.stringify(said).includes(SETTINGS.UPSTREAM_API_KEY));
  upstream.answer = () => ({ status: 502, body: "<html>" });
  const lost = refusal(await call(url, TURBO, { prompt: "p", idempotency_key: "lost" }));
  assert.deepEqual([lost.data.reason, lost.data.outcome], ["outcome_unknown", "unknown"]);
  const logs = gateway.logs.join("\n");
  assert.ok(!logs.includes(SETTINGS.UPSTREAM_API_KEY) && !logs.includes(token().slice(0, 40)));
});
