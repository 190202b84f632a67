// An upstream module behind a service binding: its key-less requests, offers, files by URL, outputs by
// path, refusals and warnings.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { bucketOf } from "../../gateway/src/emulator/bucket.js";
import { startEmulator } from "../support/emulator.mjs";
import { startGateway } from "../support/gateway.mjs";
import { freePort } from "../support/port.mjs";
import { token } from "../support/token.mjs";
import { startUpstream } from "../support/upstream.mjs";
import { until } from "../support/within.mjs";
import { clientOf, TURBO } from "../support/world.mjs";

const BYTES = Buffer.from(Array.from({ length: 5_000 }, (_, at) => at % 251));

let emulator;
before(async () => {
  emulator = await startEmulator();
});
after(() => emulator?.stop());

/**
 * Starts a gateway with a module. `respond` returns the record of the task, or a whole response with
 * a `status`.
 */
async function startModule(t, respond, settings = {}, options = {}) {
  const module = await startUpstream(async (request) => {
    const found = await respond(request);
    return found.status
      ? found
      : { json: { code: 0, message: "ok", data: { task: found } } };
  });
  const gateway = await startGateway(
    { UPSTREAM_API_KEY: "", ...settings },
    { module: module.url, ...options },
  );
  t.after(() => Promise.all([gateway.stop(), module.stop()]));
  return { module, gateway, ...clientOf(gateway, token("ann")) };
}

const refused = ({ status, data }) => [status, data.reason, data.outcome];

test("a module gets each create once, without a key, and its task is read by the binding", async (t) => {
  const { api, create, module } = await startModule(t, ({ method }) =>
    method === "POST"
      ? { id: "job-1", state: "QUEUED" }
      : {
          id: "job-1",
          state: "SUCCEEDED",
          outputs: [{ url: "https://cdn.example.com/a.png" }],
        },
  );
  const replies = await Promise.all(["k", "k", "k"].map((key) => create(key)));
  assert.deepEqual(
    replies.map(({ status }) => status),
    [200, 200, 200],
  );
  const { id } = replies[0].data.task;
  const { data } = await api(`generate/tasks/${id}`);
  assert.deepEqual(data.task.outputs, [
    { url: "https://cdn.example.com/a.png", kind: "image" },
  ]);
  const [sent, ...others] = module.seen.filter(
    ({ method }) => method === "POST",
  );
  assert.deepEqual(
    [sent.path, sent.headers.authorization, others.length],
    [`/api/app/v1/${TURBO}`, undefined, 0],
  );
});

test("what is not offered is hidden and refused, and an extension is offered by its name", async (t) => {
  const catalogue = {
    models: [
      {
        model_id: "kling",
        capability: "text_to_video",
        generation_options: { duration_seconds: [5, 10] },
      },
    ],
  };
  const { api, create, module } = await startModule(
    t,
    ({ path }) =>
      path.endsWith("/models")
        ? { status: 200, json: { code: 0, data: catalogue } }
        : { id: "job", state: "QUEUED" },
    { CAPABILITIES: "text_to_video,text_to_image" },
  );
  const { data } = await api("capabilities");
  assert.deepEqual(data.capabilities, [
    { capability: "text_to_image", is_extension: false, models: [] },
    {
      capability: "text_to_video",
      is_extension: true,
      models: [{ model_id: "kling", values: { duration_seconds: [5, 10] } }],
    },
  ]);
  assert.deepEqual(refused(await create("a")), [
    404,
    "not_offered",
    "not_sent",
  ]);
  // Also a body that is not valid, since no correction helps.
  assert.deepEqual(refused(await create("b", { body: { width: "x" } })), [
    404,
    "not_offered",
    "not_sent",
  ]);
  const path = "generate/video/text_to_video";
  const made = await create("c", {
    path,
    body: { prompt: "p", model_id: "kling", duration_seconds: 5 },
  });
  assert.equal(made.status, 200);
  const excluded = await create("d", {
    path,
    body: { prompt: "p", model_id: "kling", duration_seconds: 7 },
  });
  assert.deepEqual(refused(excluded), [400, "invalid_fields", "not_sent"]);
  const posts = module.seen.filter(({ method }) => method === "POST");
  assert.deepEqual(
    posts.map((post) => [post.path, JSON.parse(post.body)]),
    [
      [
        `/api/app/v1/${path}`,
        { prompt: "p", duration_seconds: 5, model_id: "kling" },
      ],
    ],
  );
});

