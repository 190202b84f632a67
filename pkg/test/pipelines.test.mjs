// Pipelines from a page: the requests of its builder, snapshots and the history.
import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { client, failure, mediagate, ok, textOf } from "./support/client.mjs";

const STILL = { prompt: "a lighthouse at dusk" };
const step = (name, more) => ({
  name,
  capability: "text_to_image",
  state: "SUCCEEDED",
  uses: [],
  outputs: [],
  ...more,
});
const PIPELINE = {
  id: "p/1",
  title: "Lighthouse",
  state: "SUCCEEDED",
  created_at: "2026-11-20T09:30:00.000Z",
  ended_at: "2026-11-20T09:31:00.000Z",
  resumable: false,
  steps: [
    step("still", {
      task_id: "t1",
      warnings: ["seed was ignored"],
      outputs: [{ url: "https://cdn.test/a.png", kind: "image" }],
    }),
    step("clip", {
      task_id: "t2",
      uses: ["still"],
      outputs: [{ url: "https://cdn.test/a.mp4", kind: "video" }],
    }),
  ],
  outputs: [{ url: "https://cdn.test/a.mp4", kind: "video" }],
};

/** Makes a client of a scripted gateway with this pipeline. */
async function withPipeline(routes = {}) {
  const pipeline = () => ok({ pipeline: PIPELINE });
  return client({
    "POST pipelines": pipeline,
    "GET pipelines": pipeline,
    "DELETE ": () => ok({}),
    ...routes,
  });
}

const sent = ({ bodies, lines }) =>
  JSON.parse(bodies[lines.lastIndexOf("POST pipelines")]);

test("a builder has a method for each capability, and names its steps", async () => {
  const { seen, media } = await withPipeline();
  const song = new Blob(["la"], { type: "audio/wav" });
  const film = await media.pipelines.start(
    (p) => {
      for (const { method } of mediagate.capabilities())
        assert.equal(typeof p[method], "function", method);
      const still = p.textToImage(STILL);
      const other = p.textToImage(STILL);
      const clip = p.imageToVideo(
        { file_id: still, prompt: "slow push in" },
        { name: "clip" },
      );
      p.omniReferenceToVideo({
        prompt: "p",
        image_file_ids: [still, other.output(1), "file"],
      });
      p.addAudioToVideo({ video_file_id: clip, audio_file_id: song });
      return "whatever";
    },
    { title: "Lighthouse", idempotencyKey: "once" },
  );
  assert.deepEqual(sent(seen), {
    title: "Lighthouse",
    steps: {
      text_to_image: { capability: "text_to_image", input: STILL },
      text_to_image_2: { capability: "text_to_image", input: STILL },
      clip: {
        capability: "image_to_video",
        input: { file_id: { step: "text_to_image" }, prompt: "slow push in" },
      },
      omni_reference_to_video: {
        capability: "omni_reference_to_video",
        input: {
          prompt: "p",
          image_file_ids: [
            { step: "text_to_image" },
            { step: "text_to_image_2", output: 1 },
            "file",
          ],
        },
      },
      add_audio_to_video: {
        capability: "add_audio_to_video",
        input: { video_file_id: { step: "clip" }, audio_file_id: "f" },
      },
    },
  });
  assert.equal(film.id, "p/1");
});

test("a building function may be asynchronous, and its errors are thrown", async () => {
  const { seen, media } = await withPipeline();
  /** @type {any} */
  let builder;
  await media.pipelines.start(async (p) => {
    builder = p;
    await Promise.resolve();
    p.textToImage(STILL);
  });
  builder.textToImage(STILL);
  assert.deepEqual(Object.keys(sent(seen).steps), ["text_to_image"]);
  const own = new Error("mine");
  const thrown = media.pipelines.start(() => {
    throw own;
  });
  assert.equal(await thrown.catch((error) => error), own);
});

test("an invalid pipeline is an error before anything is sent", async () => {
  const { seen, media } = await withPipeline();
  const twice = (p) => [
    p.textToImage(STILL, { name: "a" }),
    p.textToImage(STILL, { name: "a" }),
  ];
  const aborted = AbortSignal.abort();
  for (const [
    build,
    options,
    code,
    message,
  ] of /** @type {[any, any, string, RegExp][]} */ ([
    [{}, {}, "invalid_argument", /pipelines\.start a function/],
    [twice, {}, "invalid_argument", /the name of a step/],
    [
      (p) => p.textToImage(STILL, { name: 7 }),
      {},
      "invalid_argument",
      /the name of a step/,
    ],
    [
      (p) => p.textToImage({}),
      {},
      "invalid_input",
      /steps\.text_to_image\.input\.prompt/,
    ],
    [
      (p) => p.textToImage(),
      {},
      "invalid_input",
      /steps\.text_to_image\.input is null/,
    ],
    [
      (p) => p.textToImage(STILL),
      { idempotencyKey: "é" },
      "invalid_argument",
      /idempotencyKey/,
    ],
    [(p) => p.textToImage(STILL), { signal: aborted }, "aborted", /aborted/],
  ])) {
    const error = await failure(media.pipelines.start(build, options), code);
    assert.match(textOf(error), message);
  }
  assert.deepEqual(seen.lines, []);
});

