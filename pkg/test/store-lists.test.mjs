// Lists of stored tasks and creates, in Node with an IndexedDB in memory: what they show, and what
// joins them from the history.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { openDB } from "idb";
import { failure, notFound, ok } from "./support/client.mjs";
import {
  browser,
  changeRows,
  file,
  kept,
  lendTabLocks,
  never,
} from "./support/store.mjs";

const lost = () => Promise.reject(new TypeError("lost"));

/** Makes the routes of a task `k` whose record a test changes. */
function taskOf(members = {}) {
  /** @type {{ record: Record<string, unknown> }} */
  const state = { record: { id: "k", state: "QUEUED", ...members } };
  const routes = {
    "GET tasks/": notFound,
    "GET generate/tasks": () => ok({ task: state.record }),
    "POST generate": () => ok({ task: state.record }),
  };
  return { state, routes };
}

const entry = (number, more = {}) => ({
  id: `id-${number}`,
  capability: "text_to_image",
  title: `Task ${number}`,
  created_at: new Date(Date.now() + number * 1000).toISOString(),
  state: "SUCCEEDED",
  ...more,
});

/** Makes a browser with a history that a test changes, and the ids that were forgotten there. */
async function withHistory(t, routes = {}) {
  const history = { tasks: [], forgotten: [], refusal: undefined };
  const found = await kept(t, {
    "GET tasks": () => ok({ tasks: history.tasks }),
    "DELETE tasks/": ({ lines }) => {
      history.forgotten.push(lines.at(-1).split("/").at(-1));
      return history.refusal?.() ?? ok({});
    },
    ...routes,
  });
  const ids = async (store = found.store) =>
    (await store.tasks(found.client)).map(({ id }) => id).sort();
  return { ...found, history, ids };
}

async function rowsOf(name, table) {
  const database = await openDB(name);
  const rows = await database.getAll(table);
  database.close();
  return rows;
}

async function until(holds) {
  for (let count = 0; count < 200 && !(await holds()); count++) await wait(10);
  assert.ok(await holds());
}

test("a page shows what another has read, and sends no request", async (t) => {
  const { state, routes } = taskOf();
  const { media, client, page, seen } = await kept(t, routes);
  const task = await media.textToImage(
    { prompt: "p", title: "A boat" },
    { idempotencyKey: "key" },
  );
  const outputs = [{ url: "https://a.example/a.png", kind: "image" }];
  state.record = { ...state.record, state: "SUCCEEDED", outputs };
  await task.refresh();
  const other = await page();
  await until(async () => (await other.store.tasks(client))[0].endedAt);
  seen.lines.length = 0;
  const [stored] = await other.store.tasks(other.client);
  assert.deepEqual(
    [stored.state, stored.title, stored.idempotencyKey],
    ["SUCCEEDED", "A boat", "key"],
  );
  assert.deepEqual({ ...stored.outputs[0] }, { ...task.outputs[0] });
  assert.equal(typeof stored.outputs[0].blob, "function");
  assert.ok(stored.createdAt <= stored.endedAt);
  assert.deepEqual(seen.lines, []);
});

test("a task that has failed in a wait is stored as failed", async (t) => {
  const { state, routes } = taskOf();
  const { media, client, page } = await kept(t, routes);
  const task = await media.textToImage({ prompt: "p" });
  state.record = { ...state.record, state: "FAILED", error: { message: "no" } };
  await failure(task.done(), "task_failed");
  const { store } = await page();
  await until(async () => (await store.tasks(client))[0].state === "FAILED");
  const [{ snapshot, endedAt }] = await store.tasks(client);
  assert.deepEqual(snapshot.error, { message: "no" });
  assert.ok(endedAt);
});

test("a page that has not read a task shows each state that another reads, and one that has its own until the end", async (t) => {
  const { state, routes } = taskOf();
  const { media, page } = await kept(t, routes);
  const task = await media.textToImage({ prompt: "p" });
  // Another function for the token makes another client.
  const [unread, reading] = [await page(() => "t"), await page(() => "t")];
  const states = async () => {
    const lists = await Promise.all(
      [unread, reading].map(({ store, client }) => store.tasks(client)),
    );
    return lists.map(([stored]) => stored.state);
  };
  const read = async (name) => {
    state.record = { ...state.record, state: name };
    await task.refresh();
    await until(async () => (await states())[0] === name);
  };
  const [own] = await reading.store.tasks(reading.client);
  state.record = { ...state.record, state: "PROCESSING" };
  await own.refresh();
  await read("POSTPROCESSING");
  assert.deepEqual(await states(), ["POSTPROCESSING", "PROCESSING"]);
  await read("SUCCEEDED");
  assert.deepEqual(await states(), ["SUCCEEDED", "SUCCEEDED"]);
});

