// What is small on the wire and large inside, from callers and from the service: bounded answers, and an isolate alive.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startGateway } from "../support/gateway.mjs";
import { token } from "../support/token.mjs";
import { startUpstream } from "../support/upstream.mjs";

const QUEUED = { json: { code: 0, data: { task: { id: "t", status: "QUEUED" } } } };
let upstream, gateway;

before(async () => {
  upstream = await startUpstream(() => QUEUED);
  gateway = await startGateway({ UPSTREAM_BASE_URL: upstream.url, UPLOAD_HOSTS: "127.0.0.1", UPLOAD_MODE: "relay" });
});
after(() => Promise.all([gateway.stop(), upstream.stop()]));

async function ask(path, { bearer = token(), ...init } = {}) {
  const response = await fetch(`${gateway.url}/api/app/v1/${path}`, { ...init, headers: { authorization: `Bearer ${bearer}`, ...init.headers } });
  const text = await response.text();
  return { status: response.status, length: text.length, headers: response.headers, ...JSON.parse(text) };
}
const post = (path, body, headers) => ask(path, { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body), headers });
const create = (body = { prompt: "p" }) => post("generate/image/text_to_image_turbo", body);

test("a list of nothing but wrong ids is refused in a few words", async () => {
  for (const count of [500, 100_000]) {
    const answer = await post("process/asset/merge_pdf", { input_file_ids: Array(count).fill("a") });
    assert.equal(answer.status, 400);
    assert.ok(answer.data.errors?.length <= 100 || answer.data.reason === "malformed_json", answer.data.reason);
    assert.ok(answer.length < 50_000, `${answer.length} characters`);
  }
});

test("a body of a great many values is refused unread", async () => {
  const answer = await create(`{"prompt":[${"0,".repeat(300_000)}0]}`);
  assert.deepEqual([answer.status, answer.data.reason], [400, "malformed_json"]);
});

test("an answer that would take long to seal, or is nested beyond reason, is no answer", async () => {
  const nested = (depth) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
  for (const body of [
    `{"code":0,"data":{"task":{"id":"t","file_ids":[${"1,".repeat(50_000)}1]}}}`,
    `{"code":12,"data":{"task_ids":[${"1,".repeat(90_000)}1]}}`,
    `{"code":0,"data":{"task":{"id":"t","deep":${nested(100)}}}}`,
    `{"code":1401,"data":${nested(126)}}`,
    '{"code":0,"data":{"task":{"id":"t","a":{"$serde_json::private::Number":"zz"}}}}',
  ]) {
    upstream.answer = () => ({ body, headers: { "content-type": "application/json" } });
    const answer = await create();
    assert.deepEqual([answer.status, answer.data.cause, answer.data.outcome], [502, "not_json", "unknown"], body.slice(0, 60));
  }
  upstream.answer = () => QUEUED;
  assert.equal((await create()).status, 200);
});

test("a refusal that read no body leaves the connection whole", async () => {
  const body = JSON.stringify({ prompt: "p".repeat(200_000) });
  for (let i = 0; i < 30; i++) {
    const refused = await ask("generate/image/text_to_image_turbo", { method: "POST", body, bearer: "no token" });
    assert.equal(refused.status, 401);
    assert.equal((await create()).status, 200);
  }
});

test("a status is about the task that was asked for, however its record names it", async () => {
  const { data } = await create();
  const path = `generate/tasks/${data.task.id}`;
  for (const id of [null, "", {}, []]) {
    upstream.answer = () => ({ json: { code: 0, data: { task: { id, status: "SUCCEEDED" } } } });
    const answer = await ask(path);
    assert.deepEqual([answer.status, answer.data.task?.id], [200, data.task.id], JSON.stringify(id));
  }
  // Another task that a record names may be anybody's.
  upstream.answer = () => ({ json: { code: 0, data: { task: { id: "t", source_task_id: "other" } } } });
  const other = (await ask(path)).data.task.source_task_id;
  upstream.seen.length = 0;
  for (const group of ["generate", "process"]) assert.equal((await ask(`${group}/tasks/${other}`)).data.reason, "unknown_task");
  assert.equal((await ask(`process/tasks/${data.task.id}`)).data.reason, "unknown_task", "nor is it one of the other group");
  assert.equal(upstream.seen.length, 0);
});

test("a 404 that is not the service's own word is no word about the task", async () => {
  upstream.answer = () => QUEUED;
  const { data } = await create();
  for (const [answer, status, reason] of [
    [{ status: 404, body: "<html>" }, 502, "not_json"],
    [{ status: 404, json: { detail: "no such task" } }, 404, "unknown_task"],
    [{ status: 404, json: { code: 12, message: "" } }, 404, "unknown_task"],
    [{ status: 404, json: { code: 13, message: "" } }, 502, "upstream_credentials"],
  ]) {
    upstream.answer = () => answer;
    const read = await ask(`generate/tasks/${data.task.id}`);
    assert.deepEqual([read.status, read.data.reason], [status, reason]);
  }
});

test("an upload is answered with what the page needs, and relayed within bounds", async () => {
  const asked = { file_name: "a.png", content_type: "image/png", size: 10 };
  const upload = { upload_url: `${upstream.url}/put`, file_id: 5, url: "https://h/?sig=secret", files: ["f1"], fields: { id: "f1" } };
  upstream.answer = ({ path }) => (path === "/put" ? { status: 200, body: "" } : { json: { code: 0, data: upload } });
  const { data } = await post("upload_urls", asked);
  assert.deepEqual(Object.keys(data).sort(), ["file_id", "upload_url"]);
  assert.notEqual(data.file_id, "5");
  const none = await fetch(data.upload_url, { method: "PUT", headers: { authorization: `Bearer ${token()}` } });
  assert.deepEqual([none.status, (await none.json()).data.reason], [400, "wrong_size"]);
  const whole = await fetch(data.upload_url, { method: "PUT", body: "0123456789", headers: { authorization: `Bearer ${token()}` } });
  assert.equal(whole.status, 200);
  for (const content_type of ["image/png\r\nx: y", "a\u0000b", "\u00e9", "x".repeat(300)]) {
    const wrong = await post("upload_urls", { ...asked, content_type });
    assert.equal(wrong.data.errors[0].path, "content_type");
  }
});

test("claims of the wrong type keep a token out", async () => {
  for (const claims of [{ nbf: "0" }, { nbf: null }, { nbf: [1] }, { iss: ["x"] }, { iss: 5 }, { scope: ["generate:*"] }]) {
    assert.equal((await ask("models", { bearer: token("a", "generate:*", claims) })).status, 401, JSON.stringify(claims));
  }
});