test("an upload goes to the bucket, and the module gets a signed URL when a create is sent", async (t) => {
  const { api, create, gateway, module } = await startModule(
    t,
    () => ({ id: "job", state: "QUEUED" }),
    {
      ...bucketOf(emulator),
      UPLOAD_MODE: "bucket",
      BUCKET_PRIVATE: "on",
      EXTRA_FIELDS: "mask_file,style_file_id",
    },
  );
  const file = {
    file_name: "photo.png",
    content_type: "image/png",
    size: BYTES.length,
  };
  const { data } = await api("upload_urls", { body: file });
  assert.ok(data.upload_url.startsWith(emulator.url), data.upload_url);
  assert.deepEqual(
    [data.method, data.headers],
    ["PUT", { "content-type": "image/png" }],
  );
  const path = "generate/video/image_to_video";
  const body = { file_id: data.file_id, prompt: "p", duration_seconds: 5 };
  assert.deepEqual(refused(await create("early", { path, body })), [
    422,
    "file_not_uploaded",
    "not_sent",
  ]);
  const put = (content, type) =>
    fetch(data.upload_url, {
      method: "PUT",
      headers: { "content-type": type },
      body: content,
    });
  // Only what was announced is accepted.
  assert.equal((await put(BYTES.subarray(1), "image/png")).status, 403);
  assert.equal((await put(BYTES, "text/html")).status, 403);
  assert.equal((await put(BYTES, "image/png")).status, 200);
  const [first, second] = [
    await create("key", { path, body }),
    await create("key", { path, body }),
  ];
  assert.deepEqual([first.status, second.status], [200, 200]);
  assert.equal(second.data.task.id, first.data.task.id);
  const posts = module.seen.filter(({ method }) => method === "POST");
  assert.equal(posts.length, 1);
  const more = { mask_file: data.file_id, style_file_id: data.file_id };
  assert.equal(
    (await create("more", { path, body: { ...body, ...more } })).status,
    200,
  );
  const sent = JSON.parse(module.seen.at(-1).body);
  for (const name of ["file_id", "mask_file", "style_file_id"])
    assert.equal(sent[name].name, "photo.png", name);
  const { file_id: given, ...rest } = JSON.parse(posts[0].body);
  assert.deepEqual(rest, { prompt: "p", duration_seconds: 5 });
  const { url, ...described } = given;
  assert.deepEqual(described, {
    type: "image/png",
    name: "photo.png",
    size: BYTES.length,
    private: true,
  });
  assert.equal(new URL(url).searchParams.get("X-Amz-Expires"), "86400");
  const loaded = await (await fetch(url)).arrayBuffer();
  assert.deepEqual(Buffer.from(loaded), BYTES);
  const bob = clientOf(gateway, token("bob"));
  assert.equal((await bob.create("bob", { path, body })).status, 400);
  // A caller knows no key of the bucket, and a text that looks like an id is none.
  const forged = JSON.stringify({
    key: "results/x",
    type: "image/png",
    name: "",
    size: 1,
  });
  const other = await create("forged", {
    path,
    body: { ...body, file_id: forged },
  });
  assert.equal(other.status, 400);
});