test("a row has the same object until it changes, and keeps what was read", async (t) => {
  const { media, client, store } = await kept(t, taskOf().routes);
  const created = await media.textToImage({ prompt: "p" }, { metadata: 1 });
  const [first] = await store.tasks(client);
  assert.equal(first, created);
  await store.update(first, () => 2);
  const [second] = await store.tasks(client);
  assert.notEqual(second, first);
  assert.deepEqual([first.metadata, second.metadata], [1, 2]);
  assert.equal(second.snapshot, first.snapshot);
  assert.equal((await store.tasks(client))[0], second);
});

test("an item that no list has any more is not held", async (t) => {
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc");
  const { media, client, store } = await kept(t, taskOf().routes);
  const task = new WeakRef(await media.textToImage({ prompt: "p" }));
  await store.forget((await store.tasks(client))[0]);
  await until(() => {
    gc();
    return task.deref() === undefined;
  });
});

test("changes of metadata by two tabs are all stored, and one that throws changes nothing", async (t) => {
  const { media, client, store, page } = await kept(t, taskOf().routes);
  await media.textToImage({ prompt: "p" }, { metadata: 0 });
  await store.add(client, [listedTask("other")], { metadata: 0 });
  const other = await page();
  const add = async ({ store }) => {
    const tasks = await store.tasks(client);
    await store.update(tasks, (count) => count + 1);
  };
  await Promise.all([add({ store }), add(other), add({ store })]);
  const counts = async () =>
    (await store.tasks(client)).map(({ metadata }) => metadata);
  assert.deepEqual(await counts(), [3, 3]);
  let calls = 0;
  const fail = () => {
    calls += 1;
    if (calls === 2) throw new RangeError("no");
    return 9;
  };
  await assert.rejects(
    store.update(await store.tasks(client), fail),
    RangeError,
  );
  assert.deepEqual(await counts(), [3, 3]);
});

/** @returns {any} */
const listedTask = (id) => ({
  id,
  capability: "text_to_image",
  createdAt: new Date().toISOString(),
});

test("metadata that changes during a create, or when its repetition begins, stays", async (t) => {
  lendTabLocks(t);
  let isLost = true;
  const { media, client, store } = await kept(t, {
    "POST generate": async () => {
      await wait(50);
      return isLost ? lost() : ok({ task: { id: "k", state: "QUEUED" } });
    },
  });
  const create = media.textToImage({ prompt: "p" }, { metadata: 0 });
  const list = () => store.creates(client, { running: true });
  await until(async () => (await list()).length > 0);
  await store.update(await list(), () => 1);
  await failure(create, "network", "unknown");
  const [left] = await list();
  assert.equal(left.metadata, 1);
  isLost = false;
  let hasEnded = false;
  const resumed = left.resume().finally(() => {
    hasEnded = true;
  });
  let changes = 1;
  for (; !hasEnded; changes += 1)
    await store.update(left, (count) => Number(count) + 1);
  await resumed;
  const [task] = await store.tasks(client);
  assert.equal(task.metadata, changes);
});

test("files in metadata behind a proxy are stored, each file once, and go with their last row", async (t) => {
  const { routes } = taskOf();
  const { media, client, store, name } = await kept(t, {
    ...routes,
    "POST process": lost,
  });
  const photo = file("photo");
  await failure(
    media.backgroundRemoval({ file_id: photo }, { metadata: { photo } }),
  );
  const metadata = { form: new Proxy({ photo, photos: [photo] }, {}) };
  await media.textToImage({ prompt: "p" }, { metadata });
  assert.equal((await rowsOf(name, "files")).length, 1);
  const [task] = /** @type {any[]} */ (await store.tasks(client));
  assert.equal(await task.metadata.form.photos[0].text(), "photo");
  const [create] = await store.creates(client);
  await store.forget(create);
  assert.equal((await rowsOf(name, "files")).length, 1);
  await store.update(task, () => undefined);
  assert.deepEqual(await rowsOf(name, "files"), []);
});

