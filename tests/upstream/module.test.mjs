// What a module does for every model: files, values, fields that a model ignores, keys, and errors.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import {
  falModel,
  ProviderError,
  streamFile,
  upstream,
} from "mediagate-gateway/upstream";
import { KEEP_ALIVE, listen } from "../support/listen.mjs";
import { KEY as FAL_KEY, startFal } from "../support/providers/fal.mjs";
import { create, ended, envelope, poll, send } from "./support.mjs";

const KLING = "fal-ai/kling-video/v2.5-turbo/pro/image-to-video";
const BYTES = Buffer.from("a picture");

const world = /** @type {Awaited<ReturnType<typeof startFal>>} */ ({});
const bucket = { url: "", loads: 0, key: /** @type {string | null} */ (null) };
/** The operator's bucket. It answers with the key of a request for `/keyed`. */
const server = createServer(KEEP_ALIVE, (request, response) => {
  bucket.loads += 1;
  const url = new URL(request.url, "http://bucket");
  if (url.pathname === "/missing") response.writeHead(404).end();
  else if (url.pathname === "/keyed") {
    bucket.key = url.searchParams.get("key");
    response.writeHead(302, { location: "/moved" }).end();
  } else response.writeHead(200, { "content-type": "video/mp4" }).end(BYTES);
});
before(async () => {
  Object.assign(world, await startFal());
  bucket.url = await listen(server);
});
after(async () => {
  server.close();
  await world.stop();
});

const env = () => ({ FAL_KEY, FAL_QUEUE_URL: world.url });
const fileOf = (more = {}) => ({
  url: `${bucket.url}/a.png`,
  type: "image/png",
  name: "a.png",
  size: BYTES.length,
  ...more,
});
/** @type {import("mediagate-gateway/upstream").Model<"image_to_video">} */
const kling = falModel(KLING, ({ file_id, prompt, duration_seconds }) => ({
  image_url: file_id.url,
  prompt,
  duration: duration_seconds === 10 ? "10" : "5",
}));
const films = upstream({ image_to_video: kling });
const film = (body) => create(films, env(), "image_to_video", body);

/** A model of one's own, with what a test changes of it. */
const own = (more = {}) => ({
  provider: "own",
  name: "own",
  variables: [],
  start: async () => ({ job: 1 }),
  status: async () => ({ state: /** @type {const} */ ("RUNNING") }),
  ...more,
});

test("a file is its URL, or a data URL if no provider loads it", async () => {
  const loads = bucket.loads;
  await film({ file_id: fileOf(), prompt: "p" });
  assert.equal(world.posts.at(-1).body.image_url, fileOf().url);
  assert.equal(bucket.loads, loads);
  await film({ file_id: fileOf({ private: true }), prompt: "p" });
  assert.equal(
    world.posts.at(-1).body.image_url,
    `data:image/png;base64,${BYTES.toString("base64")}`,
  );
});

