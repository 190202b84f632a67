// Requests that the gateway passes on. It runs in workerd, with a fake upstream that counts the
// requests.
import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { SETTINGS } from "../support/gateway.mjs";
import { request } from "../support/request.mjs";
import { token } from "../support/token.mjs";
import { startWorld, taskResponse } from "../support/world.mjs";

const ORIGIN = "https://app.example.com";
const API = "/api/app/v1/";
const CREATE = `${API}generate/video/text_driven`;
const BODY = {
  avatar_asset_id: "public-avatar",
  voice_asset_id: "public-voice",
  text: "hello",
};
const TASK = taskResponse("QUEUED", "task-1");

const { upstream, gateway } = await startWorld(() => TASK, {
  ALLOWED_ORIGINS: ORIGIN,
  PUBLIC_ASSETS: "public-avatar,public-voice",
  MAX_BODY_BYTES: "4096",
  UPSTREAM_TIMEOUT_MS: "1500",
  ANONYMOUS_SESSIONS: "on",
});
beforeEach(() => {
  upstream.seen.length = 0;
  upstream.respond = () => TASK;
});

const send = (method, path, options) =>
  request(gateway.url + path, { method, ...options });
const create = (options = {}) =>
  send("POST", CREATE, { body: BODY, ...options });

/** Asserts a refusal: its status, code and reason, and that no request reached the upstream. */
const assertRefused = (response, status, code, reason, calls = 0) => {
  assert.deepEqual(
    [response.status, response.code, response.data?.reason],
    [status, code, reason],
    response.text,
  );
  assert.ok(response.message, "a refusal has a message");
  assert.equal(response.data.request_id, response.headers.get("x-request-id"));
  assert.equal(upstream.seen.length, calls);
};

describe("routes", () => {
  test("only documented pairs of method and path exist", async () => {
    for (const path of ["/api/app/v1/generate/video/nothing", `${CREATE}/`])
      assertRefused(
        await send("POST", path, { body: BODY }),
        404,
        12,
        "unknown_path",
      );
    const wrong = await send("GET", CREATE);
    assertRefused(wrong, 405, 12, "unknown_method");
    assert.equal(wrong.headers.get("allow"), "POST");
  });
});

describe("callers", () => {
  test("a request without a valid token is refused", async () => {
    for (const [bearer, reason] of [
      [null, "no_token"],
      [SETTINGS.UPSTREAM_API_KEY, "invalid_token"],
      [token("alice", "generate:*", { exp: 1 }), "expired_token"],
    ])
      assertRefused(await create({ bearer }), 401, 13, reason);
    const read = await send("GET", `${API}generate/tasks/x`, { bearer: null });
    assertRefused(read, 401, 13, "no_token");
  });

  test("a token's scope limits its creates", async () => {
    for (const scope of ["", "process:*", "image_to_video", "everything"]) {
      const bearer = token("alice", scope);
      assertRefused(await create({ bearer }), 403, 13, "scope");
    }
    const bearer = token("alice", "generate:*");
    const upload = await send("POST", `${API}upload_urls`, {
      body: {},
      bearer,
    });
    assertRefused(upload, 403, 13, "scope");
    const estimate = { capability: "text_to_image", input: BODY };
    for (const [path, body, capability] of [
      [CREATE, BODY, CREATE.split("/").at(-1)],
      [`${API}credits/estimate`, estimate, "text_to_image"],
    ]) {
      const bearer = token("alice", "process:*");
      const { status, data } = await send("POST", path, { body, bearer });
      assert.deepEqual(
        [status, data.reason, data.capability],
        [403, "scope", capability],
      );
    }
  });

  test("a page of another origin is refused, and an allowed one may read the response", async () => {
    const refused = await create({ headers: { origin: "null" } });
    assertRefused(refused, 403, 13, "origin_not_allowed");
    const preflight = await send("OPTIONS", CREATE, {
      headers: { origin: ORIGIN, "access-control-request-method": "POST" },
    });
    assert.equal(preflight.status, 204);
    assert.equal(preflight.headers.get("access-control-allow-origin"), ORIGIN);
    assert.match(
      preflight.headers.get("access-control-allow-headers"),
      /idempotency-key/,
    );
    assert.match(
      preflight.headers.get("access-control-allow-methods"),
      /\bDELETE\b/,
    );
    assert.ok(
      Number(preflight.headers.get("access-control-max-age")) >= 600,
      "one preflight serves many requests",
    );
    const own = "traceparent,x-team, bad name,,x-\u00fc";
    const more = await send("OPTIONS", CREATE, {
      headers: {
        origin: ORIGIN,
        "access-control-request-method": "POST",
        "access-control-request-headers": own,
      },
    });
    assert.match(
      more.headers.get("access-control-allow-headers"),
      /authorization.*, traceparent, x-team$/,
    );
    assert.ok(
      preflight.headers.get("x-request-id") &&
        preflight.headers.get("server-timing"),
    );
    const response = await create({ headers: { origin: ORIGIN } });
    assert.equal(response.headers.get("access-control-allow-origin"), ORIGIN);
    assert.equal(
      response.headers.get("access-control-allow-credentials"),
      null,
    );
    assert.match(
      response.headers.get("access-control-expose-headers"),
      /x-request-id/,
    );
  });

  test("an anonymous session is for allowed pages, and keeps its subject", async () => {
    const allowed = { origin: ORIGIN, "x-mediagate": "1" };
    const open = (headers, bearer = null) =>
      send("POST", "/session", { bearer, headers });
    for (const headers of [
      {},
      { origin: ORIGIN },
      { ...allowed, origin: "https://evil.example.com" },
    ])
      assertRefused(await open(headers), 403, 13, "origin_not_allowed");
    const subject = ({ data }) => {
      const [, claims] = data.session.token.split(".");
      return JSON.parse(Buffer.from(claims, "base64url").toString()).sub;
    };
    const first = await open(allowed);
    assert.ok(subject(first).startsWith("anon:"));
    assert.ok(first.data.session.expires_in > 0);
    const again = await open(allowed, first.data.session.token);
    assert.equal(subject(again), subject(first));
    assert.notEqual(subject(await open(allowed)), subject(first));
    const bearer = again.data.session.token;
    assert.equal((await create({ bearer })).code, 0);
    const forged = await create({ bearer: token(subject(first)) });
    assertRefused(forged, 401, 13, "invalid_subject", 1);
  });
});