test("a create whose files exceed the total is stored without them", async (t) => {
  const { media, client, store, page, name } = await kept(
    t,
    { "POST upload_urls": lost, "POST generate": lost },
    { maxTotalFileBytes: 5 },
  );
  await failure(media.backgroundRemoval({ file_id: file("1234") }));
  await failure(media.backgroundRemoval({ file_id: file("567") }));
  await failure(
    media.textToImage({ prompt: "p" }, { metadata: { photo: file("89") } }),
  );
  const creates = await store.creates(client);
  assert.deepEqual(
    creates.map(({ resumable }) => resumable),
    [true, false, true],
  );
  assert.deepEqual(creates[2].metadata, { photo: undefined });
  assert.equal((await rowsOf(name, "files")).length, 1);
  const other = (await page()).store;
  await assert.rejects(
    other.update(creates[2], () => file("too large")),
    { name: "QuotaExceededError" },
  );
});

test("a running create is listed with its state, and another tab cancels it", async (t) => {
  lendTabLocks(t);
  const { media, client, page, store } = await kept(t, {
    "POST upload_urls": never,
  });
  const running = failure(
    media.backgroundRemoval({ file_id: file() }),
    "aborted",
    "not_sent",
  );
  const other = (await page()).store;
  const list = () => other.creates(client, { running: true });
  await until(async () => (await list())[0]?.status === "uploading");
  assert.deepEqual(await other.creates(client), []);
  const [create] = await list();
  await create.cancel();
  await running;
  assert.deepEqual(await list(), []);
  assert.deepEqual(await store.creates(client), []);
});

test("a create that was sent stays with an unknown outcome if it is cancelled", async (t) => {
  lendTabLocks(t);
  const { media, client, page } = await kept(t, { "POST generate": never });
  const running = failure(
    media.textToImage({ prompt: "p" }),
    "aborted",
    "unknown",
  );
  const other = (await page()).store;
  const list = () => other.creates(client, { running: true });
  await until(async () => (await list())[0]?.mayBeCharged);
  await wait(20);
  const [create] = await list();
  assert.equal(create.status, "sending");
  await create.cancel();
  await running;
  const [left] = await list();
  assert.deepEqual(
    [left.status, left.mayBeCharged, left.error?.code],
    ["unknown", true, "aborted"],
  );
});

test("a create that is forgotten while it uploads was not sent", async (t) => {
  lendTabLocks(t);
  let upload = () => {};
  const { media, client, page, seen } = await kept(t, {
    "POST upload_urls": async () => {
      await new Promise((resolve) => {
        upload = () => resolve(undefined);
      });
      return ok({ file_id: "f", upload_url: "https://storage.test/put" });
    },
  });
  const running = failure(
    media.backgroundRemoval({ file_id: file() }),
    "invalid_argument",
    "not_sent",
  );
  const other = (await page()).store;
  const list = () => other.creates(client, { running: true });
  await until(async () => (await list()).length > 0);
  await other.forget((await list())[0]);
  upload();
  await running;
  assert.ok(seen.lines.every((line) => !line.startsWith("POST process")));
});

test("the error of the last attempt is stored without its cause and details", async (t) => {
  const data = { reason: "budget", outcome: "not_sent", limit: "secret" };
  const { media, client, page, name } = await kept(t, {
    "POST generate": () =>
      Response.json({ code: 16, message: "no", data }, { status: 429 }),
  });
  const error = await failure(media.textToImage({ prompt: "p" }));
  const [create] = await (await page()).store.creates(client);
  for (const member of ["code", "message", "reason", "outcome", "status"])
    assert.equal(create.error[member], error[member], member);
  assert.deepEqual(
    [create.error.idempotencyKey, create.error.cause, create.error.details],
    [create.idempotencyKey, undefined, undefined],
  );
  assert.doesNotMatch(JSON.stringify(await rowsOf(name, "creates")), /secret/);
});

test("users who give creates the same key have tasks of their own", async (t) => {
  let count = 0;
  const { page } = browser(t, {
    "POST generate": () => ok({ task: { id: `k${++count}`, state: "QUEUED" } }),
  });
  const [ada, ben] = [await page("ada"), await page("ben")];
  const options = { idempotencyKey: "first" };
  await ada.media.textToImage({ prompt: "p" }, options);
  await ben.media.textToImage({ prompt: "p" }, options);
  const found = async ({ store, client }) =>
    (await store.find(client, "first"))?.id;
  assert.deepEqual([await found(ada), await found(ben)], ["k1", "k2"]);
});

