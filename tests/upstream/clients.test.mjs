// The vendors' published clients with the stand-ins. A stand-in that they can't use proves nothing.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createFalClient } from "@fal-ai/client";
import { GoogleGenAI } from "@google/genai";
import RunwayML from "@runwayml/sdk";
import OpenAI from "openai";
import Replicate from "replicate";
import { KEY as FAL_KEY } from "../support/providers/fal.mjs";
import { KEY as GOOGLE_KEY, PIXEL } from "../support/providers/google.mjs";
import { KEY as REPLICATE_KEY } from "../support/providers/replicate.mjs";
import { KEY as RUNWAY_KEY } from "../support/providers/runway.mjs";
import { SIZE } from "../support/providers/server.mjs";
import { KEY as VIDEOS_KEY } from "../support/providers/videos.mjs";
import { startProviders } from "./support.mjs";

const world = /** @type {Awaited<ReturnType<typeof startProviders>>} */ ({});
before(async () => Object.assign(world, await startProviders()));
after(() => world.stop());

const failure = (promise) => promise.then(assert.fail, (error) => error);
const sizeAt = async (url) =>
  (await (await fetch(url)).arrayBuffer()).byteLength;

const FLUX = "fal-ai/flux/dev";
const KLING = "fal-ai/kling-video/v2.5-turbo/pro/image-to-video";

test("fal's client runs jobs of the stand-in, and reads their errors", async () => {
  const clientOf = (credentials) =>
    createFalClient({
      credentials,
      fetch: (url, init) =>
        fetch(
          String(url).replace("https://queue.fal.run", world.fal.url),
          init,
        ),
    });
  const fal = clientOf(FAL_KEY);
  const run = (prompt) =>
    fal.subscribe(FLUX, { input: { prompt }, pollInterval: 10 });
  const { data } = await run("a boat");
  assert.equal(await sizeAt(data.images[0].url), SIZE);
  const input = { image_url: "https://x.example/a.png", prompt: "move" };
  const film = await fal.subscribe(KLING, { input, pollInterval: 10 });
  assert.equal(await sizeAt(film.data.video.url), SIZE);
  const refused = await failure(run("refuse"));
  assert.equal(refused.status, 422);
  assert.equal(refused.body.detail[0].type, "content_policy_violation");
  assert.equal((await failure(run("state=FAILED"))).status, 500);
  assert.equal((await failure(run("state=EXPIRED"))).status, 404);
  const { request_id: requestId } = await fal.queue.submit(FLUX, {
    input: { prompt: "a boat" },
  });
  await fal.queue.cancel(FLUX, { requestId });
  assert.equal(world.fal.jobs.at(-1).isCancelled, true);
  const wrong = clientOf("wrong:key");
  const submit = wrong.queue.submit(FLUX, { input: { prompt: "" } });
  assert.equal((await failure(submit)).status, 401);
});

test("Replicate's client runs predictions of the stand-in, and reads their errors", async () => {
  const clientOf = (auth) =>
    new Replicate({
      auth,
      baseUrl: `${world.replicate.url}/v1`,
      useFileOutput: false,
    });
  const replicate = clientOf(REPLICATE_KEY);
  const run = (name, prompt) =>
    replicate.run(name, {
      input: { prompt },
      wait: { mode: "poll", interval: 10 },
    });
  const pictures = await run("black-forest-labs/flux-schnell", "a boat");
  assert.equal(await sizeAt(pictures[0]), SIZE);
  const version = "0123456789abcdef".repeat(4);
  assert.equal(await sizeAt(await run(`a/b:${version}`, "a boat")), SIZE);
  assert.match((await failure(run("a/b", "refuse"))).message, /\(E005\)/);
  assert.match((await failure(run("a/b", "state=FAILED"))).message, /CUDA/);
  const started = await replicate.predictions.create({
    model: "a/b",
    input: { prompt: "a boat" },
  });
  const stopped = await replicate.predictions.cancel(started.id);
  assert.equal(stopped.status, "canceled");
  const create = (client, prompt) =>
    client.predictions.create({ model: "a/b", input: { prompt } });
  const unauthenticated = await failure(create(clientOf("wrong"), "a boat"));
  assert.equal(unauthenticated.response.status, 401);
  const poor = await failure(create(replicate, "status=402"));
  assert.equal(poor.response.status, 402);
});

test("Runway's client runs tasks of the stand-in, and reads their errors", async () => {
  const clientOf = (apiKey) =>
    new RunwayML({ apiKey, baseURL: world.runway.url, maxRetries: 0 });
  const runway = clientOf(RUNWAY_KEY);
  const create = (client, promptText) =>
    client.imageToVideo.create({
      model: "gen4_turbo",
      promptImage: "https://x.example/a.png",
      promptText,
      ratio: "1280:720",
    });
  const end = async (promptText) => {
    const { id } = await create(runway, promptText);
    const running = await runway.tasks.retrieve(id);
    assert.equal(running.status, "RUNNING");
    return runway.tasks.retrieve(id);
  };
  const done = await end("a boat");
  assert.equal(done.status, "SUCCEEDED");
  assert.equal(
    await sizeAt(done.status === "SUCCEEDED" && done.output[0]),
    SIZE,
  );
  const refused = await end("refuse");
  assert.equal(
    refused.status === "FAILED" && refused.failureCode,
    "SAFETY.INPUT.TEXT",
  );
  const { id } = await create(runway, "a boat");
  await runway.tasks.delete(id);
  assert.equal((await failure(runway.tasks.retrieve(id))).status, 404);
  assert.equal((await failure(create(clientOf("wrong"), ""))).status, 401);
  const limited = await failure(create(runway, "status=429"));
  assert.equal(limited.status, 429);
});