describe("requests", () => {
  test("an invalid body is refused with every issue", async () => {
    const response = await create({
      body: { avatarAssetId: "a", text: " ", duration_seconds: 0.5 },
    });
    assertRefused(response, 400, 12, "invalid_fields");
    assert.deepEqual(
      response.data.errors.map((error) => error.path),
      [
        "avatarAssetId",
        "avatar_asset_id",
        "voice_asset_id",
        "text",
        "duration_seconds",
      ],
    );
    assert.equal(response.data.outcome, "not_sent");
    for (const body of ["", '{"a":1}x'])
      assertRefused(await create({ body }), 400, 12, "malformed_json");
    assertRefused(await create({ body: "[]" }), 400, 12, "invalid_fields");
    const large = await create({ body: { ...BODY, text: "x".repeat(5000) } });
    assertRefused(large, 413, 12, "body_too_large");
  });

  test("the upstream gets the catalogue's fields and the gateway's key, and nothing else from the caller", async () => {
    const body = {
      title: "t",
      text: "hello",
      voice_asset_id: "public-voice",
      avatar_asset_id: "public-avatar",
      duration_seconds: 5.0,
    };
    const headers = {
      cookie: "a=b",
      "x-forwarded-for": "1.2.3.4",
      "x-evil": "1",
      "idempotency-key": "k",
      "content-type": "text/plain",
    };
    const response = await send("POST", `${CREATE}?debug=1`, { body, headers });
    assert.equal(response.status, 200);
    const [sent] = upstream.seen;
    assert.equal(sent.path, CREATE);
    assert.equal(
      sent.headers.authorization,
      `Bearer ${SETTINGS.UPSTREAM_API_KEY}`,
    );
    for (const name of [
      "cookie",
      "x-evil",
      "idempotency-key",
      "origin",
      "x-forwarded-for",
    ])
      assert.equal(sent.headers[name], undefined, name);
    assert.equal(
      sent.body,
      '{"avatar_asset_id":"public-avatar","duration_seconds":5,"text":"hello","title":"t","voice_asset_id":"public-voice"}',
    );
  });
});