test("a create of a user neither changes nor forgets the task of another with the same key", async (t) => {
  let isLost = false;
  const { page, name } = browser(t, {
    "POST generate": () =>
      isLost ? lost() : ok({ task: { id: "k", state: "QUEUED" } }),
  });
  const [ada, ben] = [await page("ada"), await page("ben")];
  const options = { idempotencyKey: "first", metadata: "Ada's" };
  await ada.media.textToImage({ prompt: "p" }, options);
  isLost = true;
  await failure(ben.media.textToImage({ prompt: "p" }, options));
  const [create] = await ben.store.creates(ben.client);
  await ben.store.forget(create);
  await ben.store.update(create, () => "Ben's");
  await ben.store.forget(create);
  const [task] = await ada.store.tasks(ada.client);
  assert.equal(task?.metadata, "Ada's");
  // The key is free now, and the create is only in the list that Ben has read.
  await failure(
    ada.media.textToImage({ prompt: "p" }, { idempotencyKey: "second" }),
  );
  await changeRows(name, "creates", (row) => ({ ...row, key: "first" }));
  await ben.store.forget(create);
  assert.ok(await ada.store.find(ada.client, "first"));
  const creates = await ada.store.creates(ada.client);
  assert.ok(creates.some(({ idempotencyKey }) => idempotencyKey === "first"));
});

test("a page of the history is added once, with metadata, its states and its times", async (t) => {
  const { client, store, history } = await withHistory(t);
  history.tasks = [
    entry(1, { ended_at: "2100-01-01T00:00:00Z" }),
    entry(2, { state: "RUNNING", unfinished: true, ended_at: "never" }),
  ];
  const { tasks } = await client.tasks.list();
  const metadata = { isListed: true };
  assert.equal(await store.add(client, tasks, { metadata }), 2);
  assert.equal(await store.add(client, tasks, { metadata: 7 }), 0);
  const [first, second] = await store.tasks(client);
  assert.deepEqual(
    [first.title, first.state, first.endedAt, first.metadata],
    ["Task 1", "SUCCEEDED", "2100-01-01T00:00:00.000Z", metadata],
  );
  assert.deepEqual(
    [second.state, second.snapshot.unfinished, second.endedAt],
    ["RUNNING", true, undefined],
  );
});

test("the history brings news of a task, and replaces nothing by less", async (t) => {
  const { state, routes } = taskOf({ warnings: ["ignored"] });
  const { media, client, store, history } = await withHistory(t, routes);
  await media.textToImage({ prompt: "p" });
  const lists = async (more) => {
    history.tasks = [entry(1, { id: "k", ...more })];
    await store.sync(client);
    const [{ snapshot }] = await store.tasks(client);
    return snapshot;
  };
  assert.equal(
    (await lists({ state: state.record.state })).warnings.length,
    1,
    "the same state",
  );
  const output = { url: "https://service.example/1", kept: false };
  const { outputs } = await lists({ outputs: [output] });
  assert.equal(outputs[0].kept, false);
  assert.equal((await lists({ state: "QUEUED" })).state, "SUCCEEDED");
  const lasting = { url: "https://gateway.example/1", kept: true };
  assert.equal((await lists({ outputs: [lasting] })).outputs[0].kept, true);
  assert.equal((await lists({ outputs: [] })).outputs[0].kept, true);
});

test("a create of another device without a response is listed as one, until it has a task", async (t) => {
  const { client, store, history, ids } = await withHistory(t);
  history.tasks = [entry(1, { state: undefined, outcome: "unknown" })];
  await store.sync(client);
  assert.deepEqual(await ids(), []);
  const [create] = await store.creates(client);
  const { status, mayBeCharged, resumable, input } = create;
  assert.deepEqual(
    { status, mayBeCharged, resumable, input },
    {
      status: "unknown",
      mayBeCharged: true,
      resumable: false,
      input: { title: "Task 1" },
    },
  );
  await failure(create.resume(), "invalid_argument", "unknown");
  history.tasks = [entry(1)];
  await store.sync(client);
  assert.deepEqual([await ids(), await store.creates(client)], [["id-1"], []]);
  history.tasks = [entry(2, { state: undefined, outcome: "unknown" })];
  await store.sync(client);
  const [other] = await store.creates(client);
  await store.forget(other, { media: client });
  assert.deepEqual(history.forgotten, ["id-2"]);
  await store.sync(client);
  assert.deepEqual(await store.creates(client), []);
});

