// The store in Node, with an IndexedDB in memory. tests/packaging has its reloads, tabs and real
// databases.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { forceCloseDatabase } from "fake-indexeddb";
import { openStore } from "../dist/store.js";
import { failure, mediagate, ok } from "./support/client.mjs";
import {
  changeRows,
  file,
  kept,
  lendTabLocks,
  never,
} from "./support/store.mjs";

test("a task has its metadata after a reload, and shows only its own members", async (t) => {
  const { media, client, page } = await kept(t);
  const metadata = { album: 7 };
  const task = await media.textToImage({ prompt: "p" }, { metadata });
  assert.deepEqual(
    [task.metadata, Object.keys(task)],
    [metadata, ["id", "capability"]],
  );
  const { store: other } = await page();
  const [restored] = await other.tasks(client);
  assert.deepEqual([restored.id, restored.metadata], ["k", metadata]);
  assert.deepEqual(await other.creates(client), []);
  await other.forget(restored);
  assert.deepEqual(await other.tasks(client), []);
});

test("metadata behind a proxy of a framework is stored", async (t) => {
  const { media, client, page, errors } = await kept(t);
  const metadata = new Proxy({ album: 7 }, {});
  await media.textToImage({ prompt: "p" }, { metadata });
  const { store } = await page();
  const [restored] = await store.tasks(client);
  assert.deepEqual([restored.metadata, errors], [{ album: 7 }, []]);
});

test("a storing client that is kept again stores once", async (t) => {
  const { media, client, store, page } = await kept(t);
  const { store: other } = await page();
  await other.keep(media).textToImage({ prompt: "p" });
  assert.equal((await store.tasks(client)).length, 1);
});

test("a create is found by its key, as a task or as what can be resumed, by its user only", async (t) => {
  let isLost = true;
  const { media, page } = await kept(t, {
    "POST generate": () => {
      if (isLost) throw new TypeError("lost");
      return Response.json(mediagate.record("PROCESSING"));
    },
  });
  const { idempotencyKey: key } = await failure(
    media.textToImage({ prompt: "p" }),
  );
  const { store } = await page();
  const find = async () => /** @type {any} */ (await store.find(media, key));
  const create = await find();
  assert.equal(create.mayBeCharged, true);
  const { store: theirs, client: other } = await page("other");
  assert.equal(await theirs.find(other, key), undefined);
  assert.equal(await store.find(media, "none"), undefined);
  isLost = false;
  const { id } = await create.resume();
  assert.equal((await find()).id, id);
});

test("a listener is called once for each of its subscriptions after a change", async (t) => {
  const { media, store } = await kept(t);
  let calls = 0;
  const listener = () => calls++;
  const ends = [store.subscribe(listener), store.subscribe(listener)];
  const task = await media.textToImage({ prompt: "p" });
  const before = calls;
  assert.ok(before > 0 && before % 2 === 0, String(before));
  ends[0]();
  await store.forget(task);
  assert.equal(calls, before + 1);
});

test("a create whose response is lost is resumed with its key, and without its upload", async (t) => {
  let isLost = true;
  const { media, seen, page } = await kept(t, {
    "POST process": () => {
      if (isLost) throw new TypeError("lost");
      return Response.json(mediagate.record("PROCESSING"));
    },
  });
  const error = await failure(
    media.backgroundRemoval({ file_id: file("x") }, { metadata: 7 }),
  );
  assert.equal(error.outcome, "unknown");
  const { store } = await page();
  const [create] = await store.creates(media);
  const { capability, input, mayBeCharged, resumable, metadata } = create;
  assert.deepEqual(
    { capability, input, mayBeCharged, resumable, metadata },
    {
      capability: "background_removal",
      input: { file_id: "f" },
      mayBeCharged: true,
      resumable: true,
      metadata: 7,
    },
  );
  isLost = false;
  seen.lines.length = 0;
  const task = await create.resume();
  assert.deepEqual([task.metadata, seen.lines.length], [7, 1]);
  assert.deepEqual(await store.creates(media), []);
  assert.equal(
    (await create.resume()).id,
    "k",
    "it is the task that is stored",
  );
  assert.equal(seen.lines.length, 1);
});

