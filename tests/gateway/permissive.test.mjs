// The fields of a create: all that the document allows, and those that the operator adds.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startGateway } from "../support/gateway.mjs";
import { request } from "../support/request.mjs";
import { token } from "../support/token.mjs";
import { startUpstream } from "../support/upstream.mjs";
import { taskResponse } from "../support/world.mjs";

const API = "/api/app/v1/";
const TASK = taskResponse("QUEUED", "task-1");
const DRAW = "generate/image/text_to_image";
const EXTRA = {
  image_to_video: ["camera", "promptt", "mask_file_id", "extra"],
  "*": ["style"],
};

let upstream, gateway, extended, open;
const stops = [];
before(async () => {
  upstream = await startUpstream(() => TASK);
  const settings = {
    UPSTREAM_BASE_URL: upstream.url,
    UPLOAD_HOSTS: "127.0.0.1",
  };
  const start = async (more) => {
    const started = await startGateway({ ...settings, ...more });
    stops.push(started.stop);
    return started;
  };
  [gateway, extended, open] = await Promise.all([
    start({ UPSTREAM_MODELS_PATH: "" }),
    start({
      UPSTREAM_MODELS_PATH: "",
      EXTRA_FIELDS: EXTRA,
    }),
    start({ UPSTREAM_MODELS_PATH: "", EXTRA_FIELDS: "*" }),
  ]);
});
after(() => Promise.all([...stops.map((stop) => stop()), upstream?.stop()]));

/** Returns the sealed id of a file, whose id at the upstream is `id`. */
async function file(id, to = gateway, caller = token()) {
  upstream.respond = () => ({
    json: { code: 0, data: { upload_url: `${upstream.url}/put`, file_id: id } },
  });
  const body = { file_name: "a.png", content_type: "image/png", size: 3 };
  const { data } = await request(`${to.url + API}upload_urls`, {
    bearer: caller,
    body,
  });
  return data.file_id;
}

/**
 * Sends a create. Returns its response, and the body that reached the upstream.
 *
 * @param {string} path
 * @param {unknown} body
 * @param {{ to?: { url: string }, caller?: string }} [options]
 * @returns {Promise<import("../support/request.mjs").Reply>}
 */
async function create(path, body, { to = gateway, caller = token() } = {}) {
  upstream.respond = () => TASK;
  upstream.seen.length = 0;
  const response = await request(`${to.url + API}${path}`, {
    bearer: caller,
    body,
  });
  const [sent] = upstream.seen;
  return { ...response, sent: sent && JSON.parse(sent.body) };
}

const LOGO = "process/video/video_logo_removal";
const VIDEO = "generate/video/image_to_video";

test("null is not sent, and numbers keep their value", async () => {
  const body = '{"prompt": "p", "title": null, "seed": 18446744073709551615}';
  const { status } = await create(DRAW, body);
  assert.equal(status, 200);
  assert.equal(
    upstream.seen[0].body,
    '{"prompt":"p","seed":18446744073709551615}',
    "no digit is lost",
  );
  // Members of a region may be fields of their own.
  const { sent } = await create("process/video/subtitle_removal", {
    file_id: await file("f-1"),
    region: { x: -1, width: null },
    "region.height": 7,
  });
  assert.deepEqual(sent, { file_id: "f-1", region: { x: -1, height: 7 } });
});

test("a hostile size is refused cheaply", async () => {
  const id = await file("f-1");
  for (const video_size of [
    { file_id: "f-2" },
    { callback_url: "http://127.0.0.1/" },
    { ["A".repeat(500_000)]: Array(9_000).fill(0) },
  ]) {
    const started = Date.now();
    const { status, text, sent } = await create(LOGO, {
      input_video_file_id: id,
      video_size,
    });
    assert.deepEqual([status, sent], [400, undefined]);
    assert.ok(text.length < 100_000 && Date.now() - started < 30_000);
  }
});

test("an unknown field is refused, and the message names the setting", async () => {
  const id = await file("f-1");
  for (const [name, more] of /** @type {[string, RegExp][]} */ ([
    ["promt", /did you mean prompt\?/],
    ["style", /leave it out/],
  ])) {
    const { status, code, data, sent } = await create(VIDEO, {
      file_id: id,
      prompt: "p",
      [name]: 1,
    });
    assert.deepEqual([status, code, sent], [400, 12, undefined]);
    const [{ path, message, severity }] = data.errors;
    assert.deepEqual([path, severity], [name, "error"]);
    assert.match(message, more);
    assert.match(message, /EXTRA_FIELDS/);
  }
});