test("a file that can't be sent is refused before anything is", async () => {
  const before = world.posts.length;
  const refused = async (file, pattern) => {
    const { code, message } = await film({ file_id: file, prompt: "p" });
    assert.equal(code, 12);
    assert.match(message, pattern);
  };
  const large = fileOf({ private: true, size: 10_000_001 });
  await refused(large, /a\.png: more than 10 MB/);
  await refused("an-id", /UPLOAD_MODE/);
  const missing = fileOf({ private: true, url: `${bucket.url}/missing` });
  await refused(missing, /can't be loaded/);
  assert.equal(world.posts.length, before);
});

test("private files have 10 MB in all, and others any size", async () => {
  const worker = upstream({
    omni_reference_to_video: falModel(
      "fal-ai/bytedance/seedance/v1/lite/reference-to-video",
      ({ prompt, image_file_ids = [] }) => ({
        prompt,
        reference_image_urls: image_file_ids.map(({ url }) => url),
      }),
    ),
  });
  const half = fileOf({ size: 6_000_000 });
  const of = (image_file_ids) =>
    create(worker, env(), "omni_reference_to_video", {
      prompt: "p",
      image_file_ids,
    });
  assert.equal((await of([half, half])).code, 0);
  assert.equal(world.posts.at(-1).body.reference_image_urls.length, 2);
  const hidden = { ...half, private: true };
  assert.equal((await of([hidden, hidden])).code, 12);
});

test("a logo is a list, also if it is one file, and a file has its bytes", async () => {
  const seen = /** @type {any} */ ({});
  const worker = upstream({
    video_logo_removal: own({
      start: async ({ logo_file_id, input_video_file_id }) => {
        Object.assign(seen, { logo_file_id, input_video_file_id });
        return { job: 1 };
      },
    }),
  });
  const body = { logo_file_id: fileOf(), input_video_file_id: fileOf() };
  await create(worker, env(), "video_logo_removal", body);
  assert.equal(seen.logo_file_id.length, 1);
  const { input_video_file_id: file } = seen;
  assert.deepEqual(Buffer.from(await file.bytes()), BYTES);
  assert.deepEqual(
    [file.name, file.type, file.size],
    ["a.png", "image/png", BYTES.length],
  );
  assert.equal(
    JSON.stringify({ file }),
    JSON.stringify({ file: fileOf().url }),
  );
});

test("a field that a model does not read is a warning in each response", async () => {
  const body = {
    file_id: fileOf(),
    prompt: "p",
    clarity: "720P",
    aspect_ratio: null,
    title: "a title",
  };
  const { data } = await film(body);
  const warnings = [`clarity has no effect with ${KLING}`];
  assert.deepEqual(data.task.warnings, warnings);
  const polled = await poll(films, env(), data.task.id);
  assert.deepEqual(polled.data.task.warnings, warnings);
});

test("a file that a model does not read is refused before it costs", async () => {
  const before = world.posts.length;
  const worker = upstream({
    omni_reference_to_video: falModel("fal-ai/flux/dev", ({ prompt }) => ({
      prompt,
    })),
  });
  const of = (files) =>
    create(worker, env(), "omni_reference_to_video", { prompt: "p", ...files });
  const one = await of({
    image_file_ids: [fileOf()],
    audio_file_ids: [fileOf()],
  });
  assert.deepEqual(
    [one.code, one.message],
    [12, "fal-ai/flux/dev does not use image_file_ids[0], audio_file_ids[0]"],
  );
  assert.equal(world.posts.length, before);
  assert.equal((await of({ image_file_ids: [] })).code, 0);
});

test("a file whose content a model does not read is refused, and one that it gives whole is its URL", async () => {
  const of = (/** @type {any} */ map) => {
    const worker = upstream({
      omni_reference_to_video: falModel("fal-ai/flux/dev", map),
    });
    const image_file_ids = [fileOf(), fileOf()];
    const body = { prompt: "p", image_file_ids };
    return create(worker, env(), "omni_reference_to_video", body);
  };
  const before = world.posts.length;
  for (const map of [
    ({ prompt, image_file_ids: _ }) => ({ prompt }),
    ({ image_file_ids: files }) => ({ urls: files.map((file) => file.ulr) }),
    ({ image_file_ids: files }) => ({ names: files.map(({ name }) => name) }),
  ]) {
    const { code, message } = await of(map);
    assert.equal(code, 12);
    assert.match(message, /not use image_file_ids\[0\], image_file_ids\[1\]$/);
  }
  const first = await of(({ image_file_ids: [file] }) => ({ url: file.url }));
  assert.match(first.message, /not use image_file_ids\[1\]$/);
  assert.equal(world.posts.length, before);
  const whole = await of(({ image_file_ids: files }) => ({ in: { files } }));
  assert.equal(whole.code, 0);
  const { url } = fileOf();
  assert.deepEqual(world.posts.at(-1).body.in.files, [url, url]);
});

test("models are chosen by their id, the first is the default, and values are checked", async () => {
  const worker = upstream({
    image_to_video: {
      kling: { model: kling, accepts: { duration_seconds: [5, 10] } },
      wan: own(),
    },
    text_to_image: falModel("fal-ai/flux/dev", ({ prompt }) => ({ prompt })),
  });
  const { data } = await envelope(worker, env(), "/models");
  assert.deepEqual(data.models, [
    {
      model_id: "kling",
      capability: "image_to_video",
      generation_options: { duration_seconds: [5, 10] },
    },
    { model_id: "wan", capability: "image_to_video", generation_options: {} },
    {
      model_id: "fal-ai/flux/dev",
      capability: "text_to_image",
      generation_options: {},
    },
  ]);
  const before = world.posts.length;
  const of = (body) =>
    create(worker, env(), "image_to_video", {
      file_id: fileOf(),
      prompt: "p",
      ...body,
    });
  const wrong = await of({ duration_seconds: 7 });
  assert.deepEqual(
    [wrong.code, wrong.message],
    [12, "duration_seconds: kling accepts 5, 10"],
  );
  const unknown = await of({ model_id: "veo" });
  assert.deepEqual(
    [unknown.code, unknown.message],
    [1410, "image_to_video has no model veo; give one of kling, wan"],
  );
  assert.equal((await create(worker, env(), "head_swap", {})).code, 1410);
  assert.equal(world.posts.length, before);
  assert.equal((await of({ duration_seconds: 10 })).code, 0);
  assert.equal(world.posts.at(-1).body.duration, "10");
  assert.equal((await of({ model_id: "wan" })).data.task.provider, "own");
});

test("the list of models names every variable that is missing", async () => {
  const worker = upstream({
    image_to_video: kling,
    text_to_video: own({ variables: ["OWN_KEY", "FAL_KEY"] }),
  });
  const { code, message } = await envelope(worker, {}, "/models");
  assert.equal(code, 13);
  assert.match(message, /^set FAL_KEY, OWN_KEY,/);
});

test("an estimate is refused, unless the model has one", async () => {
  const worker = upstream({
    text_to_image: own({ name: "priced", estimate: async () => 3 }),
    image_to_video: kling,
  });
  const of = (body) => envelope(worker, env(), "/credits/estimate", { body });
  assert.deepEqual((await of({ capability: "text_to_image" })).data, {
    credits: 3,
  });
  const { code, message } = await of({ capability: "image_to_video" });
  assert.deepEqual([code, message], [12, `${KLING} has no price in advance`]);
});

test("an output with a key in its URL is given by a path, and loaded with the key", async () => {
  const key = "a+key/of=16chars";
  const worker = upstream({
    text_to_video: own({
      status: async () => ({
        state: "SUCCEEDED",
        outputs: [
          {
            url: `${bucket.url}/keyed?key=${encodeURIComponent(key)}&x={OWN_KEY}`,
          },
          { url: `${bucket.url}/open.mp4`, type: "video/mp4" },
        ],
      }),
    }),
  });
  const variables = { OWN_KEY: key };
  const task = await ended(worker, variables, "text_to_video", {});
  const [keyed, plain] = task.outputs;
  assert.equal(plain.url, `${bucket.url}/open.mp4`);
  assert.match(keyed.url, /^\/files\/[\w-]+$/);
  const packed = Buffer.from(keyed.url.slice(7), "base64url").toString();
  assert.ok(!packed.includes("a+key") && !packed.includes("a%2Bkey"), packed);
  const response = await send(worker, variables, keyed.url);
  assert.deepEqual(Buffer.from(await response.arrayBuffer()), BYTES);
  assert.equal(bucket.key, key);
  assert.equal((await send(worker, variables, "/files/bm9uZQ")).status, 404);
});

test("a job that ends at once has its end in the response to the create, and in no other", async () => {
  const outputs = [{ url: "https://x.example/a.png" }];
  const worker = upstream({
    text_to_image: own({ start: async () => ({ outputs, warnings: ["w"] }) }),
    text_to_video: own({ start: async () => ({ outputs: [] }) }),
  });
  const { data } = await create(worker, {}, "text_to_image", {});
  assert.deepEqual(
    [data.task.state, data.task.outputs, data.task.warnings],
    ["SUCCEEDED", outputs, ["w"]],
  );
  const polled = await poll(worker, {}, data.task.id);
  assert.equal(polled.data.task.state, "EXPIRED");
  const empty = await create(worker, {}, "text_to_video", {});
  assert.equal(empty.data.task.state, "FAILED");
  assert.match(empty.data.task.error.message, /no output/);
});

test("an id is as short as the gateway takes it, and leaves out long warnings", async () => {
  const made = async (warnings) => {
    const module = upstream({
      background_removal: own({ start: async () => ({ job: "j", warnings }) }),
    });
    const { data } = await create(module, {}, "background_removal", {});
    assert.ok(data.task.id.length <= 2048, String(data.task.id.length));
    assert.deepEqual(data.task.warnings, warnings);
    return (await poll(module, {}, data.task.id)).data.task.warnings;
  };
  for (let length = 1_300; length < 1_400; length += 7) {
    const warnings = ["w".repeat(length)];
    assert.deepEqual(await made(warnings), warnings);
  }
  assert.equal(await made(Array(8).fill("w".repeat(200))), undefined);
});

test("a page can't call a module that runs on its own", async () => {
  const before = world.posts.length;
  const response = await send(films, env(), "/api/app/v1/models", {
    headers: { origin: "http://localhost:3000" },
  });
  assert.equal((await response.json()).code, 13);
  assert.equal(world.posts.length, before);
});

test("the files that a model loads have 20 MB in all", async () => {
  const worker = upstream({
    image_to_video: own({
      start: async ({ file_id }, _env, ready) => {
        await file_id.bytes();
        await file_id.bytes();
        ready();
        return { job: 1 };
      },
    }),
  });
  const of = (size) =>
    create(worker, {}, "image_to_video", { file_id: fileOf({ size }) });
  assert.equal((await of(10_000_000)).code, 0);
  const { code, message } = await of(10_000_001);
  assert.equal(code, 12);
  assert.match(message, /a\.png: .* 20 MB in all/);
});

test("a key in a header stays at the provider's origin", async (t) => {
  const seen = [];
  const storage = createServer(({ headers }, response) => {
    seen.push([headers["x-key"], headers.range]);
    response.writeHead(206, { "content-type": "video/mp4" }).end(BYTES);
  });
  const provider = createServer(({ url, headers }, response) => {
    seen.push([headers["x-key"], headers.range]);
    const location = url === "/moved" ? `${at.storage}/a.mp4` : "/moved";
    response.writeHead(302, { location }).end();
  });
  const at = {
    storage: await listen(storage),
    provider: await listen(provider),
  };
  t.after(() => [storage, provider].map((each) => each.close()));
  const request = new Request("http://module/", {
    headers: { range: "bytes=0-" },
  });
  const headers = { "x-key": "a key" };
  const response = await streamFile(at.provider, headers, request);
  assert.equal(response.status, 206);
  assert.deepEqual(seen, [
    ["a key", "bytes=0-"],
    ["a key", "bytes=0-"],
    [undefined, "bytes=0-"],
  ]);
  await response.body.cancel();
});

test("a job whose polls fail, or that never ends, is given up after a day", async (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: Date.now() });
  const status = async () => {
    throw new ProviderError(500, "no");
  };
  const worker = upstream({ text_to_image: own({ status }) });
  const { data } = await create(worker, {}, "text_to_image", {});
  assert.equal((await poll(worker, {}, data.task.id)).code, 1404);
  t.mock.timers.tick(86_400_000);
  const { task } = (await poll(worker, {}, data.task.id)).data;
  assert.equal(task.state, "EXPIRED");
  assert.match(task.error.message, /may still run/);
  const running = upstream({ text_to_image: own() });
  const { id } = (await create(running, {}, "text_to_image", {})).data.task;
  const stateOf = async () => (await poll(running, {}, id)).data.task.state;
  assert.equal(await stateOf(), "RUNNING");
  t.mock.timers.tick(86_400_000);
  assert.equal(await stateOf(), "EXPIRED");
});