test("a create that is repeated with its key still counts as possibly charged", async (t) => {
  /** @type {() => Promise<Response>} */
  let respond = () => Promise.reject(new TypeError("lost"));
  const routes = { "POST generate": () => respond() };
  const { media, store } = await kept(t, routes);
  const create = () =>
    failure(media.textToImage({ prompt: "p" }, { idempotencyKey: "key" }));
  assert.equal((await create()).outcome, "unknown");
  const [first] = await store.creates(media);
  await wait(5);
  const refusal = {
    code: 16,
    message: "slow down",
    data: { reason: "rate_limit", outcome: "not_sent" },
  };
  respond = async () => Response.json(refusal, { status: 429 });
  const error = await create();
  assert.deepEqual([error.outcome, error.idempotencyKey], ["unknown", "key"]);
  const [second] = await store.creates(media);
  assert.deepEqual(
    [second.createdAt, second.mayBeCharged],
    [first.createdAt, true],
  );
});

/**
 * Makes a create that was uploading its file when its page was closed, and two tabs that list it.
 */
async function interrupted(t) {
  let files = 0;
  let isReady = false;
  const { media, seen, store, page } = await kept(t, {
    "POST upload_urls": () => {
      const data = {
        file_id: `f-${++files}`,
        upload_url: "https://storage.test/put",
      };
      return isReady ? ok(data) : never();
    },
  });
  const controller = new AbortController();
  const { signal } = controller;
  const running = media.backgroundRemoval({ file_id: file("x") }, { signal });
  await wait(50);
  // A closed page does not remove the create.
  store.close();
  controller.abort();
  await failure(running);
  isReady = true;
  lendTabLocks(t);
  seen.lines.length = 0;
  const tabs = [(await page()).store, (await page()).store];
  const lists = await Promise.all(tabs.map((tab) => tab.creates(media)));
  return { media, seen, tabs, creates: lists.map(([create]) => create) };
}

test("two tabs that resume a create at the same time send it once", async (t) => {
  const { media, seen, tabs, creates } = await interrupted(t);
  const tasks = await Promise.all(creates.map((create) => create.resume()));
  assert.deepEqual(
    tasks.map((task) => task.id),
    ["k", "k"],
  );
  const posts = seen.lines.filter((line) => line.startsWith("POST"));
  assert.deepEqual(posts, [
    "POST upload_urls",
    "POST process/image/background_removal",
  ]);
  assert.deepEqual(await tabs[0].creates(media), []);
});

test("a create that another tab has settled or forgotten is not sent again", async (t) => {
  const { seen, tabs, creates } = await interrupted(t);
  await tabs[0].forget(creates[0]);
  const error = await failure(creates[1].resume());
  assert.deepEqual(
    [error.code, error.outcome, seen.lines],
    ["invalid_argument", "unknown", []],
  );
});

for (const [name, input, options, code] of /** @type {any[]} */ ([
  ["an input", { promt: "p" }, {}, "invalid_input"],
  ["no input", null, {}, "invalid_input"],
  ["a timeout", { prompt: "p" }, { timeout: -1 }, "invalid_argument"],
  ["a key", { prompt: "p" }, { idempotencyKey: null }, "invalid_argument"],
  ["options", { prompt: "p" }, "text", "invalid_argument"],
  ["a signal", { prompt: "p" }, { signal: AbortSignal.abort() }, "aborted"],
])) {
  test(`a create with ${name} that the client rejects is not stored`, async (t) => {
    const { media, seen, page } = await kept(t);
    const error = await failure(media.textToImage(input, options));
    assert.deepEqual([error.code, error.outcome], [code, "not_sent"]);
    assert.deepEqual(seen.lines, []);
    assert.deepEqual(await (await page()).store.creates(media), []);
  });
}

test("an upload that fails leaves nothing, also if another one ends later", async (t) => {
  const { media, page } = await kept(t, {
    "PUT ": async (_, { body }) => {
      if (body.type === "video/mp4") return new Response("", { status: 400 });
      await wait(50);
      return new Response("");
    },
  });
  await failure(
    media.addAudioToVideo({
      video_file_id: file("v", "video/mp4"),
      audio_file_id: file("a", "audio/mpeg"),
    }),
    "upload_failed",
    "not_sent",
  );
  await wait(100);
  assert.deepEqual(await (await page()).store.creates(media), []);
});

