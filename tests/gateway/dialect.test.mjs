// The undocumented parts of the upstream's protocol: the shapes that the default dialect reads, and
// the effects of a setting.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { SETTINGS, startGateway } from "../support/gateway.mjs";
import { request } from "../support/request.mjs";
import { startUpstream } from "../support/upstream.mjs";

const API = "/api/app/v1/";
const CREATE = `${API}generate/image/text_to_image_turbo`;
const PICTURE = { file_name: "a.png", content_type: "image/png", size: 3 };

let upstream, gateway;
const stops = [];
before(async () => {
  upstream = await startUpstream(() => ({}));
  gateway = await start({});
});
after(() => Promise.all([...stops.map((stop) => stop()), upstream?.stop()]));

async function start(settings) {
  const started = await startGateway({
    UPSTREAM_BASE_URL: upstream.url,
    UPLOAD_HOSTS: "127.0.0.1",
    ...settings,
  });
  stops.push(started.stop);
  return started;
}

/**
 * Sends a request, to which the upstream responds with `response`.
 *
 * @param {string} path
 * @param {any} response
 * @param {any} [options] the request's, and `to`, the gateway
 */
function send(path, response, { to = gateway, ...options } = {}) {
  upstream.seen.length = 0;
  upstream.respond = () => response;
  return request(to.url + path, options);
}

const create = (response, to) =>
  send(CREATE, response, { to, body: { prompt: "p" } });

/** Creates a task, and reads it when the upstream responds with `response`. */
async function status(response, to = gateway, id = "task-1") {
  const created = await create(
    { json: { code: 0, data: { task: { id } } } },
    to,
  );
  return readBack(created, response, to);
}

/** Reads a created task when the upstream responds with `response`. */
function readBack(created, response, to = gateway) {
  return send(`${API}generate/tasks/${created.data.task.id}`, response, { to });
}

const record = { id: "task-1", status: "RUNNING", progress: 0.5 };
const SHAPES = {
  "as documented": { code: 0, data: { task: record } },
  "in the envelope itself": { code: 0, ...record },
  "in camel case": {
    code: 0,
    data: { taskId: "task-1", taskStatus: "RUNNING", progressPercent: 50 },
  },
};

for (const [name, json] of Object.entries(SHAPES)) {
  test(`a task is read ${name}`, async () => {
    const created = await create({ json });
    const read = await readBack(created, { json });
    for (const { status: http, code, data } of [created, read]) {
      assert.deepEqual(
        [http, code, data.task.state, data.task.progress],
        [200, 0, "RUNNING", 0.5],
      );
      assert.equal(data.task.id, created.data.task.id);
      assert.doesNotMatch(JSON.stringify(data), /task-1/);
    }
  });
}

test("a task that has ended differs from an error, whatever the code", async () => {
  const failed = {
    task: { id: "task-1", status: "failed", reason: "no face" },
  };
  const read = await status({
    status: 422,
    json: { code: 1404, message: "provider error", data: failed },
  });
  assert.deepEqual(
    [read.status, read.code, read.data.task.state],
    [200, 0, "FAILED"],
  );
  assert.deepEqual(read.data.task.error, { message: "no face", code: 1404 });
  assert.equal(
    read.data.task.status,
    "failed",
    "the media service's own word stays",
  );
  const running = await status({
    json: { code: 1404, data: { task: record } },
  });
  assert.deepEqual([running.status, running.code], [502, 1404]);
});

test("a success counts at once with an output, and after three reads without", async () => {
  const task = { status: "ok", state: "SUCCEEDED" };
  const bare = await status({ json: { code: 0, data: { task } } });
  assert.deepEqual(
    [bare.data.task.state, bare.data.task.outputs, upstream.seen.length],
    ["SUCCEEDED", [], 3],
  );
  const url = "https://media.example.com/a.png";
  const late = [{ task }, { task: { ...task, output_url: url } }];
  const created = await create({
    json: { code: 0, data: { task: { id: "task-2" } } },
  });
  upstream.seen.length = 0;
  upstream.respond = () => ({ json: { code: 0, data: late.shift() } });
  const read = await request(
    `${gateway.url}${API}generate/tasks/${created.data.task.id}`,
  );
  assert.deepEqual(
    [read.data.task.outputs[0].url, upstream.seen.length],
    [url, 2],
  );
});

test("a create whose response is almost JSON keeps its task", async () => {
  for (const text of [
    '{"code": 0, "score": NaN, "data": {"task": {"id": "task-1"}}}',
    '{"code": 0, "data": {"task": {"id": "task-1", "eta": Infinity}}}',
    '{"code": 0, "data": {"task": {"id": "task-1", "prompt": "a\nb"}}}',
  ]) {
    const created = await create({ body: text });
    assert.equal(created.status, 200, created.text);
    assert.ok(created.data.task.id);
  }
});

