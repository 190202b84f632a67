// A caller's creates are listed on any device, newest first, and results that came without a task
// can be read again.
import assert from "node:assert/strict";
import { test } from "node:test";
import { token } from "../support/token.mjs";
import { isReached } from "../support/upstream.mjs";
import { startWorld, TURBO } from "../support/world.mjs";

const TEXT_TO_IMAGE = "generate/image/text_to_image";
const PICTURE = "https://media.example.com/a.png";

const reply = (data, code = 0) => ({ json: { code, message: "", data } });

/**
 * The upstream's responses. The title of a create decides its outcome.
 *
 * @type {import("../support/upstream.mjs").Respond}
 */
const tasks = ({ method, path, body }) => {
  if (method === "GET") {
    const id = decodeURIComponent(path.split("/").pop());
    if (id.endsWith("gone"))
      return { status: 404, json: { code: 12, message: "", data: null } };
    const status = id.endsWith("running") ? "RUNNING" : "SUCCEEDED";
    return reply({
      task: { id, status, output_url: `https://media.example.com/${id}.png` },
    });
  }
  const { title } = JSON.parse(body);
  if (title === "rejected") return reply(null, 12);
  if (title === "lost") return { status: 502, body: "<html>" };
  if (title === "bare")
    return { json: { url: PICTURE, id: "raw-id", asset_id: "asset-1" } };
  return reply({
    task: { id: `task-${title}`, status: "QUEUED", asset_id: "asset-2" },
  });
};

/** Starts a gateway, with functions that create a task and list the caller's creates. */
async function start({ settings = {}, respond = tasks } = {}) {
  const world = await startWorld(respond, {
    UPSTREAM_MODELS_PATH: "",
    ...settings,
  });
  const create = (title, path = TURBO, init = {}) =>
    world.api(path, { body: { prompt: "p", title }, ...init });
  const list = async (query = "", init = {}) =>
    (await world.api(`tasks${query}`, init)).data;
  return { ...world, send: world.api, create, list };
}

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

test("a caller's creates are listed newest first, with states and outputs", async () => {
  const { create, send, list } = await start();
  const first = (await create("first")).data.task;
  const second = (await create("second")).data.task;
  await create("rejected");
  assert.equal(
    (await send(`generate/tasks/${first.id}`)).data.task.state,
    "SUCCEEDED",
  );
  const { tasks, cursor } = await list();
  assert.equal(cursor, undefined);
  assert.deepEqual(
    tasks.map((task) => [task.id, task.capability, task.title, task.state]),
    [
      [second.id, "text_to_image_turbo", "second", "QUEUED"],
      [first.id, "text_to_image_turbo", "first", "SUCCEEDED"],
    ],
  );
  assert.deepEqual(tasks[1].outputs, [
    { kind: "image", url: "https://media.example.com/task-first.png" },
  ]);
  assert.match(tasks[1].created_at, RFC_3339);
  assert.match(tasks[1].ended_at, RFC_3339);
  assert.equal(tasks[0].ended_at, undefined);
  assert.ok(!JSON.stringify(tasks).includes("asset-2"), "ids are sealed");
  const other = await list("", { bearer: token("bob") });
  assert.deepEqual(other.tasks, [], "another caller's history is empty");
});

test("a create whose response was lost is listed as unknown, and can be removed", async () => {
  const { create, send, list } = await start();
  assert.equal((await create("lost")).data.outcome, "unknown");
  const [entry] = (await list()).tasks;
  assert.deepEqual(
    [entry.title, entry.outcome, entry.state, entry.outputs],
    ["lost", "unknown", undefined, []],
  );
  assert.equal((await send(`generate/tasks/${entry.id}`)).status, 404);
  assert.equal(
    (await send(`tasks/${entry.id}`, { method: "DELETE" })).status,
    200,
  );
  assert.deepEqual((await list()).tasks, []);
});

test("a create that is under way is not listed before its outcome", async () => {
  let go = () => {};
  const wait = new Promise((resolve) => {
    go = () => resolve(reply({ task: { id: "slow", status: "QUEUED" } }));
  });
  const { create, list, upstream } = await start({ respond: () => wait });
  const created = create("slow");
  await isReached(upstream, created);
  assert.deepEqual((await list()).tasks, []);
  go();
  await created;
  assert.equal((await list()).tasks.length, 1);
});

