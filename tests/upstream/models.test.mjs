// Each model from its create to the output, in front of the stand-in of its provider, with each fault.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, describe, test } from "node:test";
import {
  falModel,
  geminiModel,
  openAiVideos,
  replicateModel,
  runwayModel,
  upstream,
  veoModel,
} from "mediagate-gateway/upstream";
import { listen } from "../support/listen.mjs";
import { KEY as FAL_KEY } from "../support/providers/fal.mjs";
import { KEY as GEMINI_API_KEY, PIXEL } from "../support/providers/google.mjs";
import { KEY as REPLICATE_KEY } from "../support/providers/replicate.mjs";
import { KEY as RUNWAY_KEY } from "../support/providers/runway.mjs";
import { SIZE } from "../support/providers/server.mjs";
import { KEY as VIDEOS_KEY } from "../support/providers/videos.mjs";
import {
  create,
  ended,
  envelope,
  poll,
  send,
  startProviders,
} from "./support.mjs";

const world = /** @type {Awaited<ReturnType<typeof startProviders>>} */ ({});
before(async () => Object.assign(world, await startProviders()));
after(() => world.stop());

/**
 * Gives a model its capability, which an offer does otherwise.
 *
 * @param {import("mediagate-gateway/upstream").Model<"text_to_video">} model
 */
const ofText = (model) => model;

const SORA = ofText(
  openAiVideos("sora-2", ({ prompt }) => ({ prompt, seconds: "4" })),
);

const VEO = "veo-3.1-generate-preview";
const google = () => ({ GEMINI_API_KEY, GEMINI_BASE_URL: world.google.url });

/** The providers: a model, its variables, and what their faults are. */
const PROVIDERS = [
  {
    name: "fal",
    model: ofText(
      falModel("fal-ai/wan/v2.2-a14b/text-to-video", ({ prompt }) => ({
        prompt,
      })),
    ),
    key: "FAL_KEY",
    env: () => ({ FAL_KEY, FAL_QUEUE_URL: world.fal.url }),
    refused: /^prompt: .*flagged by a content checker/,
    failed: /Internal Server Error/,
    path: "/fal-ai/wan/v2.2-a14b/text-to-video",
  },
  {
    name: "replicate",
    model: ofText(replicateModel("owner/name", ({ prompt }) => ({ prompt }))),
    key: "REPLICATE_API_TOKEN",
    env: () => ({
      REPLICATE_API_TOKEN: REPLICATE_KEY,
      REPLICATE_BASE_URL: `${world.replicate.url}/v1`,
    }),
    refused: /\(E005\)/,
    failed: /CUDA out of memory/,
    path: "/v1/models/owner/name/predictions",
  },
  {
    name: "runway",
    model: ofText(
      runwayModel("text_to_video", ({ prompt }) => ({
        model: "veo3.1",
        promptText: prompt,
        ratio: "1280:720",
        duration: 4,
      })),
    ),
    key: "RUNWAYML_API_SECRET",
    env: () => ({
      RUNWAYML_API_SECRET: RUNWAY_KEY,
      RUNWAYML_BASE_URL: world.runway.url,
    }),
    refused: /moderated/,
    failed: /unexpected error/,
    path: "/v1/text_to_video",
  },
  {
    name: "videos",
    model: SORA,
    key: "OPENAI_API_KEY",
    env: () => ({
      OPENAI_API_KEY: VIDEOS_KEY,
      OPENAI_BASE_URL: `${world.videos.url}/v1/`,
    }),
    refused: /moderation/,
    failed: /generation failed/,
    path: "/v1/videos",
  },
  {
    name: "google",
    model: ofText(veoModel(VEO, ({ prompt }) => ({ prompt }))),
    key: "GEMINI_API_KEY",
    env: () => google(),
    refused: /issue with the audio/,
    failed: /internal server issue/,
    path: `/v1beta/models/${VEO}:predictLongRunning`,
  },
];

