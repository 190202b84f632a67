// Small messages that would cause a lot of work, from callers and from the upstream. Responses stay
// bounded, and the isolate goes on serving.
import assert from "node:assert/strict";
import { test } from "node:test";
import { token } from "../support/token.mjs";
import { startWorld, taskResponse } from "../support/world.mjs";

const QUEUED = taskResponse("QUEUED");
const { upstream, api, bearer } = await startWorld(() => QUEUED, {
  UPLOAD_HOSTS: "127.0.0.1",
  UPLOAD_MODE: "relay",
});

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

test("a body of very many values is refused without being parsed", async () => {
  const response = await create(`{"prompt":[${"0,".repeat(300_000)}0]}`);
  assert.deepEqual(
    [response.status, response.data.reason],
    [400, "malformed_json"],
  );
});

test("an upstream response with too many ids to seal, or nested too deeply, is unreadable", async () => {
  const nested = (depth) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
  for (const body of [
    `{"code":0,"data":{"task":{"id":"t","file_ids":[${"1,".repeat(50_000)}1]}}}`,
    `{"code":12,"data":{"task_ids":[${"1,".repeat(90_000)}1]}}`,
    `{"code":0,"data":{"task":{"id":"t","deep":${nested(100)}}}}`,
    `{"code":1401,"data":${nested(126)}}`,
    '{"code":0,"data":{"task":{"id":"t","a":{"$serde_json::private::Number":"zz"}}}}',
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

test("the connection is usable after a refusal that leaves the body unread", async () => {
  const body = JSON.stringify({ prompt: "p".repeat(200_000) });
  for (let index = 0; index < 30; index++) {
    const refused = await api("generate/image/text_to_image_turbo", {
      body,
      bearer: "no token",
    });
    assert.equal(refused.status, 401);
    assert.equal((await create()).status, 200);
  }
});

test("a status is about the requested task, whatever id its record has", async () => {
  const { data } = await create();
  const path = `generate/tasks/${data.task.id}`;
  for (const id of [null, "", {}, []]) {
    upstream.respond = () => ({
      json: { code: 0, data: { task: { id, status: "FAILED" } } },
    });
    const response = await api(path);
    assert.deepEqual(
      [response.status, response.data.task?.id],
      [200, data.task.id],
      JSON.stringify(id),
    );
  }
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

test("an upload's response has only what the page needs, and the relay is bounded", async () => {
  const input = { file_name: "a.png", content_type: "image/png", size: 10 };
  const upload = {
    upload_url: `${upstream.url}/put`,
    file_id: 5,
    url: "https://h/?sig=secret",
    files: ["f1"],
    fields: { id: "f1" },
  };
  upstream.respond = ({ path }) =>
    path === "/put"
      ? { status: 200, body: "" }
      : { json: { code: 0, data: upload } };
  const { data } = await api("upload_urls", { body: input });
  assert.deepEqual(Object.keys(data).sort(), [
    "file_id",
    "upload_path",
    "upload_url",
  ]);
  assert.ok(data.upload_url.endsWith(`/api/app/v1/${data.upload_path}`));
  assert.notEqual(data.file_id, "5");
  const none = await fetch(data.upload_url, {
    method: "PUT",
    headers: { authorization: `Bearer ${bearer}` },
  });
  assert.deepEqual(
    [none.status, (await none.json()).data.reason],
    [400, "wrong_size"],
  );
  const whole = await fetch(data.upload_url, {
    method: "PUT",
    body: "0123456789",
    headers: { authorization: `Bearer ${bearer}` },
  });
  assert.equal(whole.status, 200);
  for (const content_type of [
    "image/png\r\nx: y",
    "a\u0000b",
    "\u00e9",
    "x".repeat(300),
  ]) {
    const wrong = await api("upload_urls", {
      body: { ...input, content_type },
    });
    assert.equal(wrong.data.errors[0].path, "content_type");
  }
});

test("a token with claims of the wrong type is refused", async () => {
  for (const claims of [
    { nbf: "0" },
    { nbf: null },
    { nbf: [1] },
    { iss: ["x"] },
    { iss: 5 },
    { scope: ["generate:*"] },
  ]) {
    assert.equal(
      (await api("models", { bearer: token("a", "generate:*", claims) }))
        .status,
      401,
      JSON.stringify(claims),
    );
  }
});
