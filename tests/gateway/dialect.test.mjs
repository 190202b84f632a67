// The undocumented parts of the upstream's protocol, by default and by a setting. The shapes that are
// read are tested in crates/upstream.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { SETTINGS, startGateway } from "../support/gateway.mjs";
import { request } from "../support/request.mjs";
import { startUpstream } from "../support/upstream.mjs";

const API = "/api/app/v1/";
const CREATE = `${API}generate/image/text_to_image_turbo`;
const PICTURE = {
  file_name: "a.png",
  content_type: "image/png",
  size: 3,
  title: "Mine",
};

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

test("a success counts at once with an output, and after three reads without", async () => {
  const task = { status: "ok", state: "SUCCEEDED" };
  /** Creates a task, and reads it while the upstream responds with these records. */
  const readBack = async (id, ...records) => {
    const created = await create({ json: { code: 0, data: { task: { id } } } });
    upstream.seen.length = 0;
    upstream.respond = () => ({ json: { code: 0, data: records.shift() } });
    const path = `${API}generate/tasks/${created.data.task.id}`;
    return (await request(gateway.url + path)).data.task;
  };
  const bare = await readBack("task-1", { task }, { task }, { task });
  assert.deepEqual(
    [bare.state, bare.outputs, upstream.seen.length],
    ["SUCCEEDED", [], 3],
  );
  const url = "https://media.example.com/a.png";
  const late = { task: { ...task, output_url: url } };
  const read = await readBack("task-2", { task }, late);
  assert.deepEqual([read.outputs[0].url, upstream.seen.length], [url, 2]);
});

test("a dialect sets words, places and scales", async () => {
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
  // A table, as in a configuration of wrangler.
  const to = await start({ UPSTREAM_DIALECT: dialect });
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
  assert.equal((await read("completed")).outputs[0].url, "https://h.example/x");
  assert.equal(upstream.seen[0].path, "/api/app/v1/generate/tasks/77");
});

test("an invalid dialect is refused, and the message names the wrong part", async () => {
  const to = await start({ UPSTREAM_DIALECT: '{"task": {"id": "id"}}' });
  const refused = await create({}, to);
  assert.deepEqual(
    [refused.status, refused.data.reason],
    [500, "misconfigured"],
  );
  assert.match(
    refused.message,
    /UPSTREAM_DIALECT .*: task\.id: "id" is no JSON/,
  );
});

// --- uploads ---

const upload = (json, to) =>
  send(`${API}upload_urls`, { json }, { to, body: PICTURE });

test("callers get one shape of an upload", async () => {
  const soon = Date.now() + 60_000;
  const { data } = await upload({
    code: 0,
    data: {
      upload: {
        url: `${upstream.url}/u`,
        method: "put",
        headers: { "X-Meta": "1", Authorization: "Bearer x" },
      },
      file: { id: "file-1" },
      expires_in: 60,
    },
  });
  assert.deepEqual(JSON.parse(upstream.seen[0].body), PICTURE);
  assert.deepEqual([data.method, data.headers], ["PUT", { "x-meta": "1" }]);
  assert.ok(
    Math.abs(Date.parse(data.expires_at) - soon) < 10_000,
    data.expires_at,
  );
  const form = await upload({
    code: 0,
    data: {
      url: `${upstream.url}/u`,
      id: "file-1",
      fields: { key: "k", file_id: "file-1" },
    },
  });
  assert.deepEqual(
    [form.data.method, form.data.fields],
    ["POST", { key: "k", file_id: "file-1" }],
  );
  assert.notEqual(form.data.file_id, "file-1");
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
  const input = { prompt: "p" };
  const answer = { json: { code: 0, data: { credits: 4 } } };
  const body = { capability: "text_to_image_turbo", input };
  const request = { type: "{capability}", path: "{path}", params: "{input}" };
  const other = await start({
    UPSTREAM_DIALECT: JSON.stringify({ estimate: { request } }),
  });
  for (const [to, sent] of /** @type {const} */ ([
    [gateway, input],
    [other, { type: "text_to_image_turbo", path: CREATE, params: input }],
  ])) {
    const reply = await send(`${API}credits/estimate`, answer, { to, body });
    assert.equal(reply.data.credits, 4);
    assert.deepEqual(JSON.parse(upstream.seen[0].body), sent);
  }
});