for (const { name, model, key, env, refused, failed, path } of PROVIDERS)
  describe(name, () => {
    const worker = upstream({ text_to_video: model });
    const make = (prompt) => ended(worker, env(), "text_to_video", { prompt });
    const begin = (prompt, variables = env()) =>
      create(worker, variables, "text_to_video", { prompt });

    test("makes a video by one POST", async () => {
      const before = world[name].posts.length;
      const task = await make("a boat");
      assert.equal(task.state, "SUCCEEDED", JSON.stringify(task));
      assert.equal(task.warnings, undefined);
      assert.equal(task.provider, model.provider);
      const [{ url }] = task.outputs;
      const response = url.startsWith("/")
        ? await send(worker, env(), url)
        : await fetch(url);
      assert.equal((await response.arrayBuffer()).byteLength, SIZE);
      const posts = world[name].posts.slice(before);
      assert.deepEqual(
        posts.map((post) => post.path),
        [path],
      );
    });

    test("sends one POST, also after 502, and leaves the outcome open", async () => {
      const before = world[name].posts.length;
      const { code, message, data } = await begin("html");
      assert.deepEqual(
        [code, message],
        [1404, "the provider responded with status 502"],
      );
      assert.deepEqual(data, { provider: model.provider });
      assert.equal(world[name].posts.length - before, 1);
    });

    test("goes on after a poll that fails", async () => {
      const { state, failures } = await make("flaky");
      assert.deepEqual([state, failures], ["SUCCEEDED", [1404]]);
    });

    test("tells a refusal of content from a failure", async () => {
      const refusal = await make("refuse");
      assert.equal(refusal.state, "FAILED");
      assert.equal(refusal.error.reason, "content_refused");
      assert.match(refusal.error.message, refused);
      const failure = await make("state=FAILED");
      assert.equal(failure.state, "FAILED");
      assert.equal(failure.error.reason, undefined);
      assert.match(failure.error.message, failed);
    });

    test("passes on a limit with its time, and an account without credits", async () => {
      const { code, headers } = await begin("status=429");
      assert.deepEqual([code, headers.get("retry-after")], [16, "7"]);
      assert.equal((await begin("status=402")).code, 1401);
    });

    test("has the code of a wrong key, and no message with one", async () => {
      const wrong = await begin("a boat", {
        ...env(),
        [key]: "wrong-0123456789",
      });
      assert.equal(wrong.code, 13);
      assert.ok(!JSON.stringify(wrong).includes("wrong-0123456789"));
    });

    test("ends as EXPIRED if the provider no longer has the job, but not at once", async (t) => {
      t.mock.timers.enable({ apis: ["Date"], now: Date.now() });
      const { data } = await begin("state=EXPIRED");
      const read = () => poll(worker, env(), data.task.id);
      const early = [await read(), await read()];
      // Replicate has the prediction without its output, so it is no error.
      if (name !== "replicate")
        assert.deepEqual(
          early.map(({ code }) => code),
          [1410, 1410],
        );
      t.mock.timers.tick(61_000);
      const late = await read();
      assert.equal(late.data.task.state, "EXPIRED");
    });

    test("stops a job, if the provider documents how", async () => {
      const { data } = await begin("a boat");
      const job = world[name].jobs.at(-1);
      const path = `/generate/tasks/${data.task.id}`;
      const { code } = await envelope(worker, env(), path, {
        method: "DELETE",
      });
      const isStopped = model.cancel !== undefined;
      assert.deepEqual([code === 0, job.isCancelled], [isStopped, isStopped]);
    });
  });

