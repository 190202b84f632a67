// Models of the AI SDK's published packages, in front of stand-ins.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createFal } from "@ai-sdk/fal";
import { createGoogle } from "@ai-sdk/google";
import { createReplicate } from "@ai-sdk/replicate";
import { createXai } from "@ai-sdk/xai";
import { sdkModel, upstream } from "mediagate-gateway/upstream";
import { SIZE } from "../support/providers/server.mjs";
import { KEY, PIXEL, startXai } from "../support/providers/xai.mjs";
import { create, ended, envelope, poll } from "./support.mjs";

const xai = /** @type {Awaited<ReturnType<typeof startXai>>} */ ({});
before(async () => Object.assign(xai, await startXai()));
after(() => xai.stop());

/** @type {Record<string, string>} */
const env = { XAI_API_KEY: KEY };
const FILE = {
  url: "https://bucket.example/a.png",
  type: "image/png",
  name: "a.png",
  size: 68,
};

function moduleOf(apiKey = KEY) {
  const provider = createXai({ apiKey, baseURL: `${xai.url}/v1` });
  const film = provider.video("grok-imagine-video");
  return upstream({
    text_to_image: sdkModel(
      provider.image("grok-imagine-image"),
      "XAI_API_KEY",
      ({ prompt, width, height }) => ({
        prompt,
        ...(width && { size: `${width}x${height}` }),
      }),
    ),
    text_to_video: sdkModel(film, "XAI_API_KEY", ({ prompt }) => ({ prompt })),
    image_to_video: sdkModel(film, "XAI_API_KEY", ({ file_id, prompt }) => ({
      prompt,
      image: file_id,
    })),
  });
}
/**
 * A mapping for a model that is refused, or that makes a video of a text.
 *
 * @param {import("mediagate-gateway/upstream").Input<"text_to_video">} input
 */
const byPrompt = ({ prompt }) => ({ prompt });

const make = (prompt) => ended(moduleOf(), env, "text_to_video", { prompt });
const begin = (prompt, worker = moduleOf(), variables = env) =>
  create(worker, variables, "text_to_video", { prompt });

test("a video is made by one POST, and a poll that fails is none of the job", async () => {
  const before = xai.posts.length;
  const { state, provider, outputs, failures } = await make("flaky");
  assert.deepEqual([state, provider, failures], ["SUCCEEDED", "xai", [1404]]);
  const response = await fetch(outputs[0].url);
  assert.equal((await response.arrayBuffer()).byteLength, SIZE);
  assert.equal(xai.posts.length - before, 1);
  assert.deepEqual(xai.posts.at(-1).body.prompt, "flaky");
});

test("a create that fails has its code, and is sent once", async () => {
  const before = xai.posts.length;
  const limited = await begin("status=429");
  assert.deepEqual(
    [limited.code, limited.headers.get("retry-after")],
    [16, "7"],
  );
  assert.equal((await begin("status=402")).code, 1401);
  assert.equal((await begin("html")).code, 1404);
  assert.equal(xai.posts.length - before, 3);
  const wrong = await begin("a boat", moduleOf("wrong-0123456789"), {
    XAI_API_KEY: "wrong-0123456789",
  });
  assert.equal(wrong.code, 13);
  const missing = await begin("a boat", moduleOf(), { XAI_API_KEY: "" });
  assert.deepEqual([missing.code, xai.posts.length - before], [13, 4]);
  assert.match(missing.message, /XAI_API_KEY/);
  const { message } = await envelope(moduleOf(), {}, "/models");
  assert.match(message, /set XAI_API_KEY/);
});

test("a refusal of content, a failure and a forgotten job are told apart", async (t) => {
  const refused = await make("refuse");
  assert.deepEqual(
    [refused.state, refused.error.reason],
    ["FAILED", "content_refused"],
  );
  const failed = await make("state=FAILED");
  assert.deepEqual([failed.state, failed.error.reason], ["FAILED", undefined]);
  assert.match(failed.error.message, /no GPU/);
  t.mock.timers.enable({ apis: ["Date"], now: Date.now() });
  const { data } = await begin("state=EXPIRED");
  t.mock.timers.tick(61_000);
  const { task } = (await poll(moduleOf(), env, data.task.id)).data;
  assert.equal(task.state, "EXPIRED");
});

test("a job that has ended without an output fails, and other exceptions do not end it", async () => {
  const model = (error) =>
    sdkModel(
      {
        specificationVersion: "v4",
        provider: "other.video",
        modelId: "film-1",
        doStart: async () => ({ operation: { id: 1 }, warnings: [] }),
        doStatus: () => Promise.reject(error),
        maxVideosPerCall: 1,
      },
      "KEY",
      byPrompt,
    );
  const read = async (error) => {
    const worker = upstream({ text_to_video: model(error) });
    const variables = { KEY: "0123456789" };
    const { data } = await create(worker, variables, "text_to_video", {});
    return poll(worker, variables, data.task.id);
  };
  const ends = new Error("No video URL in response");
  ends.name = "REPLICATE_VIDEO_GENERATION_ERROR";
  const { data } = await read(ends);
  assert.deepEqual(
    [data.task.state, data.task.error.message],
    ["FAILED", "No video URL in response"],
  );
  // workerd throws this without a network, and the SDK does not wrap it.
  assert.equal((await read(new Error("Network connection lost."))).code, 99);
});