const ago = (milliseconds) => new Date(Date.now() - milliseconds).toISOString();

/** Makes a create of this browser whose response was lost, titled as the first of the history. */
async function withLost(t) {
  const found = await withHistory(t, { "POST generate": lost });
  await failure(
    found.media.textToImage({ prompt: "p", title: "Task 1" }),
    "network",
    "unknown",
  );
  const [create] = await found.store.creates(found.client);
  return { ...found, create };
}

for (const [what, more, isListed] of /** @type {any[]} */ ([
  ["as a create without a response", {}, false],
  ["also without a response", { state: undefined, outcome: "unknown" }, false],
  ["with another title", { title: "Another" }, true],
  ["of another capability", { capability: "merge_pdf" }, true],
  ["from 2 minutes before", { created_at: ago(120_000) }, true],
  ["from 11 minutes later", { created_at: ago(-660_000) }, true],
])) {
  test(`a task ${what} is listed beside a lost create: ${isListed}`, async (t) => {
    const { client, store, history, ids } = await withLost(t);
    history.tasks = [entry(1, more)];
    await store.sync(client);
    assert.deepEqual(await ids(), isListed ? ["id-1"] : []);
    assert.equal((await store.creates(client)).length, 1);
  });
}

test("a task is listed beside a lost create that can't be repeated any more", async (t) => {
  const { client, store, history, ids, name } = await withLost(t);
  const day = 86_400_000;
  await changeRows(name, "creates", (row) => ({
    ...row,
    sentAt: row.sentAt - day,
  }));
  history.tasks = [entry(1, { created_at: ago(day) })];
  await store.sync(client);
  assert.deepEqual(await ids(), ["id-1"]);
});

test("the task of a lost create that was forgotten stays away, and is forgotten at the gateway", async (t) => {
  const { client, store, history, ids, create, name } = await withLost(t);
  await store.forget(create, { media: client });
  assert.deepEqual(await store.creates(client), []);
  const [row] = await rowsOf(name, "creates");
  assert.deepEqual(Object.keys(row).sort(), [
    "at",
    "capability",
    "everywhere",
    "isForgotten",
    "key",
    "owner",
    "sentAt",
    "title",
    "version",
  ]);
  history.tasks = [entry(1), entry(1, { id: "id-2" })];
  await store.sync(client);
  assert.deepEqual(await ids(), ["id-2"], "only one of two equal tasks");
  assert.deepEqual(history.forgotten, ["id-1"]);
  assert.deepEqual(await rowsOf(name, "creates"), []);
});

test("a create that was forgotten while it was sent keeps no task away if it was refused", async (t) => {
  let refuse = () => {};
  const { client, store, media, name } = await withHistory(t, {
    "POST generate": async () => {
      await new Promise((resolve) => {
        refuse = () => resolve(undefined);
      });
      const data = { reason: "rate_limit", outcome: "not_sent" };
      return Response.json({ code: 16, message: "no", data }, { status: 429 });
    },
  });
  const running = failure(media.textToImage({ prompt: "p" }), "rate_limit");
  const list = () => store.creates(client, { running: true });
  await until(async () => (await list())[0]?.mayBeCharged);
  await wait(20);
  await store.forget((await list())[0]);
  refuse();
  await running;
  assert.deepEqual(await rowsOf(name, "creates"), []);
});

