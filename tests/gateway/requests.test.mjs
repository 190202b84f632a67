// What the gateway lets through, in workerd, with an upstream that counts what reaches it.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { SETTINGS, startGateway } from "../support/gateway.mjs";
import { token } from "../support/token.mjs";
import { startUpstream } from "../support/upstream.mjs";

const ORIGIN = "https://app.example.com";
const CREATE = "/api/app/v1/generate/video/text_driven";
const BODY = { avatar_asset_id: "public-avatar", voice_asset_id: "public-voice", text: "hello" };
const TASK = { code: 0, message: "ok", data: { task: { id: "task-1", status: "QUEUED" } } };

let upstream, gateway;
before(async () => {
  upstream = await startUpstream(() => ({ json: TASK }));
  gateway = await startGateway({
    UPSTREAM_BASE_URL: upstream.url,
    ALLOWED_ORIGINS: ORIGIN,
    PUBLIC_ASSETS: "public-avatar,public-voice",
    MAX_BODY_BYTES: "4096",
    UPSTREAM_TIMEOUT_MS: "1500",
    ANONYMOUS_SESSIONS: "on",
  });
});
after(() => Promise.all([gateway?.stop(), upstream?.stop()]));
beforeEach(() => {
  upstream.seen.length = 0;
  upstream.answer = () => ({ json: TASK });
});