test("a create whose files are too large to store is not repeated after a reload", async (t) => {
  const routes = { "POST upload_urls": never };
  const { media, store, page } = await kept(t, routes, { maxFileBytes: 3 });
  const controller = new AbortController();
  const { signal } = controller;
  const running = media.backgroundRemoval(
    { file_id: file("four") },
    { signal },
  );
  await wait(50);
  assert.deepEqual(await store.creates(media), [], "this page is at it");
  const { store: other } = await page();
  const [create] = await other.creates(media);
  assert.deepEqual(
    [create.resumable, create.mayBeCharged, create.input.file_id],
    [false, false, undefined],
  );
  assert.equal((await failure(create.resume())).outcome, "not_sent");
  await other.forget(create);
  assert.deepEqual(await other.creates(media), []);
  controller.abort();
  await failure(running, "aborted");
});

test("a database that fails is reported once, and the create is sent", async (t) => {
  const { media, store, errors } = await kept(t);
  store.close();
  const task = await media.backgroundRemoval({ file_id: file("x") });
  assert.deepEqual([task.id, errors.length], ["k", 1]);
});

test("metadata that cannot be stored is reported once, and the create is sent", async (t) => {
  const { media, store, errors } = await kept(t);
  const metadata = () => {};
  const task = await media.textToImage({ prompt: "p" }, { metadata });
  assert.deepEqual([task.id, errors.length], ["k", 1]);
  assert.deepEqual(await store.tasks(media), []);
});

test("a result without a task is stored and forgotten", async (t) => {
  const data = { result: { images: [{ url: "https://a.example/a.png" }] } };
  const { media, store } = await kept(t, {
    "POST generate": () => ok(data),
  });
  await media.textToImage({ prompt: "p" });
  const [task] = await store.tasks(media);
  assert.equal(task.id, "");
  await store.forget(task.toJSON());
  assert.deepEqual(await store.tasks(media), []);
});

test("a create that the media service rejects is not stored", async (t) => {
  const { media, store } = await kept(t, {
    "POST generate": () =>
      Response.json(
        { code: 1401, message: "no credits", data: { outcome: "rejected" } },
        { status: 402 },
      ),
  });
  await failure(
    media.textToImage({ prompt: "p" }),
    "insufficient_credits",
    "rejected",
  );
  assert.deepEqual(await store.creates(media), []);
});

const DAY_MS = 86_400_000;

const age = (name, table, days) =>
  changeRows(name, table, (row) => ({
    ...row,
    at: row.at - days * DAY_MS,
    sentAt: row.sentAt && row.sentAt - days * DAY_MS,
  }));

test("a create that was sent stays stored if its repetition is refused, and is not repeated after a day", async (t) => {
  /** @type {() => Promise<Response>} */
  let respond = () => Promise.reject(new TypeError("lost"));
  const { media, seen, page, name } = await kept(t, {
    "POST generate": () => respond(),
  });
  await failure(media.textToImage({ prompt: "p" }));
  const { store } = await page();
  const [create] = await store.creates(media);
  const data = { reason: "rate_limit", outcome: "not_sent" };
  respond = async () =>
    Response.json({ code: 16, message: "slow down", data }, { status: 429 });
  assert.equal((await failure(create.resume())).outcome, "unknown");
  assert.equal((await store.creates(media)).length, 1);

  await age(name, "creates", 1);
  const [old] = await store.creates(media);
  const sent = seen.lines.length;
  const error = await failure(old.resume());
  assert.deepEqual(
    [old.resumable, error.outcome, seen.lines.length],
    [false, "unknown", sent],
  );
  await store.forget(old);
  assert.deepEqual(await store.creates(media), []);
});

test("stored tasks that are too old are removed", async (t) => {
  const { media, client, page, name } = await kept(t);
  await media.textToImage({ prompt: "p" });
  await age(name, "tasks", 29);
  assert.equal((await (await page()).store.tasks(client)).length, 1);
  await age(name, "tasks", 2);
  assert.deepEqual(await (await page()).store.tasks(client), []);
});