test("OpenAI's client makes videos of the stand-in, and reads their errors", async () => {
  const clientOf = (apiKey) =>
    new OpenAI({ apiKey, baseURL: `${world.videos.url}/v1`, maxRetries: 0 });
  const openai = clientOf(VIDEOS_KEY);
  const end = async (prompt) => {
    const { id } = await openai.videos.create({ prompt, model: "sora-2" });
    await openai.videos.retrieve(id);
    return openai.videos.retrieve(id);
  };
  const video = await end("a boat");
  assert.equal(video.status, "completed");
  const content = await openai.videos.downloadContent(video.id);
  assert.equal((await content.arrayBuffer()).byteLength, SIZE);
  assert.equal((await end("refuse")).error.code, "moderation_blocked");
  const gone = await openai.videos.delete(video.id);
  assert.equal(gone.deleted, true);
  assert.equal((await failure(openai.videos.retrieve(video.id))).status, 404);
  const create = (client, prompt) => client.videos.create({ prompt });
  assert.equal((await failure(create(clientOf("wrong"), ""))).status, 401);
  assert.equal((await failure(create(openai, "status=429"))).status, 429);
});

const googleOf = (apiKey) =>
  new GoogleGenAI({ apiKey, httpOptions: { baseUrl: world.google.url } });
const IMAGE = { imageBytes: PIXEL, mimeType: "image/png" };

test("Google's client makes videos of the stand-in, and reads their errors", async (t) => {
  const google = googleOf(GOOGLE_KEY);
  const begin = (client, prompt, config = {}) =>
    client.models.generateVideos({
      model: "veo-3.1-generate-preview",
      prompt,
      image: IMAGE,
      config: { durationSeconds: 8, lastFrame: IMAGE, ...config },
    });
  const end = async (prompt) => {
    const started = await begin(google, prompt);
    const read = () =>
      google.operations.getVideosOperation({ operation: started });
    assert.equal((await read()).done, undefined);
    return read();
  };
  const { response } = await end("a boat");
  const [{ video }] = response.generatedVideos;
  const folder = await mkdtemp(join(tmpdir(), "google-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const downloadPath = join(folder, "a.mp4");
  // The client reads the id of a file only from an address with HTTPS.
  const file = video.uri.replace("http:", "https:");
  await google.files.download({ file, downloadPath });
  assert.equal((await readFile(downloadPath)).byteLength, SIZE);
  const refused = (await end("refuse")).response;
  assert.equal(refused.raiMediaFilteredCount, 1);
  assert.match(refused.raiMediaFilteredReasons[0], /audio/);
  assert.equal(refused.generatedVideos, undefined);
  const partly = (await end("partly")).response;
  assert.equal(partly.generatedVideos.length, 1);
  assert.equal((await end("state=FAILED")).error.code, 13);
  assert.match(String((await end("sensitive")).error.message), /sensitive/);
  const referenceImages = [{ image: IMAGE }];
  await begin(google, "a boat", { referenceImages });
  const gone = await failure(end("state=EXPIRED"));
  assert.equal(gone.status, 404);
  const wrong = await failure(begin(googleOf("wrong"), "a boat"));
  assert.equal(wrong.status, 400);
  assert.match(wrong.message, /API_KEY_INVALID/);
  const limited = await failure(begin(google, "status=429"));
  assert.equal(limited.status, 429);
  assert.match(limited.message, /"retryDelay":"7s"/);
});

test("Google's client makes pictures of the stand-in, and reads their refusals", async () => {
  const make = (text) =>
    googleOf(GOOGLE_KEY).models.generateContent({
      model: "gemini-nano-banana-2.1",
      contents: [
        { text },
        { inlineData: { mimeType: "image/png", data: PIXEL } },
      ],
      config: {
        responseModalities: ["IMAGE"],
        imageConfig: { aspectRatio: "16:9", imageSize: "2K" },
        seed: 7,
      },
    });
  const { candidates } = await make("a boat");
  const parts = candidates[0].content.parts;
  assert.equal(parts.at(-1).inlineData.data, PIXEL);
  // The client leaves out the sentence of a candidate.
  const refused = (await make("refuse")).candidates[0];
  assert.equal(refused.finishReason, "IMAGE_SAFETY");
  const blocked = await make("blocked");
  assert.equal(blocked.promptFeedback.blockReason, "PROHIBITED_CONTENT");
  assert.equal((await make("talk")).text, "Which boat do you mean?");
  assert.equal((await failure(make("status=402"))).status, 429);
  assert.equal((await failure(make("html"))).status, 502);
});
