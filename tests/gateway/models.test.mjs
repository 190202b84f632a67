// The model catalogue. A value that it excludes is refused before it costs, and nothing else is.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { folder } from "../support/folder.mjs";
import { startGateway } from "../support/gateway.mjs";
import { request } from "../support/request.mjs";
import { token } from "../support/token.mjs";
import { startUpstream } from "../support/upstream.mjs";

const API = "/api/app/v1/";
const TALKING = "generate/video/text_driven";
const PICTURE = "generate/image/text_to_image";
const caller = token("alice", undefined, { assets: ["avatar-1", "voice-1"] });
const INPUT = {
  avatar_asset_id: "avatar-1",
  voice_asset_id: "voice-1",
  text: "hello",
};
const MODELS = [
  {
    model_id: "m",
    capability: "text_driven",
    generation_options: { clarity: ["720P", "1080P"], camera: ["pan"] },
  },
  {
    model_id: "text-to-image-default",
    generation_options: { width: [512, 1024] },
  },
];

let upstream;
const stops = [];
before(async () => {
  upstream = await startUpstream(() => ({}));
});
after(() => Promise.all([...stops.map((stop) => stop()), upstream?.stop()]));

/**
 * Starts a gateway whose upstream responds with `models` to a request for the models.
 *
 * @param {any} models
 * @param {Record<string, any>} [settings]
 * @param {{ state?: string }} [options]
 */
async function gatewayWith(models, settings = {}, options = {}) {
  const gateway = await startGateway(
    { UPSTREAM_BASE_URL: upstream.url, ...settings },
    options,
  );
  stops.push(gateway.stop);
  upstream.seen.length = 0;
  upstream.respond = ({ path }) =>
    path.endsWith("/models")
      ? models
      : { json: { code: 0, data: { task: { id: "task-1" }, credits: 4 } } };
  const paths = () => upstream.seen.map(({ path }) => path.slice(API.length));
  const create = (path, body, headers) =>
    request(`${gateway.url + API}${path}`, { bearer: caller, body, headers });
  return { ...gateway, create, paths };
}

test("a value or a field counts by the model, which the catalogue describes", async () => {
  const { create, paths, url } = await gatewayWith({
    json: { code: 0, data: { models: MODELS } },
  });
  assert.equal((await create(PICTURE, { prompt: "p" })).status, 200);
  assert.deepEqual(paths(), [PICTURE], "without a choice, none is needed");
  const { status, code, data } = await create(TALKING, {
    ...INPUT,
    model_id: "m",
    clarity: "4K",
  });
  assert.deepEqual([status, code, data.outcome], [400, 12, "not_sent"]);
  const [{ path, reason, message }] = data.errors;
  assert.deepEqual([path, reason], ["clarity", "not_offered"]);
  assert.match(message, /"720P", "1080P"/);
  assert.equal(
    (await create(TALKING, { ...INPUT, model_id: "m", clarity: "1080P" }))
      .status,
    200,
  );
  assert.equal(
    (await create(PICTURE, { prompt: "p", width: 100 })).status,
    400,
    "of the documented default model",
  );
  assert.equal(
    (await create(PICTURE, { prompt: "p", width: 1024, height: 7 })).status,
    200,
  );
  const unknown = await create(TALKING, { ...INPUT, model_id: "n" });
  assert.deepEqual(
    [unknown.status, unknown.code, unknown.data.reason, unknown.data.outcome],
    [422, 1410, "invalid_model", "not_sent"],
    "an unknown model has the document's own code",
  );
  const documented = { ...INPUT, model_id: "talking-video-text-standard" };
  assert.equal((await create(TALKING, documented)).status, 200);

  const own = { ...INPUT, camera: "pan" };
  assert.equal((await create(TALKING, own)).status, 400, "no model is named");
  assert.equal((await create(TALKING, { ...own, model_id: "m" })).status, 200);
  assert.equal(JSON.parse(upstream.seen.at(-1).body).camera, "pan");
  assert.deepEqual(
    paths(),
    [PICTURE, "models", TALKING, PICTURE, TALKING, TALKING],
    "the catalogue is kept",
  );

  const body = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
  const headers = {
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
  };
  const { result } = await request(`${url}/mcp`, { body, headers });
  const { inputSchema } = result.tools.find(({ name }) =>
    name.endsWith("text_driven"),
  );
  assert.match(
    inputSchema.properties.clarity.description,
    / m takes "720P", "1080P"\.$/,
  );
  assert.match(inputSchema.properties.model_id.description, / One of m\.$/);
});

