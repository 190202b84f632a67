// Small messages that would cause a lot of work, from callers and from the upstream. Responses stay
// bounded, and the isolate goes on serving.
import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent, request as send } from "node:http";
import { test } from "node:test";
import { startWorld, taskResponse } from "../support/world.mjs";

const QUEUED = taskResponse("QUEUED");
const { upstream, api } = await startWorld(() => QUEUED);

const create = (/** @type {unknown} */ body = { prompt: "p" }) =>
  api("generate/image/text_to_image_turbo", { body });

test("a long list of invalid ids is refused with a short response", async () => {
  for (const [count, reason, errors] of [
    [500, "invalid_fields", 100],
    [100_000, "malformed_json", undefined],
  ]) {
    const response = await api("process/asset/merge_pdf", {
      body: { input_file_ids: Array(count).fill("a") },
    });
    assert.deepEqual(
      [response.status, response.data.reason, response.data.errors?.length],
      [400, reason, errors],
    );
    assert.ok(
      response.text.length < 50_000,
      `${response.text.length} characters`,
    );
  }
});

test("an upstream response with too many ids to seal, or nested too deeply, is unreadable", async () => {
  const nested = (depth) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
  for (const body of [
    `{"code":0,"data":{"task":{"id":"t","file_ids":[${"1,".repeat(50_000)}1]}}}`,
    `{"code":0,"data":{"task":{"id":"t","deep":${nested(100)}}}}`,
  ]) {
    upstream.respond = () => ({
      body,
      headers: { "content-type": "application/json" },
    });
    const response = await create();
    assert.deepEqual(
      [response.status, response.data.cause, response.data.outcome],
      [502, "not_json", "unknown"],
      body.slice(0, 60),
    );
  }
  upstream.respond = () => QUEUED;
  assert.equal((await create()).status, 200);
});

test("a record of a task gives access to no other task", async () => {
  const { data } = await create();
  const path = `generate/tasks/${data.task.id}`;
  // A record may name another caller's task.
  upstream.respond = () => ({
    json: { code: 0, data: { task: { id: "t", source_task_id: "other" } } },
  });
  const other = (await api(path)).data.task.source_task_id;
  upstream.seen.length = 0;
  for (const group of ["generate", "process"])
    assert.equal(
      (await api(`${group}/tasks/${other}`)).data.reason,
      "unknown_task",
    );
  assert.equal(
    (await api(`process/tasks/${data.task.id}`)).data.reason,
    "unknown_task",
    "and it is no task of the other group",
  );
  assert.equal(upstream.seen.length, 0);
});

test("only a 404 in the upstream's own form makes a task unknown", async () => {
  upstream.respond = () => QUEUED;
  const { data } = await create();
  for (const [upstreamResponse, status, reason] of [
    [{ status: 404, body: "<html>" }, 502, "not_json"],
    [{ status: 404, json: { detail: "no such task" } }, 404, "unknown_task"],
    [{ status: 404, json: { code: 12, message: "" } }, 404, "unknown_task"],
    [
      { status: 404, json: { code: 13, message: "" } },
      502,
      "upstream_credentials",
    ],
  ]) {
    upstream.respond = () => upstreamResponse;
    const read = await api(`generate/tasks/${data.task.id}`);
    assert.deepEqual([read.status, read.data.reason], [status, reason]);
  }
});

test("a refusal that leaves the body unread does not break the connection", async (t) => {
  const { url } = await startWorld(() => QUEUED);
  // The `fetch` of the tests has a connection for each request.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  for (const isReused of [false, true]) {
    const sent = send(`${url}/api/app/v1/generate/image/text_to_image_turbo`, {
      method: "POST",
      agent,
    });
    const [response] = await once(sent.end("x".repeat(300_000)), "response");
    await response.toArray();
    assert.deepEqual([response.statusCode, sent.reusedSocket], [401, isReused]);
  }
});
