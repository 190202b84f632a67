// The client for tests of components, whose tasks go through scripted snapshots.
import "fake-indexeddb/auto";
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { openStore } from "../dist/store.js";
import { fakeMedia, MediagateError } from "../dist/testing.js";
import { failure, mediagate, textOf, timers } from "./support/client.mjs";

const INPUT = { prompt: "a lighthouse" };

const states = async (updates) => {
  const seen = [];
  for await (const { state } of updates) seen.push(state);
  return seen;
};

test("a task without a script is queued, runs and succeeds, and the calls are recorded", async () => {
  const media = fakeMedia();
  const task = await media.textToImage(INPUT);
  assert.equal(task.state, "QUEUED");
  assert.deepEqual(await states(task), ["QUEUED", "RUNNING", "SUCCEEDED"]);
  const [output] = (await task.done()).outputs;
  assert.deepEqual(output, {
    url: "https://media.example.com/outputs/task-1",
    kind: "image",
    taskId: "task-1",
    output: 0,
  });
  const other = await media.create("merge_pdf", {
    input_file_ids: ["a", task],
  });
  assert.equal((await other.done()).outputs[0].kind, "pdf");
  assert.deepEqual(media.calls, [
    { method: "create", name: "text_to_image", input: INPUT },
    {
      method: "create",
      name: "merge_pdf",
      input: {
        input_file_ids: ["a", { id: "task-1", capability: "text_to_image" }],
      },
    },
  ]);
  assert.equal(timers(), 0);
});

test("each poll goes to the next step, and done() to the last", async () => {
  const media = fakeMedia({
    text_to_image: [
      { state: "RUNNING", progress: 0.1 },
      { state: "RUNNING", progress: 0.6 },
      {
        state: "FAILED",
        error: { message: "no light", reason: "content_refused" },
        warnings: ["seed was ignored"],
      },
    ],
  });
  const task = await media.textToImage(INPUT);
  assert.equal((await task.refresh()).progress, 0.6);
  const error = await failure(task.done());
  assert.equal(error.code, "task_failed");
  assert.equal(error.message, "the task failed: no light");
  assert.equal(error.reason, "content_refused");
  assert.deepEqual(task.snapshot.warnings, ["seed was ignored"]);
  assert.equal(task.snapshot.error?.message, "no light");
  assert.equal(error.task, task.snapshot);
  assert.equal((await task.refresh()).state, "FAILED");
});

test("a task that expires, and one that does not end in time, are errors", async () => {
  const media = fakeMedia({
    text_to_image: [{ state: "EXPIRED" }],
    image_to_video: [{ state: "RUNNING", unfinished: true }],
  });
  const expired = await media.textToImage(INPUT);
  assert.equal((await failure(expired.done())).code, "task_expired");
  const unfinished = await media.imageToVideo({ file_id: "f", prompt: "p" });
  assert.equal((await failure(unfinished.done())).code, "task_unfinished");
});

test("a task waits at a promised step for all followers, and a poll does not wait", async () => {
  let end;
  const media = fakeMedia({
    text_to_image: [
      { state: "RUNNING" },
      new Promise((resolve) => {
        end = resolve;
      }),
    ],
  });
  const task = await media.textToImage(INPUT);
  const seen = Promise.all([states(task), states(task), task.done()]);
  assert.equal((await task.refresh()).state, "RUNNING");
  end({ state: "SUCCEEDED" });
  const [first, second, { state }] = await seen;
  assert.deepEqual(
    [first, second],
    [
      ["RUNNING", "SUCCEEDED"],
      ["RUNNING", "SUCCEEDED"],
    ],
  );
  assert.equal(state, "SUCCEEDED");
});