test("a task of a model that is gone has expired", async () => {
  const { data } = await film({ file_id: fileOf(), prompt: "p" });
  const { task } = (await poll(upstream({}), env(), data.task.id)).data;
  assert.equal(task.state, "EXPIRED");
  assert.equal((await poll(films, env(), "nonsense")).code, 12);
});

test("an exception of the mapping is a refusal with its sentence, and nothing is sent", async () => {
  const before = world.posts.length;
  const worker = upstream({
    text_to_image: falModel("fal-ai/flux/dev", () => {
      throw new Error("this model takes no such picture");
    }),
  });
  const { code, message } = await create(worker, env(), "text_to_image", {});
  assert.deepEqual([code, message], [12, "this model takes no such picture"]);
  assert.equal(world.posts.length, before);
});

test("a mistake in a model leaves the outcome open, and no text has the key", async (t) => {
  const logged = t.mock.method(console, "error", () => {});
  const variables = { OWN_KEY: "own-canary-0123" };
  const failing = (error) =>
    upstream({
      text_to_image: own({
        start: async () => {
          throw error;
        },
      }),
    });
  const of = (error) => create(failing(error), variables, "text_to_image", {});
  const mistake = await of(new TypeError("with own-canary-0123"));
  assert.deepEqual(
    [mistake.code, mistake.message],
    [99, "the module failed (TypeError)"],
  );
  assert.equal(logged.mock.callCount(), 1);
  assert.match(String(logged.mock.calls[0].arguments[0]), /with \{OWN_KEY\}/);
  const failed = upstream({
    text_to_video: own({
      status: async () => ({ state: "FAILED", message: "own-canary-0123" }),
    }),
  });
  const { error } = await ended(failed, variables, "text_to_video", {});
  assert.equal(error.message, "{OWN_KEY}");
  // A key may be a part of another one.
  const nested = { ID: "own-canary", WHOLE: "own-canary:0123" };
  const whole = await create(
    upstream({
      text_to_image: own({
        start: async () => ({ job: 1, warnings: ["own-canary:0123"] }),
      }),
    }),
    nested,
    "text_to_image",
    {},
  );
  assert.deepEqual(whole.data.task.warnings, ["{WHOLE}"]);
  const told = await of(
    new ProviderError(400, "API key own-canary-0123 is wrong"),
  );
  assert.deepEqual(
    [told.code, told.message],
    [13, "API key {OWN_KEY} is wrong"],
  );
});

