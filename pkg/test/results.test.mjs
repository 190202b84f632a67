// Results as inputs: the values that a page passes instead of an id.
import assert from "node:assert/strict";
import { test } from "node:test";
import { client, failure, notFound, ok } from "./support/client.mjs";

const DONE = {
  id: "k",
  state: "SUCCEEDED",
  outputs: [
    { url: "https://cdn.test/a.pdf", kind: "pdf" },
    { url: "https://cdn.test/a.png", kind: "image" },
    { url: "https://cdn.test/b.png", kind: "image" },
    { asset_id: "face", kind: null },
  ],
};

/**
 * Makes a client of a gateway with this task. The gateway moves an output into a file that is named
 * after its request.
 */
async function withTask(task = DONE) {
  const read = () => ok({ task });
  const { seen, media } = await client({
    "GET tasks/": notFound,
    "GET generate/tasks": read,
    "GET process/tasks": read,
    "POST files": (_, { body }) => ok({ file_id: `moved ${body}`, size: 1 }),
  });
  return {
    seen,
    media,
    done: await media.tasks
      .restore({ id: "k", capability: "text_to_image" })
      .done(),
  };
}

const moved = (output, task_id = "k") =>
  `moved ${JSON.stringify({ task_id, output })}`;
const sent = ({ bodies, lines }) =>
  JSON.parse(
    bodies[lines.findLastIndex((line) => line.startsWith("POST process"))],
  );

test("an output has its task's id and its position", async () => {
  const { done } = await withTask();
  assert.deepEqual(
    done.outputs.map((output) => [output.taskId, output.output]),
    [0, 1, 2, 3].map((output) => ["k", output]),
  );
  assert.deepEqual(/** @type {any} */ (done.raw).outputs, DONE.outputs);
});

/** Wraps an object and all objects in it in proxies, as state libraries do. */
const reactive = (target) =>
  new Proxy(target, {
    get: (object, name) => {
      const value = Reflect.get(object, name);
      return typeof value === "object" && value ? reactive(value) : value;
    },
  });

for (const [
  name,
  make,
  position,
] of /** @type {[string, (value: any) => any, number][]} */ ([
  ["a task", ({ task }) => task, 1],
  ["a frozen task", ({ task }) => Object.freeze(task), 1],
  ["a task behind a proxy", ({ task }) => reactive(task), 1],
  ["its snapshot", ({ done }) => done, 1],
  ["a copy of its snapshot", ({ done }) => structuredClone(done), 1],
  ["what it is saved as", ({ task }) => JSON.parse(JSON.stringify(task)), 1],
  ["an output", ({ done }) => done.outputs[2], 2],
  ["an output behind a proxy", ({ done }) => reactive(done).outputs[2], 2],
  [
    "an output that names a capability",
    ({ done }) => ({ ...done.outputs[2], capability: "text_to_image" }),
    2,
  ],
  ["a copy of an output", ({ done }) => structuredClone(done.outputs[2]), 2],
  ["the place of an output", () => ({ taskId: "k", output: 2 }), 2],
  [
    "an output as JSON has it",
    ({ done }) => JSON.parse(JSON.stringify(done.outputs[2])),
    2,
  ],
])) {
  test(`${name} is an input`, async () => {
    const { seen, media, done } = await withTask();
    const task = media.tasks.restore({ id: "k", capability: "text_to_image" });
    await media.backgroundRemoval({ file_id: make({ task, done }) });
    assert.deepEqual(sent(seen), { file_id: moved(position) });
  });
}

test("lists mix files, ids, tasks and outputs, and an avatar may be a task's asset", async () => {
  const { seen, media, done } = await withTask();
  const task = media.tasks.restore({ id: "k", capability: "text_to_image" });
  await media.mergePdf({
    input_file_ids: ["f", task, new Blob(["x"]), done.outputs[0]],
  });
  assert.deepEqual(sent(seen), {
    input_file_ids: ["f", moved(0), "f", moved(0)],
  });
  await media.audioDriven({ avatar_asset_id: task, audio_file_id: "a" });
  await media.audioDriven({
    avatar_asset_id: done.outputs[3],
    audio_file_id: "a",
  });
  const bodies = seen.bodies
    .slice(-2)
    .map((body) => JSON.parse(body).avatar_asset_id);
  assert.deepEqual(bodies, ["face", "face"]);
});

