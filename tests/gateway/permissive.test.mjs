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
      UPSTREAM_DIALECT: { create: { region: "dotted", video_size: "object" } },
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

const SUBTITLES = "process/video/subtitle_removal";
const LOGO = "process/video/video_logo_removal";
const VIDEO = "generate/video/image_to_video";

test("null is not sent, a region may be partial and dotted, and numbers keep their value", async () => {
  const id = await file("f-1");
  const region = { x: -1, width: null, y: 2.0 };
  const whole = await create(SUBTITLES, {
    file_id: id,
    region,
    "region.height": 7,
    title: null,
  });
  assert.equal(whole.status, 200);
  assert.deepEqual(whole.sent, {
    file_id: "f-1",
    region: { x: -1, y: 2, height: 7 },
  });
  const picture = await create(DRAW, {
    prompt: " ",
    seed: 9007199254740991,
    width: 0,
  });
  assert.deepEqual(
    [picture.status, picture.sent],
    [200, { prompt: " ", seed: 9007199254740991, width: 0 }],
  );
  const large = '{"prompt": "p", "seed": 18446744073709551615}';
  upstream.seen.length = 0;
  await request(`${gateway.url + API}generate/image/text_to_image`, {
    body: large,
  });
  assert.match(
    upstream.seen[0].body,
    /"seed":18446744073709551615/,
    "no digit is lost",
  );
});

test("a region and a size are sent in the dialect's form, whatever the caller wrote", async () => {
  const id = await file("f-1");
  const other = await file("f-1", extended);
  for (const [video_size, list, object] of [
    [[1280, 720], [1280, 720], { width: 1280, height: 720 }],
    [{ width: 1, height: 2 }, [1, 2], { width: 1, height: 2 }],
    [{ w: 1 }, { w: 1 }, { w: 1 }],
    [
      [1, 2, 3],
      [1, 2, 3],
      [1, 2, 3],
    ],
  ]) {
    assert.deepEqual(
      (await create(LOGO, { input_video_file_id: id, video_size })).sent
        .video_size,
      list,
    );
    const shaped = await create(
      LOGO,
      { input_video_file_id: other, video_size },
      { to: extended },
    );
    assert.deepEqual(shaped.sent.video_size, object);
  }
  const body = { file_id: other, region: { x: 1, y: 2 }, "region.width": 3 };
  const { sent } = await create(SUBTITLES, body, { to: extended });
  assert.deepEqual(sent, {
    file_id: "f-1",
    "region.x": 1,
    "region.y": 2,
    "region.width": 3,
  });
});

test("a size as an object may have only numbers, and a hostile one is refused cheaply", async () => {
  const id = await file("f-1");
  for (const video_size of [
    { file_id: "f-2" },
    { callback_url: "http://127.0.0.1/" },
    { width: 1, height: 2, x: {} },
    { ["A".repeat(500_000)]: Array(9_000).fill(0) },
    Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [
        `${index}${"B".repeat(1_000)}`,
        "x",
      ]),
    ),
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
    [{ files: [{ id: "f-2" }] }, "files[0].id"],
    [{ avatar_asset_id: "avatar-1" }, "avatar_asset_id"],
    [{ fileId: 7 }, "fileId"],
    [{ task: { id: "f-2" } }, "task.id"],
    [{ "opts.file_id": "f-2" }, "opts.file_id"],
    [{ image_fiLe_ids: ["f-2"] }, "image_fiLe_ids[0]"],
    [{ references: [{ id: "f-2" }] }, "references[0].id"],
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
  for (const extra of [
    {
      strength: 0.5,
      promt: "q",
      upscale: true,
      ratio: "16:9",
      style: "slow motion",
    },
    { options: { levels: [1, [2, "x_3"]], "fine-tune": { on: false } } },
    { longest: "a".repeat(64), ["b".repeat(64)]: 1, left_out: null, grid: 3 },
  ]) {
    const { status, sent } = await create(
      DRAW,
      { prompt: "p", ...extra },
      { to: open },
    );
    const { left_out: _, ...expected } = {
      left_out: null,
      prompt: "p",
      ...extra,
    };
    assert.deepEqual([status, sent], [200, expected]);
  }
});