test("statuses of a provider have the document's codes", async () => {
  const of = async (status) => {
    const start = async () => {
      throw new ProviderError(status, "no");
    };
    return (
      await create(
        upstream({ text_to_image: own({ start }) }),
        {},
        "text_to_image",
        {},
      )
    ).code;
  };
  const codes = {
    400: 12,
    401: 13,
    402: 1401,
    403: 13,
    404: 1410,
    408: 1405,
    409: 12,
    413: 12,
    422: 12,
    429: 16,
    302: 1404,
    500: 1404,
    503: 1404,
    504: 1405,
  };
  for (const [status, code] of Object.entries(codes))
    assert.equal(await of(Number(status)), code, status);
  assert.equal(await of(undefined), 1404);
});

test("a redirect of a create is not followed, and a lost response leaves the outcome open", async (t) => {
  const seen = [];
  const moving = createServer((request, response) => {
    seen.push(request.url);
    if (request.url.includes("flux"))
      response.writeHead(307, { location: "/x" }).end();
    else request.socket.destroy();
  });
  const url = await listen(moving);
  t.after(() => moving.close());
  const worker = upstream({
    text_to_image: falModel("fal-ai/flux/dev", () => ({ prompt: "" })),
    text_to_video: falModel("fal-ai/wan/v2.2-a14b/text-to-video", () => ({
      prompt: "",
    })),
  });
  const variables = { FAL_KEY, FAL_QUEUE_URL: url };
  for (const capability of ["text_to_image", "text_to_video"])
    assert.equal((await create(worker, variables, capability, {})).code, 1404);
  assert.equal(seen.length, 2);
});