test("uploads to a bucket that is only a binding are relayed, and are loaded through the gateway", async (t) => {
  const port = await freePort();
  const { api, create, module } = await startModule(
    t,
    () => ({ id: "job", state: "QUEUED" }),
    { UPLOAD_MODE: "bucket", PUBLIC_URL: `http://127.0.0.1:${port}` },
    { hasBucket: true, port },
  );
  const { data } = await api("upload_urls", {
    body: {
      file_name: "photo.png",
      content_type: "image/png",
      size: BYTES.length,
    },
  });
  const path = "generate/video/image_to_video";
  const body = { file_id: data.file_id, prompt: "p" };
  assert.deepEqual(refused(await create("early", { path, body })), [
    422,
    "file_not_uploaded",
    "not_sent",
  ]);
  const put = (content) =>
    fetch(data.upload_url, {
      method: "PUT",
      headers: {
        "content-type": "image/png",
        authorization: `Bearer ${token("ann")}`,
      },
      body: content,
    });
  assert.equal((await put(BYTES.subarray(1))).status, 400);
  assert.equal((await put(BYTES)).status, 200);
  assert.equal((await create("key", { path, body })).status, 200);
  const [post] = module.seen.filter(({ method }) => method === "POST");
  const { url } = JSON.parse(post.body).file_id;
  const loaded = await fetch(url);
  assert.deepEqual(
    [loaded.status, loaded.headers.get("content-type")],
    [200, "image/png"],
  );
  assert.deepEqual(Buffer.from(await loaded.arrayBuffer()), BYTES);
  const last = await fetch(url, { headers: { range: "bytes=-5" } });
  assert.equal(last.status, 206);
  assert.deepEqual(Buffer.from(await last.arrayBuffer()), BYTES.subarray(-5));
});

test("without a bucket, a module gets no uploads", async (t) => {
  const { api, module } = await startModule(t, () => ({ id: "job" }));
  const reply = await api("upload_urls", {
    body: { file_name: "a.png", content_type: "image/png", size: 5 },
  });
  assert.deepEqual(refused(reply), [422, "no_uploads", undefined]);
  assert.deepEqual(module.seen, []);
});

/** A module with one output at a path, which takes ranges. */
const withPath = ({ method, path, headers }) => {
  if (path !== "/outputs/7?part=1")
    return {
      id: "job",
      state: "SUCCEEDED",
      outputs: [{ url: "/outputs/7?part=1", content_type: "video/mp4" }],
    };
  const [, from, to] = /bytes=(\d+)-(\d+)/.exec(headers.range ?? "") ?? [];
  const part = from ? BYTES.subarray(Number(from), Number(to) + 1) : BYTES;
  return {
    status: from ? 206 : 200,
    headers: {
      "content-type": "video/mp4",
      "content-length": String(part.length),
      ...(from && {
        "content-range": `bytes ${from}-${to}/${BYTES.length}`,
      }),
      "set-cookie": "key=canary",
    },
    body: method === "HEAD" ? "" : part,
  };
};

test("an output at a path of the module is streamed from an address that hides the path", async (t) => {
  const { create } = await startModule(t, withPath);
  const { data } = await create("a");
  const [{ url, kind }] = data.task.outputs;
  assert.match(url, /\/api\/app\/v1\/outputs\/[^/]+$/);
  assert.ok(!JSON.stringify(data).includes("/outputs/7"), "no path");
  assert.equal(kind, "video");
  const whole = await fetch(url);
  assert.deepEqual(
    [whole.status, whole.headers.get("content-type")],
    [200, "video/mp4"],
  );
  assert.equal(whole.headers.get("set-cookie"), null);
  assert.deepEqual(Buffer.from(await whole.arrayBuffer()), BYTES);
  const part = await fetch(url, { headers: { range: "bytes=10-19" } });
  assert.deepEqual(
    [part.status, part.headers.get("content-range")],
    [206, `bytes 10-19/${BYTES.length}`],
  );
  assert.deepEqual(
    Buffer.from(await part.arrayBuffer()),
    BYTES.subarray(10, 20),
  );
  const head = await fetch(url, { method: "HEAD" });
  assert.deepEqual(
    [head.status, head.headers.get("content-length")],
    [200, String(BYTES.length)],
  );
  const forged = url.replace(/.$/, (last) => (last === "A" ? "B" : "A"));
  assert.equal((await fetch(forged)).status, 404);
});

