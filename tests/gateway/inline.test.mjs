// Results that arrive as text. The gateway stores their bytes, and serves them at URLs of its own.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { startEmulator } from "../support/emulator.mjs";
import { SETTINGS, startGateway } from "../support/gateway.mjs";
import { openUnread } from "../support/raw.mjs";
import { onOpenConnection, request } from "../support/request.mjs";
import { token } from "../support/token.mjs";
import { NO_PROC, residentBytes } from "../support/workerd-process.mjs";
import { startWorld, taskResponse } from "../support/world.mjs";

const API = "/api/app/v1/";
const PNG = Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1");
const pictureOf = (length) => Buffer.concat([PNG, randomBytes(length)]);

/** A picture that is larger than the buffers of a connection whose client does not read. */
const large = pictureOf(11_000_000);
// Made before any test: fetch would not notice meanwhile that the gateway closes a connection.
const LARGE_RESULT = {
  json: { code: 0, data: { image: large.toString("base64") } },
};
const UNREAD = 40;
/** A fifth of the bytes of such an output. */
const MAX_BYTES_PER_UNREAD = large.length / 5;

/** Starts a gateway, and an upstream with this answer to each create. */
async function start(answer, settings) {
  const world = await startWorld(
    typeof answer === "function" ? answer : () => answer,
    settings,
  );
  const draw = (key, options) =>
    world.create(key, { path: "generate/image/text_to_image", ...options });
  return { ...world, draw };
}

/** Loads an output without a token, as a page does. */
async function load(url) {
  const response = await onOpenConnection(() => fetch(url));
  return {
    status: response.status,
    headers: response.headers,
    bytes: Buffer.from(await response.arrayBuffer()),
  };
}

const picture = pictureOf(600);
const base64 = picture.toString("base64");
const MEMBER = { code: 0, data: { image: base64 } };
const shapes = {
  "a member of data": MEMBER,
  "a data URI": { code: 0, data: { url: `data:image/png;base64,${base64}` } },
  "no envelope": { created: 1, data: [{ b64_json: base64 }] },
};
for (const [name, json] of Object.entries(shapes)) {
  test(`a result as text has a URL: ${name}`, async () => {
    const { draw } = await start({ json });
    const { status, data, text } = await draw("k");
    assert.equal(status, 200, text);
    assert.equal(data.task.state, "SUCCEEDED");
    assert.ok(!text.includes(base64.slice(0, 100)), "the text is not passed");
    const [output, ...others] = data.task.outputs;
    assert.deepEqual([output.kind, others], ["image", []]);
    const loaded = await load(output.url);
    assert.equal(loaded.status, 200);
    assert.ok(loaded.bytes.equals(picture));
    assert.equal(loaded.headers.get("content-type"), "image/png");
    assert.equal(loaded.headers.get("x-content-type-options"), "nosniff");
    assert.match(loaded.headers.get("cache-control"), /private/);
  });
}

test("a result of several megabytes is complete, and has the same URL wherever it is read", async () => {
  const { draw, send, upstream } = await start(LARGE_RESULT);
  const first = await draw("k");
  const [{ url }] = first.data.task.outputs;
  const loaded = await load(url);
  assert.ok(loaded.bytes.equals(large));
  assert.equal(loaded.headers.get("content-length"), String(large.length));
  const again = await draw("k");
  assert.deepEqual(again.data.task, first.data.task);
  assert.equal(
    upstream.seen.filter(({ method }) => method === "POST").length,
    1,
  );
  const read = await send(`${API}generate/tasks/${first.data.task.id}`);
  assert.deepEqual(read.data.task.outputs, first.data.task.outputs);
  const { data } = await send(`${API}tasks`);
  assert.equal(data.tasks[0].outputs[0].url, url);
});

/**
 * Starts a gateway with a task whose record has a picture and a clip, and reads the task. Then
 * `upstream.seen` has only the later requests.
 */
async function startEnded() {
  const png = pictureOf(600);
  const clip = pictureOf(700_000);
  const task = {
    id: "t",
    status: "SUCCEEDED",
    result: {
      image: png.toString("base64"),
      video: `data:video/mp4;base64,${clip.toString("base64")}`,
    },
  };
  const running = taskResponse("RUNNING");
  const ended = { json: { code: 0, data: { task } } };
  const answer = ({ method }) => (method === "GET" ? ended : running);
  const { draw, send, upstream } = await start(answer);
  const { id } = (await draw("k")).data.task;
  const read = await send(`${API}generate/tasks/${id}`);
  assert.equal(read.data.task.outputs.length, 2, read.text);
  assert.ok(!read.text.includes(task.result.image.slice(0, 100)));
  const urls = read.data.task.outputs.map(({ url }) => url);
  upstream.seen.length = 0;
  // Videos come before pictures.
  return { id, urls, media: [clip, png], send, upstream, answer };
}