test("with EXTRA_FIELDS=*, an address, an id or a longer text is refused, and the message names the remedy", async () => {
  const nested = (value) => ({ options: [{ deep: [value] }] });
  /** @type {[extra: object, path: string][]} */
  const refusals = [
    ...[
      "link",
      "postback",
      "redirect_to",
      "web_hook",
      "constructor",
      "a.b",
      "é",
      "\u{17f}eed",
      "_x",
      "b".repeat(65),
    ].map(
      (name) =>
        /** @type {[object, string]} */ ([
          { options: { [name]: 1 } },
          `options.${name.slice(0, 64)}`,
        ]),
    ),
    [{ options: JSON.parse('{"__proto__": {"a": 1}}') }, "options.__proto__"],
    ...[
      "https:evil.example",
      "//evil.example",
      "evil.example",
      "10.0.0.1",
      "[::1]",
      '{"file_id":"f-2"}',
      "\uff48ttps",
      "a\nb",
      "",
      "c".repeat(65),
    ].flatMap(
      (text) =>
        /** @type {[object, string][]} */ ([
          [{ style: text }, "style"],
          [nested(text), "options[0].deep[0]"],
        ]),
    ),
    [nested(null), "options[0].deep[0]"],
    [{ options: { style_id2: 7 } }, "options.style_id2"],
    [{ parentid: 7 }, "parentid"],
    [{ options: { uuid: "0" } }, "options.uuid"],
    [{ callback: "x" }, "callback"],
    [{ webhookId: 1 }, "webhookId"],
    [{ image_URL: "x" }, "image_URL"],
    [{ options: [{ notify_url: "x" }] }, "options[0].notify_url"],
    [{ Max_Sequence_Length: 4 }, "Max_Sequence_Length"],
  ];
  for (const [extra, path] of refusals) {
    const refused = await create(DRAW, { prompt: "p", ...extra }, { to: open });
    assert.deepEqual(
      [refused.status, refused.sent],
      [400, undefined],
      JSON.stringify(extra),
    );
    const [issue] = refused.data.errors;
    assert.equal(issue.path, path);
    assert.match(issue.message, /EXTRA_FIELDS/);
  }
  for (const name of ["__proto__", "constructor", "link", "ｓｅｅｄ"]) {
    const body = `{"prompt": "p", ${JSON.stringify(name)}: 1}`;
    const refused = await create(DRAW, body, {
      to: open,
    });
    assert.deepEqual([refused.status, refused.sent], [400, undefined], name);
    assert.match(refused.data.errors[0].message, /EXTRA_FIELDS/);
  }
});

test("a create that lacks only a voice has the document's own code", async () => {
  const caller = token("alice", undefined, { assets: ["avatar-1"] });
  const input = { avatar_asset_id: "avatar-1", text: "hello" };
  const talking = "generate/video/text_driven";
  for (const voice of [{}, { voice_asset_id: "" }, { duration_seconds: 0 }]) {
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

test("a token's assets are for its subject alone, and must fit their category", async () => {
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
  const swapped = await create(
    talking,
    { ...input, avatar_asset_id: "voice-1" },
    { caller },
  );
  assert.deepEqual(
    [swapped.status, swapped.code, swapped.sent],
    [409, 1402, undefined],
  );
  assert.equal(swapped.data.reason, "asset_category_mismatch");
  for (const claim of [
    "avatar-1",
    [7],
    [{ id: "a", category: "logo" }],
    { a: 1 },
    null,
  ]) {
    const refused = await create(talking, input, {
      caller: token("alice", undefined, { assets: claim }),
    });
    assert.deepEqual(
      [refused.status, refused.data.reason],
      [401, "invalid_assets"],
      JSON.stringify(claim),
    );
  }
});