const ask = async (method, path, { body, bearer = token(), headers = {} } = {}) => {
  const response = await fetch(gateway.url + path, {
    method,
    redirect: "manual",
    headers: { ...(bearer && { authorization: `Bearer ${bearer}` }), ...headers },
    body: body === undefined || typeof body === "string" ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return { ...(text.startsWith("{") && JSON.parse(text)), status: response.status, headers: response.headers, text };
};

/** Asserts a refusal: its status, code and reason, and that nothing reached the service. */
const refused = (answer, status, code, reason, calls = 0) => {
  assert.deepEqual([answer.status, answer.code, answer.data?.reason], [status, code, reason], answer.text);
  assert.ok(answer.message, "a refusal says why");
  assert.equal(answer.data.request_id, answer.headers.get("x-request-id"));
  assert.equal(upstream.seen.length, calls);
};

describe("routes", () => {
  test("the health check needs nobody", async () => {
    const answer = await ask("GET", "/healthz", { bearer: null });
    assert.deepEqual([answer.status, answer.text], [200, '{"status":"ok"}']);
  });

  test("only documented pairs of method and path are there", async () => {
    for (const path of ["/api/app/v1/", "/api/app/v1/generate/video/nothing", "/api/app/v2/models", `${CREATE}/`, `/${CREATE}`, CREATE.replace("video", "%76ideo"), "/nothing"])
      refused(await ask(path === "/nothing" ? "GET" : "POST", path, { body: path === "/nothing" ? undefined : BODY }), 404, 12, "unknown_path");
    const wrong = await ask("GET", CREATE);
    refused(wrong, 405, 12, "unknown_method");
    assert.equal(wrong.headers.get("allow"), "POST");
  });
});

describe("callers", () => {
  test("without a valid token nobody gets in", async () => {
    refused(await ask("POST", CREATE, { body: BODY, bearer: null }), 401, 13, "no_token");
    refused(await ask("POST", CREATE, { body: BODY, bearer: SETTINGS.UPSTREAM_API_KEY }), 401, 13, "invalid_token");
    refused(await ask("POST", CREATE, { body: BODY, bearer: token("alice", "generate:*", { exp: 1 }) }), 401, 13, "expired_token");
    refused(await ask("POST", CREATE, { body: BODY, bearer: token("alice", "generate:*", { aud: "other" }) }), 401, 13, "wrong_audience");
    refused(await ask("GET", "/api/app/v1/generate/tasks/x", { bearer: null }), 401, 13, "no_token");
  });

  test("a token's scope bounds what it may create", async () => {
    for (const scope of ["", "process:*", "image_to_video", "everything"])
      refused(await ask("POST", CREATE, { body: BODY, bearer: token("alice", scope) }), 403, 13, "scope");
    refused(await ask("POST", "/api/app/v1/upload_urls", { body: {}, bearer: token("alice", "generate:*") }), 403, 13, "scope");
  });

  test("a page of another origin is refused, and an allowed one may read the answer", async () => {
    for (const origin of ["https://evil.example.com", "null", "https://app.example.com.evil.com", "http://app.example.com"])
      refused(await ask("POST", CREATE, { body: BODY, headers: { origin } }), 403, 13, "origin_not_allowed");
    const preflight = await ask("OPTIONS", CREATE, { headers: { origin: ORIGIN, "access-control-request-method": "POST" } });
    assert.equal(preflight.status, 204);
    assert.equal(preflight.headers.get("access-control-allow-origin"), ORIGIN);
    assert.match(preflight.headers.get("access-control-allow-headers"), /idempotency-key/);
    assert.ok(Number(preflight.headers.get("access-control-max-age")) >= 600, "asked once, not before every request");
    assert.ok(preflight.headers.get("x-request-id") && preflight.headers.get("server-timing"));
    const answer = await ask("POST", CREATE, { body: BODY, headers: { origin: ORIGIN } });
    assert.equal(answer.headers.get("access-control-allow-origin"), ORIGIN);
    assert.equal(answer.headers.get("access-control-allow-credentials"), null);
    assert.match(answer.headers.get("access-control-expose-headers"), /x-request-id/);
  });

  test("an anonymous session is for allowed pages, and keeps its subject", async () => {
    const headers = { origin: ORIGIN, "x-mediagate": "1" };
    refused(await ask("POST", "/session", { bearer: null }), 403, 13, "origin_not_allowed");
    refused(await ask("POST", "/session", { bearer: null, headers: { origin: ORIGIN } }), 403, 13, "origin_not_allowed");
    refused(await ask("POST", "/session", { bearer: null, headers: { ...headers, origin: "https://evil.example.com" } }), 403, 13, "origin_not_allowed");
    const subject = (answer) => JSON.parse(Buffer.from(answer.data.session.token.split(".")[1], "base64url")).sub;
    const first = await ask("POST", "/session", { bearer: null, headers });
    assert.ok(subject(first).startsWith("anon:") && first.data.session.expires_in > 0);
    const again = await ask("POST", "/session", { bearer: first.data.session.token, headers });
    assert.equal(subject(again), subject(first));
    assert.notEqual(subject(await ask("POST", "/session", { bearer: null, headers })), subject(first));
    assert.equal((await ask("POST", CREATE, { body: BODY, bearer: again.data.session.token })).code, 0);
    refused(await ask("POST", CREATE, { body: BODY, bearer: token(subject(first)) }), 401, 13, "invalid_subject", 1);
  });
});

describe("requests", () => {
  test("a bad body is refused with everything that is wrong with it", async () => {
    const answer = await ask("POST", CREATE, { body: { avatarAssetId: "a", text: " ", duration_seconds: 0.5 } });
    refused(answer, 400, 12, "invalid_fields");
    assert.deepEqual(answer.data.errors.map((it) => it.path), ["avatarAssetId", "avatar_asset_id", "voice_asset_id", "text", "duration_seconds"]);
    assert.equal(answer.data.outcome, "not_sent");
    for (const body of ["", "{", "[1,", "\u0000", '{"a":1}x']) refused(await ask("POST", CREATE, { body }), 400, 12, "malformed_json");
    refused(await ask("POST", CREATE, { body: "[".repeat(2000) + "]".repeat(2000) }), 400, 12, "malformed_json");
    for (const body of ["null", "[]", '"text"', "7"]) refused(await ask("POST", CREATE, { body }), 400, 12, "invalid_fields");
    refused(await ask("POST", CREATE, { body: { ...BODY, text: "x".repeat(5000) } }), 413, 12, "body_too_large");
  });

  test("a body is counted, whatever it says of itself", async () => {
    const stream = new ReadableStream({
      start(controller) {
        for (let i = 0; i < 8; i++) controller.enqueue(new TextEncoder().encode(" ".repeat(1024)));
        controller.close();
      },
    });
    const response = await fetch(gateway.url + CREATE, { method: "POST", body: stream, duplex: "half", headers: { authorization: `Bearer ${token()}` } });
    assert.equal(response.status, 413);
    assert.equal(upstream.seen.length, 0);
  });

  test("the service is sent what the catalogue knows, under our key, and nothing of the caller's", async () => {
    const body = { title: "t", text: "hello", voice_asset_id: "public-voice", avatar_asset_id: "public-avatar", duration_seconds: 5.0 };
    const headers = { cookie: "a=b", "x-forwarded-for": "1.2.3.4", "x-evil": "1", "idempotency-key": "k", "content-type": "text/plain" };
    const answer = await ask("POST", `${CREATE}?debug=1`, { body, headers });
    assert.equal(answer.status, 200);
    const [sent] = upstream.seen;
    assert.equal(sent.path, CREATE);
    assert.equal(sent.headers.authorization, `Bearer ${SETTINGS.UPSTREAM_API_KEY}`);
    for (const name of ["cookie", "x-evil", "idempotency-key", "origin", "x-forwarded-for"]) assert.equal(sent.headers[name], undefined, name);
    assert.equal(sent.body, '{"avatar_asset_id":"public-avatar","duration_seconds":5,"text":"hello","title":"t","voice_asset_id":"public-voice"}');
  });

  test("assets that are not public are unknown", async () => {
    const answer = await ask("POST", CREATE, { body: { ...BODY, voice_asset_id: "somebody-elses" } });
    refused(answer, 400, 12, "invalid_fields");
    assert.deepEqual(answer.data.errors.map((it) => [it.path, it.reason]), [["voice_asset_id", "unknown_id"]]);
  });
});

describe("sealed ids", () => {
  const file = { code: 0, data: { upload_url: "http://127.0.0.1:9/put", file_id: "file-1" } };
  const upload = async (bearer) => {
    upstream.answer = () => ({ json: file });
    const answer = await ask("POST", "/api/app/v1/upload_urls", { bearer, body: { file_name: "a.png", content_type: "image/png", size: 3 } });
    assert.equal(answer.status, 200, answer.text);
    upstream.answer = () => ({ json: TASK });
    return answer.data.file_id;
  };

  test("a file's id is opened for its owner, in arrays and alone", async () => {
    const [alice, bob] = [token("alice"), token("bob")];
    const id = await upload(alice);
    assert.notEqual(id, "file-1");
    upstream.seen.length = 0;
    const merge = (bearer, ids) => ask("POST", "/api/app/v1/process/asset/merge_pdf", { bearer, body: { input_file_ids: ids } });
    assert.equal((await merge(alice, [id, id])).code, 0);
    assert.deepEqual(JSON.parse(upstream.seen.pop().body), { input_file_ids: ["file-1", "file-1"] });
    for (const [bearer, ids] of [[bob, [id]], [alice, [id, "file-1"]], [alice, [`${id}A`]], [alice, [id.slice(1)]]]) {
      const answer = await merge(bearer, ids);
      refused(answer, 400, 12, "invalid_fields");
      assert.match(answer.data.errors[0].path, /^input_file_ids\[[01]\]$/);
    }
    const logo = await ask("POST", "/api/app/v1/process/video/video_logo_removal", { bearer: alice, body: { input_video_file_id: id, logo_file_id: id } });
    assert.equal(logo.code, 0);
    assert.deepEqual(JSON.parse(upstream.seen.pop().body), { input_video_file_id: "file-1", logo_file_id: ["file-1"] });
  });

  test("a task is there for its owner; for everybody else it is one that never was", async () => {
    const created = await ask("POST", CREATE, { body: BODY });
    const { id } = created.data.task;
    assert.notEqual(id, "task-1");
    assert.equal(created.data.task.state, "QUEUED");
    upstream.seen.length = 0;
    const read = (bearer, path) => ask("GET", `/api/app/v1/generate/tasks/${path}`, { bearer });
    assert.equal((await read(token(), id)).data.task.id, id);
    assert.equal(upstream.seen.pop().path, "/api/app/v1/generate/tasks/task-1");
    const strip = ({ text, data }) => text.replaceAll(data.request_id, "-");
    const fileId = await upload(token());
    upstream.seen.length = 0;
    const answers = [];
    for (const [bearer, path] of [[token("bob"), id], [token(), "task-1"], [token(), fileId], [token(), id.slice(0, -1)], [token(), `${id}=`], [token(), "x"]]) {
      const answer = await read(bearer, path);
      refused(answer, 404, 12, "unknown_task");
      answers.push(strip(answer));
    }
    upstream.answer = () => ({ status: 400, json: { code: 12, message: "no such task task-1" } });
    const gone = await read(token(), id);
    refused(gone, 404, 12, "unknown_task", 1);
    answers.push(strip(gone));
    assert.equal(new Set(answers).size, 1, "all alike, byte for byte");
  });

  test("every id in a record is sealed, and numbers are ids too", async () => {
    const record = '{"code":0,"data":{"task":{"id":12345678901234567890123,"state":7,"input_file_ids":["f1"],"result":{"asset":{"id":"a1"},"outputs":[{"url":"https://h/x.mp4","asset_id":9}]}}}}';
    upstream.answer = () => ({ body: record });
    const created = await ask("POST", CREATE, { body: BODY });
    assert.equal(created.status, 200, created.text);
    const { task } = created.data;
    assert.equal(task.state, "7");
    for (const raw of ["12345678901234567890123", '"f1"', '"a1"', '"asset_id":9']) assert.ok(!created.text.includes(raw), raw);
    assert.deepEqual(task.outputs[0], { url: "https://h/x.mp4", asset_id: task.result.outputs[0].asset_id, kind: "video" });
    await ask("GET", `/api/app/v1/generate/tasks/${task.id}`);
    assert.equal(upstream.seen.pop().path, "/api/app/v1/generate/tasks/12345678901234567890123");
    upstream.answer = () => ({ json: TASK });
    const asset = await ask("POST", CREATE, { body: { ...BODY, voice_asset_id: task.outputs[0].asset_id } });
    assert.equal(asset.code, 0);
    assert.equal(JSON.parse(upstream.seen.pop().body).voice_asset_id, "9");
    const stolen = await ask("POST", CREATE, { bearer: token("bob"), body: { ...BODY, voice_asset_id: task.outputs[0].asset_id } });
    assert.equal(stolen.data.errors[0].path, "voice_asset_id");
  });
});