test("a pipeline shows its last snapshot, whose outputs can be inputs", async () => {
  const { seen, media } = await withPipeline();
  const film = media.pipelines.restore("p/1");
  assert.deepEqual(
    [film.state, film.steps, film.outputs, film.resumable],
    [undefined, [], [], false],
  );
  assert.equal(seen.lines.length, 0);
  const snapshot = await film.refresh();
  assert.equal(film.snapshot, snapshot);
  const { steps, outputs } = film;
  for (const [name, value] of Object.entries(snapshot))
    assert.deepEqual(film[name], value, name);
  assert.deepEqual(outputs, [
    { ...PIPELINE.outputs[0], taskId: "t2", output: 0 },
  ]);
  assert.deepEqual(steps[0].outputs[0], {
    ...PIPELINE.steps[0].outputs[0],
    taskId: "t1",
    output: 0,
  });
  assert.deepEqual(
    steps.map((step) => step.taskId),
    ["t1", "t2"],
  );
  assert.deepEqual(
    steps.map((step) => step.warnings),
    [["seed was ignored"], undefined],
  );
  assert.equal(JSON.stringify(film), '{"id":"p/1"}');
  assert.match(inspect(film), /^Pipeline \{/);
  for (const saved of [JSON.parse(JSON.stringify(film)), film, film.snapshot])
    assert.equal(media.pipelines.restore(saved).id, "p/1");
  for (const saved of [undefined, "", {}, 7, { id: " " }])
    assert.throws(() => media.pipelines.restore(saved), {
      code: "invalid_argument",
    });
  assert.throws(() => media.pipelines.restore(mediagate.SAVED), {
    code: "invalid_argument",
    message: "this is a task",
    hint: "give it to tasks.restore",
  });
});

test("the history has pipelines, which can be forgotten", async () => {
  const entry = {
    id: "p/1",
    state: "SUCCEEDED",
    created_at: PIPELINE.created_at,
  };
  const page = {
    tasks: [{ id: "t1", capability: "text_to_image" }],
    pipelines: [entry, null],
  };
  const { seen, media } = await withPipeline({
    "GET tasks": () => ok(page),
  });
  const { tasks, pipelines } = await media.tasks.list();
  const listed = {
    id: "p/1",
    state: "SUCCEEDED",
    createdAt: PIPELINE.created_at,
  };
  assert.deepEqual(pipelines, [listed]);
  assert.deepEqual(await media.pipelines.list(), { pipelines: [listed] });
  seen.lines.length = 0;
  const film = media.pipelines.restore(pipelines[0]);
  for (const forgotten of [film, film.snapshot, pipelines[0], "p/1"])
    await media.pipelines.forget(forgotten);
  for (const forgotten of [tasks[0], media.tasks.restore(tasks[0]), "t1"])
    await media.tasks.forget(forgotten);
  assert.deepEqual(seen.lines, [
    ...Array(4).fill("DELETE pipelines/p%2F1"),
    ...Array(3).fill("DELETE tasks/t1"),
  ]);
});

test("a task is not forgotten as a pipeline, nor a pipeline as a task", async () => {
  const { seen, media } = await withPipeline();
  const film = media.pipelines.restore("p/1");
  const task = media.tasks.restore(mediagate.SAVED);
  for (const wrong of [film, film.snapshot, film.toJSON()]) {
    const error = await failure(media.tasks.forget(wrong), "invalid_argument");
    assert.match(textOf(error), /a pipeline to pipelines\.forget/);
  }
  for (const wrong of [task, task.snapshot, task.toJSON()]) {
    const error = await failure(
      media.pipelines.forget(wrong),
      "invalid_argument",
    );
    assert.match(textOf(error), /this is a task; give it to tasks\.forget/);
  }
  assert.deepEqual(seen.lines, []);
});

test("a list of pipelines ends if the gateway repeats a cursor", async () => {
  const { seen, media } = await withPipeline({
    "GET tasks": () => ok({ tasks: [], pipelines: [], cursor: "1" }),
  });
  const ids = [];
  for await (const { id } of media.pipelines.list()) ids.push(id);
  assert.deepEqual([ids, seen.lines.length], [[], 2]);
});

test("an iteration yields the pipelines of all pages, also after a page without any", async () => {
  const entry = (id) => ({ id, state: "RUNNING", created_at: "c" });
  const task = { id: "t1", capability: "text_to_image", created_at: "c" };
  const pages = {
    first: { tasks: [task], pipelines: [], cursor: "2" },
    2: { tasks: [], pipelines: [entry("a"), entry("b")], cursor: "1" },
    1: { tasks: [], pipelines: [entry("c")] },
  };
  const { seen, media } = await withPipeline({
    "GET tasks": ({ lines }) => {
      const [, query] = lines.at(-1).split("?");
      return ok(pages[new URLSearchParams(query).get("cursor") ?? "first"]);
    },
  });
  const page = await media.pipelines.list({ limit: 2 });
  assert.deepEqual(
    [page.pipelines.map(({ id }) => id), page.cursor],
    [["a", "b"], "1"],
  );
  const idsOf = async (list) => {
    const ids = [];
    for await (const { id } of list) ids.push(id);
    return ids;
  };
  assert.deepEqual(await idsOf(page), ["a", "b", "c"]);
  seen.lines.length = 0;
  const list = media.pipelines.list({ limit: 2 });
  assert.deepEqual(await idsOf(list), ["a", "b", "c"]);
  assert.deepEqual(
    seen.lines,
    ["?limit=2", "?limit=2&cursor=2", "?limit=2&cursor=1"].map(
      (query) => `GET tasks${query}`,
    ),
  );
});