test("a field in EXTRA_FIELDS is sent on, even one like a known field, and its ids must be the caller's", async () => {
  const id = await file("f-1", extended);
  const mask = await file("f-2", extended);
  const foreign = await file("f-3", extended, token("mallory"));
  const body = {
    file_id: id,
    prompt: "p",
    promptt: "q",
    style: { a: [1.0, null] },
    camera: null,
    mask_file_id: mask,
  };
  const { status, sent } = await create(VIDEO, body, { to: extended });
  assert.equal(status, 200);
  assert.deepEqual(sent, {
    file_id: "f-1",
    prompt: "p",
    mask_file_id: "f-2",
    promptt: "q",
    style: { a: [1, null] },
  });
  /** @type {[extra: object, path: string, reason?: string][]} */
  const refusals = [
    [{ file_id: foreign }, "file_id"],
    [
      { deep: [{ source_file_ids: [mask, "f-2"] }] },
      "deep[0].source_file_ids[1]",
    ],
    [{ avatar_asset_id: "avatar-1" }, "avatar_asset_id"],
    [{ "opts.file_id": "f-2" }, "opts.file_id"],
    [{ file_id: { value: "f-2" } }, "file_id", "wrong_type"],
    [{ files: ["f-2"] }, "files[0]"],
  ];
  for (const [extra, path, reason = "unknown_id"] of refusals) {
    const refused = await create(
      VIDEO,
      { file_id: id, prompt: "p", extra },
      { to: extended },
    );
    assert.deepEqual([refused.status, refused.sent], [400, undefined], path);
    const [issue] = refused.data.errors;
    assert.deepEqual([issue.path, issue.reason], [`extra.${path}`, reason]);
  }
  const nested = { deep: [{ source_file_ids: [mask] }], files: [{ id: mask }] };
  const passed = await create(
    VIDEO,
    { file_id: id, prompt: "p", extra: nested },
    { to: extended },
  );
  assert.deepEqual(passed.sent.extra, {
    deep: [{ source_file_ids: ["f-2"] }],
    files: [{ id: "f-2" }],
  });
  const elsewhere = await create(
    "process/asset/merge_pdf",
    { input_file_ids: [id], camera: 1 },
    { to: extended },
  );
  assert.equal(elsewhere.status, 400, "it is named for another capability");
  const split = {
    input_file_id: id,
    segments: [{ start_time: "00:00:00", end_time: "00:00:01", style: 1 }],
  };
  assert.equal(
    (await create("process/video/split_video", split, { to: extended })).status,
    400,
  );
});

test("with EXTRA_FIELDS=*, plain names pass with numbers, booleans and short plain words, at any depth", async () => {
  const extra = {
    ratio: "16:9",
    options: { levels: [1, [2, "x_3"]], "fine-tune": { on: false } },
  };
  const { status, sent } = await create(
    DRAW,
    { prompt: "p", ...extra, left_out: null },
    { to: open },
  );
  assert.deepEqual([status, sent], [200, { prompt: "p", ...extra }]);
});

test("with EXTRA_FIELDS=*, an address, an id or a longer text is refused, and the message names the remedy", async () => {
  /** @type {[extra: object, path: string][]} */
  const refusals = [
    [JSON.parse('{"__proto__": {"a": 1}}'), "__proto__"],
    [{ style: "//evil.example" }, "style"],
    [{ options: [{ deep: ["c".repeat(65)] }] }, "options[0].deep[0]"],
    [{ options: [{ deep: [null] }] }, "options[0].deep[0]"],
    [{ options: { style_id2: 7 } }, "options.style_id2"],
    [{ options: [{ notify_url: "x" }] }, "options[0].notify_url"],
    // A name like that of a known field.
    [{ Max_Sequence_Length: 4 }, "Max_Sequence_Length"],
    [{ ｓｅｅｄ: 1 }, "ｓｅｅｄ"],
  ];
  for (const [extra, path] of refusals) {
    const body = JSON.stringify({ ...extra, prompt: "p" });
    const refused = await create(DRAW, body, { to: open });
    assert.deepEqual([refused.status, refused.sent], [400, undefined], body);
    const [issue] = refused.data.errors;
    assert.equal(issue.path, path);
    assert.match(issue.message, /EXTRA_FIELDS/);
  }
});

test("a create that lacks only a voice has the document's own code", async () => {
  const caller = token("alice", undefined, { assets: ["avatar-1"] });
  const input = { avatar_asset_id: "avatar-1", text: "hello" };
  const talking = "generate/video/text_driven";
  for (const voice of [{}, { voice_asset_id: "" }]) {
    const { status, code, data, sent } = await create(
      talking,
      { ...input, ...voice },
      { caller },
    );
    assert.deepEqual(
      [status, code, data.reason, data.outcome],
      [422, 1403, "voice_asset_required", "not_sent"],
    );
    assert.equal(sent, undefined);
  }
  const both = await create(
    talking,
    { avatar_asset_id: "avatar-1" },
    { caller },
  );
  assert.deepEqual([both.status, both.code], [400, 12]);
});

test("a token's assets are for its subject alone", async () => {
  const talking = "generate/video/text_driven";
  const assets = ["avatar-1", { id: "voice-1", category: "voice" }];
  const caller = token("alice", undefined, { assets });
  const input = {
    avatar_asset_id: "avatar-1",
    voice_asset_id: "voice-1",
    text: "hello",
  };
  const created = await create(talking, input, { caller });
  assert.deepEqual([created.status, created.sent], [200, input]);
  assert.equal((await create(talking, input)).status, 400, "another token");
});