test("the history has a page and the next one, and forgets entries", async () => {
  const entry = {
    id: "k/1",
    capability: "text_to_image",
    state: "SUCCEEDED",
    created_at: "2026-11-20T09:30:00.000Z",
    ended_at: "2026-11-20T09:31:00.000Z",
    outputs: DONE.outputs,
  };
  const { seen, media } = await client({
    "GET tasks": () => ok({ tasks: [entry], cursor: "7" }),
    "DELETE tasks/": () => ok({}),
    "POST files": (_, { body }) => ok({ file_id: `moved ${body}`, size: 1 }),
  });
  const { tasks, cursor } = await media.tasks.list();
  assert.deepEqual(Object.keys(tasks[0]), [
    "id",
    "capability",
    "createdAt",
    "endedAt",
    "state",
    "outputs",
  ]);
  assert.deepEqual(tasks[0].outputs[3], {
    assetId: "face",
    taskId: "k/1",
    output: 3,
  });
  await media.tasks.list({ limit: 20, cursor });
  await media.backgroundRemoval({ file_id: tasks[0].outputs[1] });
  assert.deepEqual(sent(seen), { file_id: moved(1, "k/1") });
  assert.equal(media.tasks.restore(tasks[0]).id, "k/1");
  assert.equal(await media.tasks.forget(tasks[0]), undefined);
  await media.tasks.forget("k/1");
  await media.tasks.forget(media.tasks.restore(tasks[0]));
  assert.deepEqual(
    seen.lines.filter((line) => / tasks/.test(line)),
    [
      "GET tasks",
      "GET tasks?limit=20&cursor=7",
      ...Array(3).fill("DELETE tasks/k%2F1"),
    ],
  );
  for (const wrong of [undefined, {}, "", { id: "" }, () => {}])
    await failure(media.tasks.forget(wrong), "invalid_argument");
  for (const options of [{ limit: "20" }, { limit: {} }, { cursor: 7 }])
    await failure(media.tasks.list(options), "invalid_argument");
});

test("an iteration of the history requests its pages as they are needed", async () => {
  const pages = {
    first: { tasks: [{ id: "a" }, { id: "b" }], cursor: "1" },
    1: { tasks: [], cursor: "0" },
    0: { tasks: [{ id: "c" }] },
  };
  const { seen, media } = await client({
    "GET tasks": ({ lines }) => {
      const cursor = new URLSearchParams(lines.at(-1).split("?")[1]).get(
        "cursor",
      );
      return ok(pages[cursor ?? "first"]);
    },
  });
  const ids = [];
  for await (const { id, outputs } of media.tasks.list({ limit: 2 }))
    ids.push([id, outputs.length]);
  assert.deepEqual(
    ids,
    ["a", "b", "c"].map((id) => [id, 0]),
  );
  for await (const { id } of media.tasks.list()) if (id === "a") break;
  const page = await media.tasks.list({ limit: 1 });
  const fromPage = [];
  for await (const { id } of page) fromPage.push(id);
  assert.deepEqual(fromPage, ["a", "b", "c"]);
  assert.deepEqual(Object.keys(page), ["tasks", "pipelines", "cursor"]);
  assert.deepEqual(
    seen.lines,
    [
      "?limit=2",
      "?limit=2&cursor=1",
      "?limit=2&cursor=0",
      "",
      "?limit=1",
      "?limit=1&cursor=1",
      "?limit=1&cursor=0",
    ].map((query) => `GET tasks${query}`),
  );
  const lost = await client({
    "GET tasks": () =>
      Response.json({ code: 13, message: "no" }, { status: 401 }),
  });
  const all = lost.media.tasks.list();
  await failure(all[Symbol.asyncIterator]().next(), "unauthenticated");
});