test("fal's queue has the requests below the app, whatever the endpoint's path is", async () => {
  const env = { FAL_KEY, FAL_QUEUE_URL: world.fal.url };
  const worker = upstream({
    text_to_image: falModel("fal-ai/flux/dev", ({ prompt }) => ({ prompt })),
    background_removal: falModel("fal-ai/birefnet/v2", ({ file_id }) => ({
      image_url: file_id.url,
    })),
  });
  // The result repeats the prompt, which is no output.
  const prompt = "https://x.example/prompt.png";
  const { outputs } = await ended(worker, env, "text_to_image", { prompt });
  assert.deepEqual(
    outputs.map(({ content_type }) => content_type),
    ["image/png"],
  );
  const black = await ended(worker, env, "text_to_image", { prompt: "black" });
  assert.deepEqual(
    [black.state, black.warnings],
    [
      "SUCCEEDED",
      ["fal's safety check has flagged a picture, which may be black"],
    ],
  );
  const internal = await ended(worker, env, "text_to_image", {
    prompt: "internal",
  });
  assert.deepEqual([internal.state, internal.failures], ["SUCCEEDED", [1404]]);
  const crash = await ended(worker, env, "text_to_image", { prompt: "crash" });
  assert.deepEqual(
    [crash.state, crash.error.message],
    ["FAILED", "Runner disconnected"],
  );
});

test("a version of Replicate is sent as one, and a list of outputs is read", async () => {
  const env = {
    REPLICATE_API_TOKEN: REPLICATE_KEY,
    REPLICATE_BASE_URL: `${world.replicate.url}/v1`,
  };
  const worker = upstream({
    head_swap: replicateModel("owner/name:0123abcd", () => ({ a: 1 })),
    text_to_image: replicateModel("owner/flux", ({ prompt }) => ({ prompt })),
  });
  const file = {
    url: "https://x.example/a.png",
    type: "image/png",
    name: "a",
    size: 1,
  };
  await create(worker, env, "head_swap", { seed: 1 });
  const { path, body } = world.replicate.posts.at(-1);
  assert.equal(path, "/v1/predictions");
  assert.deepEqual(body, { version: "0123abcd", input: { a: 1 } });
  const { outputs } = await ended(worker, env, "text_to_image", {
    prompt: "x",
  });
  assert.equal(outputs.length, 1);
  const unread = await create(worker, env, "head_swap", {
    source_image_file_id: file,
  });
  assert.equal(unread.code, 12);
});

test("a request that Runway does not take is refused with its sentence", async () => {
  const env = {
    RUNWAYML_API_SECRET: RUNWAY_KEY,
    RUNWAYML_BASE_URL: world.runway.url,
  };
  const wrong = upstream({
    text_to_video: runwayModel("text_to_video", () => /** @type {any} */ ({})),
  });
  const { code, message } = await create(wrong, env, "text_to_video", {});
  assert.deepEqual(
    [code, message],
    [12, "Validation of body failed: model: Required"],
  );
});

test("another service has its own variables, and its refusals are refusals", async () => {
  const worker = upstream({
    text_to_video: openAiVideos(
      "google/veo-3.1",
      ({ prompt, duration_seconds }) => ({
        prompt,
        duration: duration_seconds,
      }),
      {
        provider: "openrouter",
        key: "OPENROUTER_API_KEY",
        baseUrl: "OPENROUTER_BASE_URL",
      },
    ),
  });
  const env = {
    OPENROUTER_API_KEY: VIDEOS_KEY,
    OPENROUTER_BASE_URL: `${world.videos.url}/v1`,
  };
  const task = await ended(worker, env, "text_to_video", {
    prompt: "x",
    duration_seconds: 8,
  });
  assert.deepEqual([task.state, task.provider], ["SUCCEEDED", "openrouter"]);
  assert.deepEqual(world.videos.posts.at(-1).body, {
    prompt: "x",
    duration: 8,
    model: "google/veo-3.1",
  });
  const { code, data } = await create(worker, env, "text_to_video", {
    prompt: "moderated",
  });
  assert.deepEqual([code, data.error.reason], [12, "content_refused"]);
  const { message } = await envelope(worker, {}, "/models");
  assert.match(message, /OPENROUTER_API_KEY, OPENROUTER_BASE_URL/);
});