test("an id is sealed wherever it recurs, and the upstream's reason is kept", async () => {
  const more = { key: "task-1", links: { self: "task-1" }, trace: ["task-1"] };
  const { data, text } = await status({
    json: {
      code: 0,
      data: { task: { ...record, ...more }, reference: "task-1" },
    },
  });
  assert.doesNotMatch(text, /task-1/);
  assert.deepEqual(
    [data.task.key, data.task.trace[0], data.reference],
    Array(3).fill(data.task.id),
  );
  const refused = await create({
    json: { code: 1401, data: { reason: "weekly limit", balance: 1 } },
  });
  assert.deepEqual(
    [refused.data.reason, refused.data.raw],
    ["insufficient_credits", { reason: "weekly limit" }],
  );
});

test("a dialect sets words, places and scales, as text or as a table", async () => {
  const dialect = {
    states: { SUCCEEDED: ["completed"], FAILED: ["3"] },
    task: {
      record: "/result/job",
      id: ["/key"],
      state: ["/phase/now"],
      progress: "/done",
      progress_complete: 1000,
      outputs: ["/files/main"],
      error_message: "/why",
    },
  };
  for (const setting of [JSON.stringify(dialect), dialect]) {
    const to = await start({ UPSTREAM_DIALECT: /** @type {any} */ (setting) });
    const body = (phase) => ({
      code: 0,
      result: {
        job: {
          key: 77,
          phase: { now: phase },
          done: 250,
          why: "no face",
          files: { main: "https://h.example/x" },
        },
      },
    });
    const created = await create({ json: body("queued") }, to);
    assert.deepEqual(
      [created.status, created.data.task.state, created.data.task.progress],
      [200, "queued", 0.25],
    );
    const read = async (phase) =>
      (
        await send(
          `${API}generate/tasks/${created.data.task.id}`,
          { json: body(phase) },
          { to },
        )
      ).data.task;
    assert.deepEqual(
      [(await read("Completed")).state, (await read(3)).state],
      ["SUCCEEDED", "FAILED"],
    );
    assert.deepEqual((await read(3)).error, { message: "no face" });
    assert.equal(
      (await read("completed")).outputs[0].url,
      "https://h.example/x",
    );
    assert.equal(upstream.seen[0].path, "/api/app/v1/generate/tasks/77");
  }
});

test("an invalid dialect is refused, and the message names the wrong part", async () => {
  for (const [setting, part] of [
    [
      '{"task": {"id": "id"}}',
      /UPSTREAM_DIALECT is not a valid dialect: task\.id: "id" is no JSON Pointer/,
    ],
    [
      { tasks: {} },
      /UPSTREAM_DIALECT is not a valid dialect: tasks: unknown field/,
    ],
  ]) {
    const to = await start({ UPSTREAM_DIALECT: /** @type {any} */ (setting) });
    const refused = await create({}, to);
    assert.deepEqual(
      [refused.status, refused.data.reason],
      [500, "misconfigured"],
    );
    assert.match(refused.message, /** @type {RegExp} */ (part));
  }
});

// --- uploads ---

const upload = (json, to, body = PICTURE) =>
  send(`${API}upload_urls`, { json }, { to, body });

test("callers get one shape of an upload, whatever the upstream's is", async () => {
  const url = `${upstream.url}/u`;
  const soon = Date.now() + 60_000;
  const camel = await upload({ uploadUrl: url, fileId: "file-1" });
  assert.deepEqual(Object.keys(camel.data).sort(), ["file_id", "upload_url"]);
  assert.equal(camel.data.upload_url, url);
  assert.doesNotMatch(camel.text, /file-1/);
  const { data } = await upload({
    code: 0,
    data: {
      upload: {
        url,
        method: "put",
        headers: {
          "X-Meta": "1",
          Authorization: "Bearer x",
          Cookie: "a",
          Host: "h",
        },
      },
      file: { id: "file-1" },
      expires_in: 60,
    },
  });
  assert.deepEqual([data.method, data.headers], ["PUT", { "x-meta": "1" }]);
  assert.ok(
    Math.abs(Date.parse(data.expires_at) - soon) < 10_000,
    data.expires_at,
  );
  const form = await upload({
    code: 0,
    data: { url, id: "file-1", fields: { key: "k", file_id: "file-1" } },
  });
  assert.deepEqual(
    [form.data.method, form.data.fields],
    ["POST", { key: "k", file_id: "file-1" }],
  );
});

test("the request for an upload URL follows the dialect and has the caller's title", async () => {
  const answer = {
    code: 0,
    data: { upload_url: `${upstream.url}/u`, file_id: "f" },
  };
  await upload(answer);
  assert.deepEqual(JSON.parse(upstream.seen[0].body), PICTURE);
  await upload(answer, gateway, { ...PICTURE, title: "Mine" });
  assert.deepEqual(JSON.parse(upstream.seen[0].body), {
    ...PICTURE,
    title: "Mine",
  });
  const request = {
    name: "{file_name}",
    mime: "{content_type}",
    ext: "{extension}",
    bytes: "{size}",
    purpose: "media",
  };
  const to = await start({
    UPSTREAM_DIALECT: JSON.stringify({ upload: { request } }),
  });
  await upload(answer, to);
  assert.deepEqual(JSON.parse(upstream.seen[0].body), {
    name: "a.png",
    mime: "image/png",
    ext: "png",
    bytes: 3,
    purpose: "media",
  });
});