test("a page or a redirect of a module is no page of the gateway", async (t) => {
  let file;
  const { create } = await startModule(t, ({ path }) =>
    path === "/outputs/8"
      ? file
      : {
          id: "job",
          state: "SUCCEEDED",
          outputs: [{ url: "/outputs/8", content_type: "image/png" }],
        },
  );
  const { data } = await create("a");
  const read = () => fetch(data.task.outputs[0].url, { redirect: "manual" });
  for (const type of ["text/html", "image/svg+xml"]) {
    file = {
      status: 200,
      headers: { "content-type": type },
      body: "<script>1</script>",
    };
    const { headers } = await read();
    assert.deepEqual(
      [headers.get("content-type"), headers.get("x-content-type-options")],
      ["application/octet-stream", "nosniff"],
    );
  }
  file = {
    status: 302,
    headers: { location: "https://a.example/?key=canary" },
  };
  const moved = await read();
  assert.deepEqual([moved.status, moved.headers.get("location")], [502, null]);
  file = { status: 404, json: {} };
  assert.equal((await read()).status, 404);
});

test("an output at a path is kept in the bucket, and can be an input", async (t) => {
  const { api, create, module } = await startModule(t, withPath, {
    ...bucketOf(emulator),
    UPLOAD_MODE: "bucket",
  });
  const { data } = await create("a");
  const output = await until(async () => {
    const reply = await api(`generate/tasks/${data.task.id}`);
    return reply.data.task.outputs.find(({ kept }) => kept);
  }, "the output is kept");
  const kept = await fetch(output.url);
  assert.ok(kept.url.startsWith(emulator.url), kept.url);
  assert.deepEqual(Buffer.from(await kept.arrayBuffer()), BYTES);
  const file_id = await until(async () => {
    const body = { task_id: data.task.id, output: 0 };
    return (await api("files", { body })).data.file_id;
  }, "the output is moved");
  module.seen.length = 0;
  const clip = await create("b", {
    path: "process/video/resize_video",
    body: {
      input_file_id: file_id,
      width: 320,
      height: 240,
    },
  });
  assert.equal(clip.status, 200, clip.text);
  const [post] = module.seen.filter(({ method }) => method === "POST");
  const { input_file_id: given } = JSON.parse(post.body);
  assert.equal(given.type, "video/mp4");
  const loaded = await (await fetch(given.url)).arrayBuffer();
  assert.deepEqual(Buffer.from(loaded), BYTES);
});

test("a task that has ended in the response to its create is kept, and never read from the module", async (t) => {
  const backend = await startUpstream(() => ({ status: 204 }));
  t.after(() => backend.stop());
  const data = `data:application/pdf;base64,${BYTES.toString("base64")}`;
  const { api, create, gateway, module } = await startModule(
    t,
    ({ body }) =>
      body.includes("fail")
        ? { id: "job", state: "FAILED", error: { message: "no pages" } }
        : { id: "job", state: "SUCCEEDED", outputs: [{ url: data }] },
    {
      ...bucketOf(emulator),
      PUBLIC_URL: "https://media.example.com",
      UPLOAD_MODE: "bucket",
      WEBHOOK_URLS: `${backend.url}/hook`,
      WEBHOOK_SECRET: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    },
  );
  const merged = await create("a", { body: { prompt: "p" } });
  const { id } = merged.data.task;
  const failed = await create("b", { body: { prompt: "fail" } });
  const local = (url) => url.replace("https://media.example.com", gateway.url);
  const bytesAt = async (url) =>
    Buffer.from(await (await fetch(local(url))).arrayBuffer());
  // Before the file is in the bucket, and after that.
  assert.deepEqual(await bytesAt(merged.data.task.outputs[0].url), BYTES);
  const task = await until(async () => {
    const { task } = (await api(`generate/tasks/${id}`)).data;
    return task.outputs[0].kept && task;
  }, "the output is kept");
  assert.deepEqual(await bytesAt(task.outputs[0].url), BYTES);
  const again = await api(`generate/tasks/${failed.data.task.id}`);
  const { state, error } = again.data.task;
  assert.deepEqual([state, error.message], ["FAILED", "no pages"]);

  while (backend.seen.length < 2) await sleep(50);
  const messages = backend.seen.map(({ body }) => JSON.parse(body));
  assert.deepEqual(
    messages.map(({ type, data }) => [type, data.task.id]).sort(),
    [
      ["task.failed", failed.data.task.id],
      ["task.succeeded", id],
    ],
  );
  const ids = backend.seen.map(({ headers }) => headers["webhook-id"]);
  assert.equal(new Set(ids).size, 2);
  assert.deepEqual(
    module.seen.map(({ method }) => method),
    ["POST", "POST"],
  );
});