test("media in the record of a task are polled once, and stored until the task is removed", async () => {
  const { id, urls, media, send, upstream } = await startEnded();
  const loadAll = async () => {
    const loaded = await Promise.all([...urls, ...urls].map(load));
    for (const [index, { bytes }] of loaded.entries())
      assert.ok(bytes.equals(media[index % 2]));
  };
  await loadAll();
  await loadAll();
  assert.equal(upstream.seen.length, 1);
  const { text } = await send(`${API}tasks/${id}/events`);
  assert.ok(text.includes(urls[0]), text.slice(0, 500));

  const removed = await send(`${API}tasks/${id}`, { method: "DELETE" });
  assert.equal(removed.status, 200, removed.text);
  upstream.seen.length = 0;
  await loadAll();
  await loadAll();
  assert.equal(upstream.seen.length, 1, "the upstream still has the task");
});

test("a failed poll for media is one for all who wait, and stores nothing", async () => {
  const { urls, media, upstream, answer } = await startEnded();
  upstream.respond = async () => {
    await sleep(500);
    return { status: 500, body: "no" };
  };
  for (const { status } of await Promise.all(urls.map(load)))
    assert.ok(status >= 500, String(status));
  assert.equal(upstream.seen.length, 1);
  upstream.respond = answer;
  const loaded = await load(urls[1]);
  assert.ok(loaded.bytes.equals(media[1]));
});

test("outputs that are not read take little memory", {
  skip: NO_PROC,
}, async () => {
  const { draw } = await start(LARGE_RESULT);
  const [{ url }] = (await draw("k")).data.task.outputs;
  // The memory for one response is there before the first measurement.
  assert.ok((await load(url)).bytes.equals(large));
  const before = residentBytes();
  const sockets = [];
  while (sockets.length < UNREAD) sockets.push(await openUnread(url));
  await sleep(2_000);
  const perUnread = Math.round((residentBytes() - before) / UNREAD);
  assert.ok((await load(url)).bytes.equals(large), "others are served");
  for (const socket of sockets) socket.destroy();
  assert.ok(
    perUnread < MAX_BYTES_PER_UNREAD,
    `${perUnread} bytes for each of ${UNREAD} outputs`,
  );
});

test("an output over the limit of its owner ends the oldest response, visibly", async () => {
  const { draw } = await start(LARGE_RESULT, { STREAMS_PER_SUBJECT: "3" });
  const urlOf = async (bearer) =>
    (await draw("k", bearer && { bearer })).data.task.outputs[0].url;
  const mine = await urlOf();
  const ofBob = await openUnread(await urlOf(token("bob")));
  const oldest = await openUnread(mine);
  const others = [ofBob, await openUnread(mine), await openUnread(mine)];
  assert.ok((await load(mine)).bytes.equals(large));
  /** Reads a response to its end. Returns true if it is complete. */
  const isComplete = async (socket) => {
    socket.resume();
    await once(socket, "close");
    return socket.bytesRead > large.length;
  };
  assert.ok(!(await isComplete(oldest)));
  for (const socket of others) assert.ok(await isComplete(socket));
});

test("a player gets the part of an output that it asks for, and HEAD the headers only", async () => {
  const bytes = pictureOf(700_000);
  const image = bytes.toString("base64");
  const { draw } = await start({ json: { code: 0, data: { image } } });
  const [{ url }] = (await draw("k")).data.task.outputs;
  const part = async (range, headers = {}) => {
    const response = await fetch(url, { headers: { range, ...headers } });
    return {
      status: response.status,
      range: response.headers.get("content-range"),
      length: response.headers.get("content-length"),
      body: Buffer.from(await response.arrayBuffer()),
    };
  };
  const { length } = bytes;
  for (const [range, start, end] of /** @type {[string, number, number][]} */ ([
    // This range spans several rows of the storage.
    ["bytes=65530-200000", 65_530, 200_001],
    ["bytes=-9", length - 9, length],
  ])) {
    const loaded = await part(range);
    assert.deepEqual(
      [loaded.status, loaded.range, loaded.length],
      [206, `bytes ${start}-${end - 1}/${length}`, `${end - start}`],
      range,
    );
    assert.ok(loaded.body.equals(bytes.subarray(start, end)), range);
  }
  const { status } = await part("bytes=0-1", { "if-range": '"another"' });
  assert.equal(status, 200);
  const behind = await part(`bytes=${length}-`);
  assert.deepEqual(
    [behind.status, behind.range, JSON.parse(`${behind.body}`).data.reason],
    [416, `bytes */${length}`, "range_not_satisfiable"],
  );
  const head = await fetch(url, { method: "HEAD" });
  assert.deepEqual(
    ["content-length", "content-type", "accept-ranges"].map((name) =>
      head.headers.get(name),
    ),
    [String(length), "image/png", "bytes"],
  );
  assert.equal((await head.arrayBuffer()).byteLength, 0);
  const unknown = await fetch(`${url}A`, { method: "HEAD" });
  assert.equal(unknown.status, 404);
});