test("sync stores recent tasks that were created elsewhere, and does not bring back forgotten ones", async (t) => {
  const entry = (number, created_at = new Date().toISOString()) => ({
    id: `t${number}`,
    capability: "split_pdf",
    created_at,
  });
  const lost = { ...entry(9), outcome: "unknown" };
  const old = entry(4, "2020-01-01T00:00:00Z");
  const pages = [
    ...[[entry(1), lost], [], [lost, entry(1)], [entry(2)]],
    ...[[entry(3), old], [entry(7)]],
  ];
  const { seen, store, client } = await kept(t, {
    "GET tasks": ({ lines }) => {
      const [, cursor = "0"] = lines.at(-1).split("&cursor=");
      return ok({ tasks: pages[cursor], cursor: String(Number(cursor) + 1) });
    },
  });
  const ids = async () =>
    (await store.tasks(client)).map((task) => task.id).sort();
  await store.sync(client);
  const later = ["1", "2", "3", "4"].map((cursor) => `&cursor=${cursor}`);
  assert.deepEqual(
    seen.lines,
    ["", ...later].map((cursor) => `GET tasks?limit=100${cursor}`),
  );
  assert.deepEqual(await ids(), ["t1", "t2", "t3"]);
  const [first] = await store.tasks(client);
  await store.forget(first);
  await store.sync(client);
  assert.deepEqual(
    await ids(),
    ["t1", "t2", "t3"].filter((id) => id !== first.id),
  );
});

function connections(t) {
  const opened = [];
  const open = indexedDB.open;
  t.after(() => Object.assign(indexedDB, { open }));
  indexedDB.open = (...args) => {
    const request = open.apply(indexedDB, args);
    request.addEventListener("success", () => opened.push(request.result));
    return request;
  };
  return opened;
}

function failOnce(t, owner, name, error) {
  const method = owner[name];
  const restore = () => Object.assign(owner, { [name]: method });
  t.after(restore);
  owner[name] = () => {
    restore();
    throw error;
  };
}

const lost = (name) =>
  new DOMException("Connection to Indexed Database server lost.", name);

test("a connection that was closed is opened again, once for all calls", async (t) => {
  const opened = connections(t);
  const { store, client, media, errors } = await kept(t);
  await media.textToImage({ prompt: "p" });
  opened[0].close();
  const lists = await Promise.all([store.tasks(client), store.tasks(client)]);
  assert.deepEqual(
    lists.map(([task]) => task.id),
    ["k", "k"],
  );
  opened[1].close();
  await media.textToImage({ prompt: "p" });
  assert.deepEqual([opened.length, errors], [3, []]);
});

test("a connection that the platform reports as closed is opened again", async (t) => {
  const opened = connections(t);
  const { store, client } = await kept(t);
  forceCloseDatabase(opened[0]);
  assert.deepEqual(await store.tasks(client), []);
  assert.equal(opened.length, 2);
});

test("a write that was lost is repeated once", async (t) => {
  const { store, client, media, errors } = await kept(t);
  failOnce(t, IDBObjectStore.prototype, "put", lost("UnknownError"));
  await media.textToImage({ prompt: "p" });
  assert.deepEqual(errors, []);
  assert.equal((await store.tasks(client)).length, 1);
});

test("an open that failed is repeated once, and not remembered", async (t) => {
  const opened = connections(t);
  failOnce(t, indexedDB, "open", lost("UnknownError"));
  const { store, client } = await kept(t);
  opened[0].close();
  failOnce(t, indexedDB, "open", lost("SecurityError"));
  await assert.rejects(store.tasks(client), { name: "SecurityError" });
  assert.deepEqual(await store.tasks(client), []);
});

test("a store that was closed stays closed", async (t) => {
  const { store, client } = await kept(t);
  store.close();
  await assert.rejects(store.tasks(client), { name: "InvalidStateError" });
});

test("the error of a store on a platform without IndexedDB names it", async (t) => {
  const { indexedDB } = globalThis;
  t.after(() => Object.assign(globalThis, { indexedDB }));
  Reflect.deleteProperty(globalThis, "indexedDB");
  const error = await failure(openStore());
  assert.deepEqual(
    [error.code, error.message],
    ["load_failed", "this platform has no indexedDB"],
  );
});