test("a video that needs the key is streamed in parts, and without headers of its own", async () => {
  const env = {
    OPENAI_API_KEY: VIDEOS_KEY,
    OPENAI_BASE_URL: `${world.videos.url}/v1`,
  };
  const worker = upstream({ text_to_video: SORA });
  const { outputs } = await ended(worker, env, "text_to_video", {
    prompt: "x",
  });
  const [{ url, content_type }] = outputs;
  assert.equal(content_type, "video/mp4");
  const part = await send(worker, env, url, { headers: { range: "bytes=0-" } });
  assert.equal(part.status, 206);
  assert.equal(part.headers.get("content-range"), "bytes 0-4095/4096");
  assert.equal(part.headers.get("set-cookie"), null);
  const head = await send(worker, env, url, { method: "HEAD" });
  assert.deepEqual([head.status, await head.text()], [200, ""]);
});

/** Starts a bucket with one file, which a request for `/missing` does not get. */
async function startBucket(t) {
  const bytes = Buffer.from("a picture");
  const server = createServer(({ url }, response) => {
    response.writeHead(url === "/missing" ? 404 : 200).end(bytes);
  });
  const url = await listen(server);
  t.after(() => server.close());
  const fileOf = (path) => ({
    url: url + path,
    type: "image/png",
    name: path.slice(1),
    size: bytes.length,
  });
  return { fileOf, base64: bytes.toString("base64") };
}

test("Veo gets the bytes of its files, and a file that can't be loaded costs nothing", async (t) => {
  const { fileOf, base64 } = await startBucket(t);
  const worker = upstream({
    image_to_video: veoModel(VEO, ({ file_id, prompt, duration_seconds }) => ({
      prompt,
      image: file_id,
      lastFrame: file_id,
      durationSeconds: duration_seconds ?? 8,
      aspectRatio: "16:9",
    })),
    omni_reference_to_video: veoModel(
      VEO,
      ({ prompt, image_file_ids = [] }) => ({
        prompt,
        referenceImages: image_file_ids,
      }),
    ),
  });
  const image = { bytesBase64Encoded: base64, mimeType: "image/png" };
  const body = { prompt: "x", file_id: fileOf("/a"), duration_seconds: 4 };
  const { code } = await create(worker, google(), "image_to_video", body);
  assert.equal(code, 0);
  assert.deepEqual(world.google.posts.at(-1).body, {
    instances: [{ prompt: "x", image, lastFrame: image }],
    parameters: { durationSeconds: 4, aspectRatio: "16:9" },
  });
  const image_file_ids = [fileOf("/a"), fileOf("/b")];
  const capability = "omni_reference_to_video";
  await create(worker, google(), capability, { prompt: "x", image_file_ids });
  const { instances, parameters } = world.google.posts.at(-1).body;
  const asset = { image, referenceType: "asset" };
  assert.deepEqual(
    [instances, parameters],
    [[{ prompt: "x", referenceImages: [asset, asset] }], {}],
  );
  const before = world.google.posts.length;
  const refused = await create(worker, google(), "image_to_video", {
    ...body,
    file_id: fileOf("/missing"),
  });
  assert.deepEqual(
    [refused.code, refused.message],
    [12, "missing can't be loaded from the bucket"],
  );
  assert.equal(world.google.posts.length, before);
});

test("Veo's filter is a refusal, or a warning if a video is left", async () => {
  const worker = upstream({
    text_to_video: veoModel(VEO, ({ prompt }) => ({ prompt })),
  });
  const make = (prompt) => ended(worker, google(), "text_to_video", { prompt });
  const sensitive = await make("sensitive");
  assert.deepEqual(
    [sensitive.state, sensitive.error.reason],
    ["FAILED", "content_refused"],
  );
  assert.match(sensitive.error.message, /Support codes: 58061214$/);
  const partly = await make("partly");
  assert.deepEqual([partly.state, partly.outputs.length], ["SUCCEEDED", 1]);
  assert.match(partly.warnings[0], /^We encountered an issue with the audio/);
});