test("a forgotten task that runs is forgotten at the gateway once it has ended, also by a later page", async (t) => {
  const found = await withHistory(t, taskOf().routes);
  const { media, client, store, page, history, ids, name } = found;
  const busy = () =>
    Response.json({ code: 12, message: "no" }, { status: 409 });
  history.refusal = busy;
  const task = await media.textToImage(
    { prompt: "p", title: "Private" },
    { metadata: "private" },
  );
  await store.forget(task, { media });
  const [row] = await rowsOf(name, "tasks");
  assert.deepEqual(
    Object.keys(row).sort(),
    ["at", "everywhere", "key", "owner", "version"],
    "nothing of the task but its id",
  );
  history.tasks = [entry(1, { id: "k", state: "RUNNING" })];
  await store.sync(client);
  assert.deepEqual([await ids(), history.forgotten], [[], ["k"]]);
  history.tasks = [entry(1, { id: "k" })];
  await store.sync(client);
  assert.deepEqual([await ids(), history.forgotten.length], [[], 2]);
  history.refusal = undefined;
  const { tasks: late } = await client.tasks.list();
  const other = await page();
  await other.store.sync(client);
  assert.equal(history.forgotten.length, 3);
  // The other tab had read its page of the history before.
  await store.add(client, late);
  assert.deepEqual([await ids(), history.forgotten.length], [[], 3]);
});

for (const [status, count] of [
  [409, 3],
  [404, 3],
  [503, 1],
]) {
  test(`after a ${status} the gateway is asked to forget ${count} of 3 tasks`, async (t) => {
    const { client, store, history } = await withHistory(t);
    history.tasks = [1, 2, 3].map((number) =>
      entry(number, { state: "RUNNING" }),
    );
    await store.sync(client);
    history.refusal = () =>
      Response.json({ code: 12, message: "no" }, { status: 409 });
    for (const task of await store.tasks(client))
      await store.forget(task, { media: client });
    history.refusal = () =>
      Response.json({ code: 12, message: "no" }, { status });
    history.forgotten.length = 0;
    history.tasks = [1, 2, 3].map((number) => entry(number));
    await store.sync(client);
    assert.equal(history.forgotten.length, count);
  });
}

test("forget without a client leaves the gateway's history as it is", async (t) => {
  const { client, store, history, ids } = await withHistory(t);
  history.tasks = [entry(1)];
  await store.sync(client);
  await store.forget((await store.tasks(client))[0]);
  await store.sync(client);
  assert.deepEqual([await ids(), history.forgotten], [[], []]);
});

/** Returns `withLock` of another page. */
async function lockOfPage(page) {
  const { withLock } = await import(`../dist/store/locks.js?page=${page}`);
  return (name, work, limits = {}, mayBeHeld = true) =>
    withLock(name, limits, "unknown", work, mayBeHeld);
}

test("without the browser's locks, a page waits until another ends its work", async () => {
  const order = [];
  let end = () => {};
  const [one, other] = [await lockOfPage(1), await lockOfPage(2)];
  const first = one("a", async () => {
    order.push("first");
    await new Promise((resolve) => {
      end = () => resolve(undefined);
    });
    order.push("ended");
  });
  await until(() => order.length === 1);
  const second = other("a", async () => order.push("second"));
  await other("b", async () => order.push("other"));
  await failure(
    other("a", async () => order.push("never"), { timeout: 1_200 }),
    "timeout",
    "unknown",
  );
  end();
  await Promise.all([first, second]);
  assert.deepEqual(order, ["first", "other", "ended", "second"]);
});

test("without the browser's locks, the work on a new name begins at once", async () => {
  const lock = await lockOfPage(3);
  const start = Date.now();
  await lock("new", async () => {}, {}, false);
  assert.ok(Date.now() - start < 500);
});

test("a wait for a lock ends at once if its signal is aborted already", async (t) => {
  const signal = AbortSignal.abort();
  const work = () => assert.fail("it must not run");
  await failure(
    (await lockOfPage(4))("a", work, { signal }),
    "aborted",
    "unknown",
  );
  lendTabLocks(t);
  const lock = await lockOfPage(5);
  void lock("a", never);
  await failure(lock("a", work, { signal }), "aborted", "unknown");
});

test("the history brings a running task forward, unless a page has read the task", async (t) => {
  const { routes } = taskOf({ state: "RUNNING" });
  const { media, client, store, history, name } = await withHistory(t, routes);
  const states = async () =>
    (await rowsOf(name, "tasks")).map(({ snapshot }) => snapshot.state).sort();
  await media.textToImage({ prompt: "p" });
  history.tasks = [entry(1, { state: "QUEUED" })];
  await store.sync(client);
  assert.deepEqual(await states(), ["QUEUED", "RUNNING"]);
  history.tasks = [
    entry(1, { state: "PROCESSING" }),
    entry(2, { id: "k", state: "QUEUED" }),
  ];
  await store.sync(client);
  assert.deepEqual(await states(), ["PROCESSING", "RUNNING"]);
});