test("a picture is its bytes, what a model ignores is a warning, and none is lost as refused", async () => {
  const picture = (prompt) =>
    ended(moduleOf(), env, "text_to_image", { prompt, width: 64, height: 64 });
  const { outputs, warnings } = await picture("a boat");
  assert.deepEqual(outputs, [
    { url: `data:image/png;base64,${PIXEL}`, content_type: "image/png" },
  ]);
  assert.equal(warnings.length, 1);
  assert.match(warnings[0], /^size: This model does not support/);
  const of = (prompt) => create(moduleOf(), env, "text_to_image", { prompt });
  const held = await of("held");
  assert.deepEqual(
    [held.code, held.data.error.reason],
    [12, "content_refused"],
  );
  // It was charged, so the 404 of its address must not say that nothing was created.
  assert.equal((await of("lost")).code, 1404);
});

test("a file is given by its URL, or by its bytes if no provider can load it", async () => {
  const film = (file) =>
    create(moduleOf(), env, "image_to_video", { prompt: "x", file_id: file });
  await film(FILE);
  assert.deepEqual(xai.posts.at(-1).body.image, { url: FILE.url });
  const url = `data:image/png;base64,${PIXEL}`;
  await film({ ...FILE, url, private: true });
  assert.deepEqual(xai.posts.at(-1).body.image, { url });
});

test("a file that a model would drop is refused before it costs", async () => {
  const provider = createXai({ apiKey: KEY, baseURL: `${xai.url}/v1` });
  /** @param {any} model @param {any} request */
  const refused = async (model, request) => {
    const before = xai.posts.length;
    const worker = upstream({
      image_to_video: sdkModel(model, "XAI_API_KEY", ({ file_id }) =>
        request(file_id),
      ),
    });
    const { code, message } = await create(worker, env, "image_to_video", {
      file_id: FILE,
    });
    assert.deepEqual([code, xai.posts.length], [12, before], message);
    return message;
  };
  const image = provider.image("grok-imagine-image");
  const video = provider.video("grok-imagine-video");
  assert.match(
    await refused(image, (file) => ({ prompt: "x", image: file })),
    /would drop image/,
  );
  assert.match(
    await refused(video, (file) => ({ prompt: "x", files: [file] })),
    /would drop files/,
  );
  const alibaba = {
    ...{ specificationVersion: "v4", provider: "alibaba.video" },
    ...{ modelId: "wan2.6-t2v", maxVideosPerCall: 1 },
    doStart: () => assert.fail("sent"),
  };
  await refused(alibaba, (file) => ({ image: file }));
});

test("an error before the request is a refusal, and a job without a name is not", async () => {
  const model = (doStart) =>
    upstream({
      text_to_video: sdkModel(
        {
          ...{ specificationVersion: "v4", provider: "other.video" },
          ...{ modelId: "film-1", maxVideosPerCall: 1 },
          doStart,
        },
        "XAI_API_KEY",
        byPrompt,
      ),
    });
  const codeOf = async (doStart) =>
    (await create(model(doStart), env, "text_to_video", {})).code;
  const failing = (name) => async () => {
    throw Object.assign(new Error("no"), { name });
  };
  assert.equal(await codeOf(failing("AI_LoadAPIKeyError")), 13);
  assert.equal(await codeOf(failing("AI_InvalidArgumentError")), 12);
  assert.equal(await codeOf(failing("AI_DownloadError")), 99);
  const unnamed = async () => ({ operation: null, warnings: [] });
  assert.equal(await codeOf(unnamed), 1404);
});

test("models that lose paid videos are refused by name", async () => {
  const fal = createFal({ apiKey: "k" }).video("fal-ai/wan");
  assert.throws(() => sdkModel(fal, "FAL_KEY", byPrompt), /take falModel/);
  const google = createGoogle({ apiKey: "k" });
  for (const model of [google.video("veo"), google.image("gemini-2")])
    assert.throws(() => sdkModel(model, "K", byPrompt), /take veoModel/);
  const picture = createReplicate({ apiToken: "k" }).image("a/b");
  assert.throws(() => sdkModel(picture, "K", byPrompt), /take replicateModel/);
  const old = {
    ...{ specificationVersion: "v3", provider: "xai.video" },
    ...{ modelId: "old", maxVideosPerCall: 1 },
  };
  assert.throws(() => sdkModel(old, "XAI_API_KEY", byPrompt), /version 7/);
  const video = createReplicate({ apiToken: "0123456789" }).video("a/b");
  const worker = upstream({
    omni_reference_to_video: sdkModel(
      video,
      "REPLICATE_API_TOKEN",
      ({ image_file_ids }) => ({ inputReferences: image_file_ids }),
    ),
  });
  const { code, message } = await create(
    worker,
    { REPLICATE_API_TOKEN: "0123456789" },
    "omni_reference_to_video",
    { image_file_ids: [FILE] },
  );
  assert.equal(code, 12);
  assert.match(message, /would drop inputReferences/);
});