test("no URL of Veo's video has the key, and only Google's host gets it", async () => {
  const worker = upstream({
    text_to_video: veoModel(VEO, ({ prompt }) => ({ prompt })),
  });
  const make = (prompt) => ended(worker, google(), "text_to_video", { prompt });
  for (const prompt of ["x", "keyed"]) {
    const task = await make(prompt);
    const [{ url, content_type }] = task.outputs;
    const packed = Buffer.from(url.slice("/files/".length), "base64url");
    assert.match(
      packed.toString(),
      /"\/v1beta\/files\/\w+:download\?alt=media"/,
    );
    assert.equal(content_type, "video/mp4");
    const response = await send(worker, google(), url);
    assert.equal((await response.arrayBuffer()).byteLength, SIZE);
    const head = await send(worker, google(), url, { method: "HEAD" });
    assert.deepEqual([head.status, await head.text()], [200, ""]);
  }
  const [elsewhere] = (await make("elsewhere keyed")).outputs;
  assert.match(
    elsewhere.url,
    /^https:\/\/x\.example\/v1beta\/files\/\w+:download\?alt=media$/,
  );
});

test("a picture of Gemini is in the response, without the drafts of it", async (t) => {
  const { fileOf, base64 } = await startBucket(t);
  const worker = upstream({
    text_to_image: geminiModel("gemini-a", ({ prompt, seed }) => ({
      prompt,
      aspectRatio: "16:9",
      imageSize: "2K",
      ...(seed !== undefined && { seed }),
    })),
    background_removal: geminiModel("gemini-b", ({ file_id }) => ({
      prompt: "remove the background",
      images: [file_id],
    })),
  });
  const { data } = await create(worker, google(), "text_to_image", {
    prompt: "a boat",
    seed: 7,
  });
  assert.equal(data.task.state, "SUCCEEDED");
  const png = { url: `data:image/png;base64,${PIXEL}` };
  assert.deepEqual(data.task.outputs, [{ ...png, content_type: "image/png" }]);
  const { path, body } = world.google.posts.at(-1);
  assert.equal(path, "/v1beta/models/gemini-a:generateContent");
  assert.deepEqual(body, {
    contents: [{ role: "user", parts: [{ text: "a boat" }] }],
    generationConfig: {
      responseModalities: ["IMAGE"],
      imageConfig: { aspectRatio: "16:9", imageSize: "2K" },
      seed: 7,
    },
  });
  const file_id = fileOf("/a");
  await create(worker, google(), "background_removal", { file_id });
  assert.deepEqual(world.google.posts.at(-1).body.contents[0].parts, [
    { text: "remove the background" },
    { inlineData: { mimeType: "image/png", data: base64 } },
  ]);
});

test("no picture of Gemini is a refusal of the create, with Google's sentence or the model's", async () => {
  const worker = upstream({
    text_to_image: geminiModel("gemini-a", ({ prompt }) => ({ prompt })),
  });
  const of = async (prompt) => {
    const before = world.google.posts.length;
    const { code, message, data } = await create(
      worker,
      google(),
      "text_to_image",
      { prompt },
    );
    assert.equal(world.google.posts.length - before, 1);
    return [code, message, data.error?.reason];
  };
  assert.deepEqual(await of("blocked"), [
    12,
    "Google made no picture: PROHIBITED_CONTENT",
    "content_refused",
  ]);
  assert.deepEqual(await of("refuse"), [
    12,
    "Unable to show the generated image. The image was filtered out because it violated Google's policies.",
    "content_refused",
  ]);
  assert.deepEqual(await of("state=FAILED"), [
    12,
    "Google made no picture: NO_IMAGE",
    undefined,
  ]);
  assert.deepEqual(await of("talk"), [
    12,
    "Which boat do you mean?",
    undefined,
  ]);
  assert.equal((await of("html"))[0], 1404);
  assert.equal((await of("status=429"))[0], 16);
  assert.equal((await of("status=402"))[0], 1401);
});