describe("sealed ids", () => {
  const file = {
    code: 0,
    data: { upload_url: "http://127.0.0.1:9/put", file_id: "file-1" },
  };
  const upload = async (bearer) => {
    upstream.respond = () => ({ json: file });
    const response = await send("POST", `${API}upload_urls`, {
      bearer,
      body: { file_name: "a.png", content_type: "image/png", size: 3 },
    });
    assert.equal(response.status, 200, response.text);
    upstream.respond = () => TASK;
    return response.data.file_id;
  };

  test("a file's id is unsealed for its owner only, in lists and alone", async () => {
    const alice = token("alice");
    const bob = token("bob");
    const id = await upload(alice);
    assert.notEqual(id, "file-1");
    upstream.seen.length = 0;
    const merge = (bearer, ids) =>
      send("POST", `${API}process/asset/merge_pdf`, {
        bearer,
        body: { input_file_ids: ids },
      });
    assert.equal((await merge(alice, [id, id])).code, 0);
    assert.deepEqual(JSON.parse(upstream.seen.pop().body), {
      input_file_ids: ["file-1", "file-1"],
    });
    for (const [bearer, ids] of [
      [bob, [id]],
      [alice, [id, "file-1"]],
      [alice, [`${id}A`]],
      [alice, [id.slice(1)]],
    ]) {
      const response = await merge(bearer, ids);
      assertRefused(response, 400, 12, "invalid_fields");
      assert.match(response.data.errors[0].path, /^input_file_ids\[[01]\]$/);
    }
    const logo = await send("POST", `${API}process/video/video_logo_removal`, {
      bearer: alice,
      body: { input_video_file_id: id, logo_file_id: id },
    });
    assert.equal(logo.code, 0);
    assert.deepEqual(JSON.parse(upstream.seen.pop().body), {
      input_video_file_id: "file-1",
      logo_file_id: ["file-1"],
    });
  });

  test("a task is visible to its owner; to other callers it is an unknown task", async () => {
    const created = await create();
    const { id } = created.data.task;
    assert.notEqual(id, "task-1");
    assert.equal(created.data.task.state, "QUEUED");
    upstream.seen.length = 0;
    const read = (bearer, path) =>
      send("GET", `${API}generate/tasks/${path}`, { bearer });
    assert.equal((await read(token(), id)).data.task.id, id);
    assert.equal(upstream.seen.pop().path, "/api/app/v1/generate/tasks/task-1");
    /** @param {import("../support/request.mjs").Reply} reply */
    const strip = ({ text, data }) => text.replaceAll(data.request_id, "-");
    const fileId = await upload(token());
    upstream.seen.length = 0;
    const texts = [];
    for (const [bearer, path] of [
      [token("bob"), id],
      [token(), "task-1"],
      [token(), fileId],
      [token(), id.slice(0, -1)],
      [token(), `${id}=`],
      [token(), "x"],
    ]) {
      const response = await read(bearer, path);
      assertRefused(response, 404, 12, "unknown_task");
      texts.push(strip(response));
    }
    upstream.respond = () => ({
      status: 400,
      json: { code: 12, message: "no such task task-1" },
    });
    const gone = await read(token(), id);
    assertRefused(gone, 404, 12, "unknown_task", 1);
    texts.push(strip(gone));
    assert.equal(new Set(texts).size, 1, "all the same, byte for byte");
  });

  test("every id in a record is sealed, and numbers are ids too", async () => {
    const record =
      '{"code":0,"data":{"task":{"id":12345678901234567890123,"state":7,"input_file_ids":["f1"],"result":{"asset":{"id":"a1"},"outputs":[{"url":"https://h/x.mp4","asset_id":9}]}}}}';
    upstream.respond = () => ({ body: record });
    const created = await create();
    assert.equal(created.status, 200, created.text);
    const { task } = created.data;
    assert.equal(task.state, "7");
    assert.ok(!created.text.includes('"asset_id":9'));
    assert.deepEqual(task.outputs[0], {
      url: "https://h/x.mp4",
      asset_id: task.result.outputs[0].asset_id,
      kind: "video",
    });
    await send("GET", `${API}generate/tasks/${task.id}`);
    assert.equal(
      upstream.seen.pop().path,
      "/api/app/v1/generate/tasks/12345678901234567890123",
    );
    upstream.respond = () => TASK;
    const asset = await create({
      body: { ...BODY, voice_asset_id: task.outputs[0].asset_id },
    });
    assert.equal(asset.code, 0);
    assert.equal(JSON.parse(upstream.seen.pop().body).voice_asset_id, "9");
    const stolen = await send("POST", CREATE, {
      bearer: token("bob"),
      body: { ...BODY, voice_asset_id: task.outputs[0].asset_id },
    });
    assert.equal(stolen.data.errors[0].path, "voice_asset_id");
  });
});
