// Each model from its create to the output, in front of the stand-in of its provider, with each fault.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  falModel,
  openAiVideos,
  replicateModel,
  runwayModel,
  upstream,
} from "mediagate-gateway/upstream";
import { KEY as FAL_KEY } from "../support/providers/fal.mjs";
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
      const { code, message, data } = await begin("broken");
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
      const failure = await make("fail");
      assert.equal(failure.state, "FAILED");
      assert.equal(failure.error.reason, undefined);
      assert.match(failure.error.message, failed);
    });

    test("passes on a limit with its time, and an account without credits", async () => {
      const { code, headers } = await begin("limited");
      assert.deepEqual([code, headers.get("retry-after")], [16, "7"]);
      assert.equal((await begin("poor")).code, 1401);
    });

    test("has the code of a wrong and of a missing key, and no message with one", async () => {
      const wrong = await begin("a boat", {
        ...env(),
        [key]: "wrong-0123456789",
      });
      assert.equal(wrong.code, 13);
      assert.ok(!JSON.stringify(wrong).includes("wrong-0123456789"));
      const before = world[name].posts.length;
      const missing = await begin("a boat", { ...env(), [key]: "" });
      assert.equal(missing.code, 13);
      assert.match(missing.message, new RegExp(key));
      assert.equal(world[name].posts.length, before);
    });

    test("ends as EXPIRED if the provider no longer has the job, but not at once", async (t) => {
      t.mock.timers.enable({ apis: ["Date"], now: Date.now() });
      const { data } = await begin("expire");
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

    test("gives up a job after a day, and says that it may still run", async (t) => {
      t.mock.timers.enable({ apis: ["Date"], now: Date.now() });
      const { data } = await begin("a boat");
      t.mock.timers.tick(86_400_000);
      const { task } = (await poll(worker, env(), data.task.id)).data;
      assert.equal(task.state, "EXPIRED");
      assert.match(task.error.message, /may still run/);
    });

    test("stops a job", async () => {
      const { data } = await begin("a boat");
      const job = world[name].jobs.at(-1);
      const path = `/generate/tasks/${data.task.id}`;
      const { code } = await envelope(worker, env(), path, {
        method: "DELETE",
      });
      assert.deepEqual([code, job.isCancelled], [0, true]);
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

test("each endpoint of Runway has its path", async () => {
  const env = {
    RUNWAYML_API_SECRET: RUNWAY_KEY,
    RUNWAYML_BASE_URL: world.runway.url,
  };
  for (const endpoint of /** @type {const} */ ([
    "avatar_videos",
    "character_performance",
    "image_to_video",
    "text_to_image",
    "text_to_video",
    "video_to_video",
  ])) {
    const map = ({ prompt }) =>
      /** @type {any} */ ({ model: "m", promptText: prompt });
    const worker = upstream({ text_to_video: runwayModel(endpoint, map) });
    const { state } = await ended(worker, env, "text_to_video", {
      prompt: "x",
    });
    assert.equal(state, "SUCCEEDED");
    assert.equal(world.runway.posts.at(-1).path, `/v1/${endpoint}`);
  }
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