test("a refusal of content has its own reason, warnings are passed on, and the provider is in the log only", async (t) => {
  const sentence = "The prompt contains a celebrity.";
  const error = { reason: "content_refused", message: sentence };
  const { api, create, gateway } = await startModule(t, ({ method, body }) => {
    if (method !== "POST") return { id: "job", state: "FAILED", error };
    return JSON.parse(body).prompt === "refuse"
      ? {
          status: 400,
          json: {
            code: 12,
            message: sentence,
            data: { error, provider: "fal" },
          },
        }
      : {
          id: "job",
          state: "QUEUED",
          provider: "fal",
          warnings: ["seed has no effect", 5, ""],
        };
  });
  const reply = await create("a", { body: { prompt: "refuse" } });
  assert.deepEqual(refused(reply), [422, "content_refused", "rejected"]);
  assert.ok(reply.message.includes(sentence), reply.message);
  const { data, text } = await create("b");
  assert.deepEqual(data.task.warnings, ["seed has no effect"]);
  assert.ok(!(text + reply.text).includes('fal"'), text);
  const failed = await api(`generate/tasks/${data.task.id}`);
  assert.deepEqual(failed.data.task.error, {
    message: sentence,
    reason: "content_refused",
  });
  await until(
    () => gateway.logs.some((line) => line.includes('"provider":"fal"')),
    "the log names the provider",
  );
});

test("an error of one poll ends no task of a module", async (t) => {
  let answer;
  const { api, create } = await startModule(t, ({ method }) =>
    method === "POST" ? { id: "job", state: "QUEUED" } : answer,
  );
  const { data } = await create("a");
  const read = () => api(`generate/tasks/${data.task.id}`);
  const error = (status, code) => ({
    status,
    json: { code, message: "m", data: null },
  });
  for (const broken of [
    error(400, 12),
    error(502, 1404),
    { status: 404, json: { detail: "not found" } },
    { status: 502, body: "<html>" },
  ]) {
    answer = broken;
    assert.notEqual((await read()).data.reason, "unknown_task");
  }
  answer = { id: "job", state: "EXPIRED", error: { message: "gone" } };
  assert.equal((await read()).data.task.state, "EXPIRED");
});

test("a record that is too large ends the stream of events with its reason", async (t) => {
  const outputs = [{ url: `data:video/mp4;base64,${"A".repeat(5_000)}` }];
  const { api, create } = await startModule(
    t,
    ({ method }) =>
      method === "POST"
        ? { id: "job", state: "QUEUED" }
        : { id: "job", state: "SUCCEEDED", outputs },
    { MAX_RESPONSE_BYTES: "4096" },
  );
  const { data } = await create("a");
  const { text } = await api(`tasks/${data.task.id}/events`);
  assert.match(text, /event: error\n.*"reason":"answer_too_large"/);
});

test("the provider is in records if the operator allows it", async (t) => {
  const { create } = await startModule(
    t,
    () => ({ id: "job", state: "QUEUED", provider: "fal" }),
    { SHOW_PROVIDER: "on" },
  );
  assert.equal((await create("a")).data.task.provider, "fal");
});