test("only its owner can read, stream and list a result without a task", async () => {
  const { upstream, create, send, list } = await start();
  const created = await create("bare", TEXT_TO_IMAGE, {
    headers: { "idempotency-key": "k" },
  });
  const { task, result } = created.data;
  assert.deepEqual(
    [task.state, task.progress, task.outputs.length],
    ["SUCCEEDED", 1, 1],
  );
  assert.deepEqual(result.outputs, task.outputs);
  assert.equal(task.outputs[0].url, PICTURE);
  assert.ok(!JSON.stringify(created.data.task).includes("raw-id"));
  const count = upstream.seen.length;
  const read = await send(`generate/tasks/${task.id}`);
  assert.deepEqual([read.status, read.data], [200, created.data]);
  const events = await send(`tasks/${task.id}/events`);
  const [, data] = /^id: 1\nevent: task\ndata: (.*)\n\n$/.exec(events.text);
  assert.deepEqual(JSON.parse(data).data, created.data);
  const replayed = await create("bare", TEXT_TO_IMAGE, {
    headers: { "idempotency-key": "k" },
  });
  assert.deepEqual(replayed.data, created.data);
  assert.equal((await list()).tasks[0].id, task.id);
  for (const path of [`generate/tasks/${task.id}`, `tasks/${task.id}/events`]) {
    assert.equal((await send(path, { bearer: token("bob") })).status, 404);
  }
  assert.equal(
    upstream.seen.length,
    count,
    "none of this reached the upstream",
  );
  assert.equal(
    (
      await send(`tasks/${task.id}`, {
        method: "DELETE",
        bearer: token("bob"),
      })
    ).status,
    404,
  );
  assert.equal(
    (await send(`tasks/${task.id}`, { method: "DELETE" })).status,
    200,
  );
  assert.equal((await send(`generate/tasks/${task.id}`)).status, 404);
});

test("a task that has ended can be removed, even if the gateway had not noticed its end", async () => {
  const { create, send, list } = await start();
  const ids = {};
  for (const title of ["ended", "running", "gone"])
    ids[title] = (await create(title)).data.task.id;
  const remove = (title, init = {}) =>
    send(`tasks/${ids[title]}`, { method: "DELETE", ...init });
  assert.equal((await remove("ended", { bearer: token("bob") })).status, 404);
  assert.equal((await remove("ended")).status, 200);
  assert.equal((await remove("ended")).status, 200, "again");
  const running = await remove("running");
  assert.deepEqual(
    [running.status, running.code, running.data.reason],
    [409, 12, "task_running"],
  );
  assert.equal((await remove("gone")).status, 200);
  assert.deepEqual(
    (await list()).tasks.map((task) => task.title),
    ["running"],
  );
  assert.equal(
    (await send(`generate/tasks/${ids.ended}`)).status,
    200,
    "the task itself is still there",
  );
});

test("a create whose entry was removed is replayed under its key, and not listed again", async () => {
  const { upstream, create, send, list } = await start();
  const init = { headers: { "idempotency-key": "k" } };
  for (const [title, path] of [
    ["first", TURBO],
    ["bare", TEXT_TO_IMAGE],
  ]) {
    const { id } = (await create(title, path, init)).data.task;
    // Only an ended task can be removed, and a read shows the end to the gateway.
    await send(`generate/tasks/${id}`);
    const removed = await send(`tasks/${id}`, { method: "DELETE" });
    assert.equal(removed.status, 200);
    const sent = upstream.seen.length;
    const again = await create(title, path, init);
    assert.equal(again.headers.get("idempotent-replayed"), "true");
    assert.equal(again.data.task.id, id);
    assert.equal(upstream.seen.length, sent);
    assert.deepEqual((await list()).tasks, []);
  }
});

test("a page of the list continues after the previous one, whatever is created meanwhile", async () => {
  const { create, list, send } = await start();
  for (const title of ["1", "2", "3", "4", "5"]) await create(title);
  const titles = [];
  let cursor = "";
  do {
    const data = await list(
      `?limit=2${cursor && `&cursor=${cursor}`}&unknown=1`,
    );
    titles.push(...data.tasks.map((task) => task.title));
    cursor = data.cursor ?? "";
    await create("new");
  } while (cursor);
  assert.deepEqual(titles, ["5", "4", "3", "2", "1"]);
  for (const query of ["limit=101", "cursor=-1"]) {
    const refused = await send(`tasks?${query}`);
    assert.deepEqual(
      [refused.status, refused.data.reason],
      [400, "invalid_parameter"],
      query,
    );
  }
  assert.equal((await send("tasks", { method: "POST", body: {} })).status, 405);
  assert.equal((await send("tasks", { bearer: "" })).status, 401);
});