test("a task that does not end can be left, aborted and timed out", async () => {
  const media = fakeMedia({ text_to_image: [{ state: "RUNNING" }] });
  const task = await media.textToImage(INPUT);
  assert.equal((await task.refresh()).state, "RUNNING");
  const controller = new AbortController();
  const { signal } = controller;
  const calls = [task.done({ signal }), states(task.updates({ signal }))];
  controller.abort();
  for (const call of calls) assert.equal((await failure(call)).code, "aborted");
  const late = await failure(task.done({ timeout: 1 }));
  assert.equal(late.code, "timeout");
});

test("a create, a poll and an upload reject with scripted errors, and later calls go on", async () => {
  const refused = new MediagateError({
    code: "insufficient_credits",
    message: "no credits",
    outcome: "rejected",
  });
  const media = fakeMedia({
    text_to_image: refused,
    image_to_video: [
      { state: "RUNNING" },
      new MediagateError({ code: "network", message: "offline" }),
      { state: "SUCCEEDED" },
    ],
    upload: (file) => {
      assert.ok(file instanceof File && file.name === "a.png");
      return `id of ${file.name}`;
    },
  });
  assert.equal((await failure(media.textToImage(INPUT))).outcome, "rejected");
  const task = await media.imageToVideo({ file_id: "f", prompt: "p" });
  assert.equal((await failure(states(task))).code, "network");
  assert.deepEqual(await states(task), ["RUNNING", "SUCCEEDED"]);
  assert.equal(await media.upload(new File(["1"], "a.png")), "id of a.png");
  const asserted = await failure(media.upload(new File(["1"], "b.png")));
  assert.equal(asserted.code, "unknown");
  assert.equal(asserted.cause.name, "AssertionError");
  assert.equal(await media.upload(new File(["1"], "a.png")), "id of a.png");
});

test("the steps may depend on the input", async () => {
  const media = fakeMedia({
    text_to_image: async ({ prompt }) => [{ outputs: [{ url: prompt }] }],
  });
  const { outputs } = await media.textToImage(INPUT);
  assert.equal(outputs[0].url, INPUT.prompt);
});

test("an upload reports its progress", async () => {
  const seen = [];
  const media = fakeMedia();
  const onProgress = ({ loaded, total }) => seen.push([loaded, total]);
  assert.equal(
    await media.upload(new Blob(["1234"]), { onProgress }),
    "file-1",
  );
  await Promise.resolve();
  assert.deepEqual(seen, [
    [2, 4],
    [4, 4],
  ]);
});

test("a create is sent after its listener, whose error ends it", async () => {
  const media = fakeMedia();
  const states = [];
  await media.textToImage(INPUT, { onState: (state) => states.push(state) });
  assert.deepEqual(states, ["sending"]);
  const cause = new Error("full");
  const onState = () => Promise.reject(cause);
  const call = media.textToImage(INPUT, { onState });
  const error = await failure(call, "aborted", "not_sent");
  assert.equal(error.cause, cause);
});

test("the tasks are listed by pages, restored and forgotten", async () => {
  const media = fakeMedia();
  const tasks = [];
  for (const title of ["a", "b", "c"])
    tasks.push(await media.textToImage({ ...INPUT, title }));
  await tasks[0].done();
  const titles = [];
  for await (const { title } of media.tasks.list({ limit: 2 }))
    titles.push(title);
  assert.deepEqual(titles, ["c", "b", "a"]);
  assert.deepEqual((await media.pipelines.list()).pipelines, []);
  const saved = JSON.parse(JSON.stringify(tasks[0]));
  assert.equal(media.tasks.restore(saved).state, "SUCCEEDED");
  await media.tasks.forget(tasks[0]);
  const { tasks: rest } = await media.tasks.list();
  assert.deepEqual(
    rest.map(({ id, state }) => [id, state]),
    [
      ["task-3", "QUEUED"],
      ["task-2", "QUEUED"],
    ],
  );
  const unknown = media.tasks.restore({ id: "t", capability: "text_to_image" });
  assert.equal(unknown.state, undefined);
  assert.deepEqual(await states(unknown), ["QUEUED", "RUNNING", "SUCCEEDED"]);
});