test("a field that the model names accepts listed values and other texts, but no address and no foreign id", async () => {
  const generation_options = {
    exclude: "text",
    preset: ["soft.light", "//plain"],
    style_id: "text",
  };
  const models = [
    { model_id: "m", capability: "text_driven", generation_options },
  ];
  // The wildcard accepts only plain words, and changes nothing for a field that the model names.
  for (const settings of [{}, { EXTRA_FIELDS: "*" }]) {
    const { create } = await gatewayWith(
      { json: { code: 0, data: { models } } },
      settings,
    );
    const createWith = (more) =>
      create(TALKING, { ...INPUT, model_id: "m", ...more });
    for (const more of [
      { exclude: "no people, no text: only the sky (at dusk), 4k." },
      { preset: ["//plain"] },
    ]) {
      assert.equal((await createWith(more)).status, 200, JSON.stringify(more));
      const sent = JSON.parse(upstream.seen.at(-1).body);
      assert.deepEqual({ ...sent, ...more }, sent);
    }
    for (const more of [{ exclude: "//evil.example" }, { style_id: "f-2" }]) {
      const refused = await createWith(more);
      assert.deepEqual(
        [refused.status, refused.data.outcome],
        [400, "not_sent"],
        JSON.stringify(more),
      );
      assert.match(refused.data.errors[0].message, /EXTRA_FIELDS/);
    }
  }
});

for (const [name, models] of Object.entries({
  "is not there": { status: 404, json: { code: 12, message: "no" } },
  "never ends": { hang: true },
})) {
  test(`a catalogue that ${name} refuses nothing`, async () => {
    const { create } = await gatewayWith(models);
    const started = Date.now();
    assert.equal(
      (await create(TALKING, { ...INPUT, model_id: "n", clarity: "8K" }))
        .status,
      200,
    );
    assert.ok(
      Date.now() - started < 10_000,
      "a create does not wait for it for long",
    );
  });
}

test("an accepted create is replayed even if its model is gone by then", async (t) => {
  const state = await folder(t);
  const body = { ...INPUT, model_id: "retired" };
  const first = await gatewayWith({ status: 500, body: "" }, {}, { state });
  const created = await first.create(TALKING, body, { "idempotency-key": "k" });
  assert.equal(created.status, 200);
  await first.stop();

  const { create, paths } = await gatewayWith(
    { json: { code: 0, data: { models: MODELS } } },
    {},
    { state },
  );
  const replayed = await create(TALKING, body, { "idempotency-key": "k" });
  assert.deepEqual(
    [replayed.status, replayed.headers.get("idempotent-replayed")],
    [200, "true"],
  );
  const other = await create(
    TALKING,
    { ...body, text: "bye" },
    { "idempotency-key": "k" },
  );
  assert.deepEqual(
    [other.status, other.data.reason],
    [422, "idempotency_key_reused"],
  );
  const fresh = await create(TALKING, body, { "idempotency-key": "l" });
  assert.deepEqual(
    [fresh.status, fresh.code, fresh.data.outcome],
    [422, 1410, "not_sent"],
  );
  assert.deepEqual(paths(), ["models"]);
});

test("callers get one shape of models, whatever the media service's is", async () => {
  const record = {
    name: "m",
    endpoint: `/${API}${TALKING}`,
    options: [{ name: "clarity", values: ["2K"] }],
  };
  const data = { items: [record], total: 1, assets: "none" };
  const { url } = await gatewayWith({ json: { code: 0, data } });
  const response = await request(`${url + API}models`);
  assert.deepEqual(response.data, {
    ...data,
    models: [
      {
        ...record,
        model_id: "m",
        capability: "text_driven",
        generation_options: { clarity: ["2K"] },
      },
    ],
  });
});

test("a caller's assets are listed once each: the upstream's own, the token's, and the operator's", async () => {
  const listed = [
    { asset_id: "avatar-1", category: "avatar", title: "Ada" },
    { asset_id: "other" },
  ];
  const { url, create } = await gatewayWith(
    { json: { code: 0, data: { models: MODELS, assets: listed } } },
    { PUBLIC_ASSETS: "voice-7, voice-1" },
  );
  const read = async (bearer) =>
    (await request(`${url + API}models`, { bearer })).data.assets;
  const assets = await read(caller);
  assert.deepEqual(
    assets.map((asset) => asset.title ?? asset.asset_id),
    ["Ada", assets[1].asset_id, "voice-1", "voice-7"],
  );
  assert.equal(
    (await create(TALKING, { ...INPUT, avatar_asset_id: assets[0].asset_id }))
      .status,
    200,
    "as it is listed",
  );
  const typed = token("bob", undefined, {
    assets: [{ id: "mine", category: "voice" }],
  });
  assert.deepEqual((await read(typed)).slice(2), [
    { asset_id: "mine", category: "voice" },
    { asset_id: "voice-7" },
    { asset_id: "voice-1" },
  ]);
  const both = token("eve", undefined, {
    assets: ["avatar", "voice"].map((category) => ({ id: "b", category })),
  });
  assert.deepEqual(
    (await read(both))
      .filter((asset) => asset.asset_id === "b")
      .map((asset) => asset.category),
    ["avatar", "voice"],
  );
});