test("a relayed upload is sent in the way that the upstream requires", async () => {
  const dialect = { upload: { send: { headers: { "x-always": "1" } } } };
  const to = await start({
    UPLOAD_MODE: "relay",
    UPSTREAM_DIALECT: JSON.stringify(dialect),
  });
  const send = async (data) => {
    const granted = await upload(
      {
        code: 0,
        data: { upload_url: `${upstream.url}/u`, file_id: "f", ...data },
      },
      to,
    );
    assert.deepEqual(Object.keys(granted.data).toSorted(), [
      "file_id",
      "upload_path",
      "upload_url",
    ]);
    upstream.seen.length = 0;
    upstream.respond = () => ({ status: 204, body: "" });
    const headers = { "content-type": "image/png" };
    const sent = await request(granted.data.upload_url, {
      method: "PUT",
      headers,
      body: "abc",
    });
    assert.equal(sent.status, 200, sent.text);
    return upstream.seen[0];
  };
  const put = await send({
    headers: { "X-Amz-Meta-A": "1", "Content-Type": "image/x-png" },
  });
  assert.deepEqual(
    [put.method, put.body, put.headers["content-length"]],
    ["PUT", "abc", "3"],
  );
  assert.deepEqual(
    [put.headers["x-amz-meta-a"], put.headers["content-type"]],
    ["1", "image/x-png"],
  );
  assert.deepEqual(
    [put.headers["x-always"], put.headers.authorization],
    ["1", undefined],
  );
  const post = await send({
    fields: { key: "k/1", policy: "p" },
    headers: { "content-type": "text/plain" },
  });
  assert.equal(post.method, "POST");
  const form = await new Response(post.body, {
    headers: { "content-type": post.headers["content-type"] },
  }).formData();
  assert.deepEqual([form.get("key"), form.get("policy")], ["k/1", "p"]);
  const file = /** @type {File} */ (form.get("file"));
  assert.deepEqual(
    [file.name, file.type, await file.text()],
    ["a.png", "image/png", "abc"],
  );
  assert.equal([...form.keys()].at(-1), "file");
});

test("an upload has the API key only to the upstream's own origin, and over no redirect", async () => {
  const dialect = { upload: { send: { api_key: true } } };
  const other = await startUpstream(() => ({ status: 200, body: "" }));
  stops.push(other.stop);
  const to = await start({
    UPLOAD_MODE: "relay",
    UPSTREAM_DIALECT: JSON.stringify(dialect),
  });
  const send = async (storage, response) => {
    const granted = await upload(
      { code: 0, data: { upload_url: `${storage.url}/u`, file_id: "f" } },
      to,
    );
    storage.seen.length = 0;
    storage.respond = () => response;
    return request(granted.data.upload_url, { method: "PUT", body: "abc" });
  };
  assert.equal((await send(upstream, { status: 200, body: "" })).status, 200);
  assert.equal(
    upstream.seen[0].headers.authorization,
    `Bearer ${SETTINGS.UPSTREAM_API_KEY}`,
  );
  assert.equal((await send(other, { status: 200, body: "" })).status, 200);
  assert.equal(other.seen[0].headers.authorization, undefined);
  const moved = await send(upstream, {
    status: 307,
    headers: { location: `${other.url}/stolen` },
    body: "",
  });
  assert.deepEqual([moved.status, moved.data.reason], [502, "storage_refused"]);
  assert.deepEqual([upstream.seen.length, other.seen.length], [1, 1]);
});

test("an estimate sends the create's own body, or the body of the dialect", async () => {
  const body = { capability: "text_to_image_turbo", input: { prompt: "p" } };
  const answer = { json: { code: 0, data: { credits: 4 } } };
  const estimate = (to) => send(`${API}credits/estimate`, answer, { to, body });
  assert.equal((await estimate(gateway)).data.credits, 4);
  assert.deepEqual(JSON.parse(upstream.seen[0].body), { prompt: "p" });
  const request = { type: "{capability}", path: "{path}", params: "{input}" };
  await estimate(
    await start({
      UPSTREAM_DIALECT: JSON.stringify({ estimate: { request } }),
    }),
  );
  assert.deepEqual(JSON.parse(upstream.seen[0].body), {
    type: "text_to_image_turbo",
    path: CREATE,
    params: { prompt: "p" },
  });
});

test("UPLOAD_HOSTS takes a wildcard of one label", async () => {
  const to = await start({ UPLOAD_HOSTS: "*.storage.example" });
  const reason = async (host) =>
    (
      await upload(
        { code: 0, data: { upload_url: `https://${host}/u`, file_id: "f" } },
        to,
      )
    ).data.reason;
  assert.equal(await reason("a.storage.example"), undefined);
  for (const host of [
    "storage.example",
    "a.b.storage.example",
    "a.storage.example.evil.example",
  ]) {
    assert.equal(await reason(host), "upload_host_not_allowed", host);
  }
});