test("models, offers and estimates have results, and pipelines an error", async () => {
  const models = [{ model_id: "m" }];
  const media = fakeMedia({ models: { models } });
  assert.deepEqual(await media.models(), { models });
  assert.equal((await media.estimate("text_to_image", INPUT)).credits, 1);
  const known = mediagate.capabilities();
  const documented = known.filter(({ extension }) => !extension);
  const offers = await media.capabilities();
  assert.deepEqual(
    offers.capabilities.map(({ capability }) => capability),
    documented.map(({ name }) => name),
  );
  const none = { capabilities: [] };
  assert.equal(await fakeMedia({ capabilities: none }).capabilities(), none);
  await media.ready();
  const error = await failure(
    media.pipelines.start((p) => p.textToImage(INPUT)),
  );
  assert.match(textOf(error), /mediagate-gateway dev/);
});

test("a script with an unknown name, or without steps, is an error", async () => {
  const script = /** @type {any} */ ({ textToImage: [] });
  assert.throws(() => fakeMedia(script), {
    code: "invalid_argument",
    hint: /did you mean "text_to_image"/,
  });
  const media = fakeMedia({ text_to_image: [] });
  const error = await failure(media.textToImage(INPUT));
  assert.match(error.message, /text_to_image has no steps/);
});

for (const [step, text] of /** @type {any[]} */ ([
  ["FAILED", /^step 2 .* of text_to_image is no snapshot; give /],
  [
    { state: "DONE" },
    /the state "DONE", which does not exist; give one of QUEUED/,
  ],
  [{ state: "succeeded" }, /the state "succeeded", which does not exist/],
  [
    { progess: 1 },
    /the member progess, which does not exist; did you mean progress/,
  ],
  [{ id: "1" }, /the member id, which does not exist; the members are state/],
  [
    { outputs: [{ uri: "/a" }] },
    /^an output of step 2 .* the member uri, .*url/,
  ],
])) {
  test(`the step ${JSON.stringify(step)} of a script is an error`, async () => {
    const steps = [{ state: "QUEUED" }, step];
    const make = (script) => fakeMedia(/** @type {any} */ (script));
    assert.throws(
      () => make({ text_to_image: steps }),
      (/** @type {any} */ error) =>
        error.code === "invalid_argument" && text.test(textOf(error)),
    );
    for (const script of [() => steps, [steps[0], Promise.resolve(step)]]) {
      const task = await make({ text_to_image: script }).textToImage(INPUT);
      const error = await failure(task.done(), "invalid_argument");
      assert.match(textOf(error), text);
    }
  });
}

test("the entry imports no module with the wasm or import.meta", async () => {
  const seen = new Set();
  const visit = async (url) => {
    if (seen.has(url.href)) return;
    seen.add(url.href);
    const text = await readFile(url, "utf8");
    assert.doesNotMatch(text, /import\.meta|mediagate_bg|import\(/, url.href);
    for (const [, name] of text.matchAll(
      /^(?:import|export) [^;]*?"(\.[^";]+)";$/gm,
    ))
      await visit(new URL(name, url));
  };
  await visit(new URL("../dist/testing.js", import.meta.url));
  assert.ok(seen.size > 20, `${seen.size}`);
  assert.ok(![...seen].some((url) => url.endsWith("/wasm/mediagate.js")));
});

test("a store keeps the creates of the client", async (t) => {
  const store = await openStore({ name: "fake" });
  t.after(() => store.close());
  const media = fakeMedia({
    text_to_image: new MediagateError({
      code: "network",
      message: "lost",
      outcome: "unknown",
    }),
  });
  await failure(store.keep(media).textToImage(INPUT));
  const [create] = await store.creates(media);
  assert.deepEqual([create.input, create.mayBeCharged], [INPUT, true]);
  const task = await store.keep(media).mergePdf({ input_file_ids: ["a", "b"] });
  assert.deepEqual(
    (await store.tasks(media)).map(({ id }) => id),
    [task.id],
  );
});