test("callers get different URLs, a guessed one is unknown, and a URL ends with its result", async () => {
  const started = await start({ json: MEMBER });
  const { gateway, draw, send } = started;
  const [mine, other] = await Promise.all([
    draw("k"),
    draw("k", { bearer: token("bob") }),
  ]);
  const [{ url }] = mine.data.task.outputs;
  assert.notEqual(url, other.data.task.outputs[0].url);
  for (const wrong of [
    `${url}A`,
    url.replace(/.$/, ""),
    `${gateway.url}${API}outputs/x`,
  ]) {
    const reply = await request(wrong, { bearer: null });
    assert.deepEqual(
      [reply.status, reply.data.reason],
      [404, "unknown_output"],
    );
  }
  const removed = await send(`${API}tasks/${mine.data.task.id}`, {
    method: "DELETE",
  });
  assert.equal(removed.status, 200, removed.text);
  assert.equal((await load(url)).status, 404);
  assert.equal((await load(other.data.task.outputs[0].url)).status, 200);
});

test("bytes that a browser could run are served as bytes", async () => {
  const { draw } = await start({
    json: { code: 0, data: { file: "data:text/html,%3Cscript%3E1" } },
  });
  const { data } = await draw("k");
  const { headers, bytes } = await load(data.task.outputs[0].url);
  assert.equal(headers.get("content-type"), "application/octet-stream");
  assert.equal(bytes.toString(), "<script>1");
});

test("bytes that contain the API key are not served", async () => {
  const text = Buffer.from(`authorization: Bearer ${SETTINGS.UPSTREAM_API_KEY}`)
    .toString("base64")
    .replaceAll(/(.{8})/g, "$1\r\n");
  const data = { file: `data:text/plain;base64,${text}` };
  const { draw } = await start({ json: { code: 0, data } });
  const created = await draw("k");
  assert.equal(created.status, 200, created.text);
  const [{ url }] = created.data.task.outputs;
  const loaded = await load(url);
  assert.equal(loaded.status, 404, loaded.bytes.toString());
});

test("text that is no medium is no result", async () => {
  const json = { code: 0, data: { image: `${base64}A` } };
  const { draw } = await start({ json });
  const { status, data } = await draw("k");
  assert.deepEqual([status, data.outcome], [502, "unknown"]);
});

test("a result as text is an input of the next create, alone and in a pipeline", async () => {
  const emulator = await startEmulator([
    ...["--text-to-image", "inline"],
    ...["--task-seconds", "0.2", "--results", "placeholder"],
  ]);
  const gateway = await startGateway({
    UPSTREAM_BASE_URL: emulator.url,
    OUTPUT_HOSTS: "127.0.0.1",
  });
  const send = (path, options) => request(gateway.url + API + path, options);
  try {
    const drawn = await send("generate/image/text_to_image", {
      body: { prompt: "p" },
    });
    assert.equal(drawn.status, 200, drawn.text);
    const moved = await send("files", {
      body: { task_id: drawn.data.task.id, output: 0 },
    });
    assert.equal(moved.status, 200, moved.text);
    const video = await send("generate/video/image_to_video", {
      body: { file_id: moved.data.file_id, prompt: "p" },
    });
    assert.equal(video.status, 200, video.text);

    const steps = {
      still: { capability: "text_to_image", input: { prompt: "p" } },
      clip: {
        capability: "image_to_video",
        input: { prompt: "p", file_id: { step: "still" } },
      },
    };
    const started = await send("pipelines", { body: { steps } });
    assert.equal(started.status, 200, started.text);
    let { pipeline } = started.data;
    for (let polls = 0; polls < 100 && pipeline.state === "RUNNING"; polls++) {
      await sleep(100);
      ({ pipeline } = (await send(`pipelines/${pipeline.id}`)).data);
    }
    assert.equal(pipeline.state, "SUCCEEDED", JSON.stringify(pipeline));
    const still = pipeline.steps.find((step) => step.name === "still");
    assert.equal((await load(still.outputs[0].url)).status, 200);
  } finally {
    await Promise.all([gateway.stop(), emulator.stop()]);
  }
});
