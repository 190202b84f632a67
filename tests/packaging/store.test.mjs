// mediagate/store finds creates and tasks again after a reload.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ENGINE } from "../support/engines/index.mjs";
import { suite } from "./support/suite.mjs";

const STORES_FILES = ENGINE !== "webkit";
const suited = suite();
const open = async (t) =>
  suited.visit(t, await suited.project(t, "page", "plain"), {
    path: "/store.html",
  });

const create = () =>
  globalThis.media
    .textToImageTurbo({ prompt: "a paper boat" })
    .then((task) => task.id);
const storedIds = () =>
  globalThis.store
    .tasks(globalThis.media)
    .then((tasks) => tasks.map((task) => task.id));
const ready = (page) => page.waitFor(() => globalThis.outcome === "ready");

test("a task is stored at its create, and found after a reload, until it is forgotten", async (t) => {
  const { page } = await open(t);
  const ids = [await page.evaluate(create), await page.evaluate(create)];
  await page.reload();
  await ready(page);
  assert.deepEqual(await page.evaluate(storedIds), ids);
  const states = await page.evaluate(async () => {
    const tasks = await globalThis.store.tasks(globalThis.media);
    const done = await Promise.all(tasks.map((task) => task.done()));
    await globalThis.store.forget(tasks[0]);
    return done.map((task) => task.state);
  });
  assert.deepEqual(states, ["SUCCEEDED", "SUCCEEDED"]);
  await page.reload();
  await ready(page);
  assert.deepEqual(await page.evaluate(storedIds), [ids[1]]);
});

test("another tab finds a task, and a task that one tab forgets is gone in the other", async (t) => {
  const { page, address } = await open(t);
  const id = await page.evaluate(create);
  const other = await page.openTab(address);
  await ready(other);
  assert.deepEqual(await other.evaluate(storedIds), [id]);
  await other.evaluate(async () =>
    globalThis.store.forget(
      (await globalThis.store.tasks(globalThis.media))[0],
    ),
  );
  assert.deepEqual(await page.evaluate(storedIds), []);
});

test("a store that cannot store a task still returns it, and reports the error", async (t) => {
  const { page } = await open(t);
  await page.evaluate(() => globalThis.store.close());
  assert.match(await page.evaluate(create), /./);
  assert.equal((await page.evaluate(() => globalThis.failures)).length, 1);
});

/** A picture of one pixel. */
const PICTURE =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

/**
 * Resolves to the credits that are left of the emulator's account. Each create of a picture costs
 * 4, each processing 2.
 */
async function credits() {
  return (await (await fetch(`${suited.stack.admin}/scene`)).json()).credits;
}

/**
 * Runs in the page: resolves to the unfinished creates, without values that differ between runs.
 */
const unfinished = () =>
  globalThis.store.creates(globalThis.media).then((all) =>
    all.map(({ capability, input, mayBeCharged, resumable, metadata }) => ({
      capability,
      input: { ...input },
      mayBeCharged,
      resumable,
      metadata,
    })),
  );

/** Runs in the page: resolves to a storing client whose requests to this path never end. */
const hanging = (path) =>
  globalThis.connect({
    url: globalThis.gateway,
    fetch: (request, options) =>
      (request.url ?? String(request)).includes(path)
        ? new Promise(() => {})
        : fetch(request, options),
  });

/** Runs in the page: tests if a create is stored, and may have been sent if it must be. */
const isStored = ({ mustBeSent }) =>
  new Promise((resolve) => {
    const opening = indexedDB.open("mediagate");
    opening.onsuccess = () => {
      const reading = opening.result
        .transaction("creates")
        .objectStore("creates")
        .getAll();
      reading.onsuccess = () => {
        opening.result.close();
        resolve(reading.result.some(({ isSent }) => isSent || !mustBeSent));
      };
    };
  });

test("a reload while a create is under way loses nothing, and nothing is charged twice", async (t) => {
  const { page } = await open(t);
  const before = await credits();
  const input = { prompt: "a paper boat", title: "emulate: slow=8000" };
  await page.evaluate(
    (input) =>
      void globalThis.media.textToImageTurbo(input, { metadata: { album: 7 } }),
    input,
  );
  // The upstream has the create, and responds eight seconds later.
  await page.waitFor(isStored, { mustBeSent: true });
  await sleep(500);
  await page.reload();
  await ready(page);
  assert.deepEqual(await page.evaluate(unfinished), [
    {
      capability: "text_to_image_turbo",
      input,
      mayBeCharged: true,
      resumable: true,
      metadata: { album: 7 },
    },
  ]);
  const { id, state, metadata } = await page.evaluate(async () => {
    const [create] = await globalThis.store.creates(globalThis.media);
    const task = await create.resume();
    return {
      id: task.id,
      metadata: task.metadata,
      state: (await task.done()).state,
    };
  });
  assert.deepEqual([state, metadata], ["SUCCEEDED", { album: 7 }]);
  assert.deepEqual(await page.evaluate(unfinished), []);
  assert.deepEqual(await page.evaluate(storedIds), [id]);
  assert.equal(before - (await credits()), 4, "one picture");
});

test("an uploaded file is not uploaded again after a reload", async (t) => {
  const { page } = await open(t);
  await page.evaluate(
    async ({ source, picture }) => {
      const hanging = new Function(`return ${source}`)();
      const media = globalThis.store.keep(await hanging("background_removal"));
      const blob = await (await fetch(picture)).blob();
      void media.backgroundRemoval({ file_id: blob });
    },
    { source: String(hanging), picture: PICTURE },
  );
  await page.waitFor(isStored, { mustBeSent: true });
  await page.reload();
  await ready(page);
  const [create] = await page.evaluate(unfinished);
  assert.match(create.input.file_id, /./);
  const state = await page.evaluate(async () => {
    const [create] = await globalThis.store.creates(globalThis.media);
    return (await (await create.resume()).done()).state;
  });
  assert.equal(state, "SUCCEEDED");
});

const TWO_TABS =
  "two tabs that resume a create at the same time upload and pay once";

test(TWO_TABS, { skip: !STORES_FILES && "it stores no files" }, async (t) => {
  const { page, address } = await open(t);
  await page.evaluate(
    async ({ source, picture }) => {
      const hanging = new Function(`return ${source}`)();
      const media = globalThis.store.keep(await hanging("upload_urls"));
      const blob = await (await fetch(picture)).blob();
      void media.backgroundRemoval({ file_id: blob });
    },
    { source: String(hanging), picture: PICTURE },
  );
  await page.waitFor(isStored, { mustBeSent: false });
  await page.reload();
  await ready(page);
  const other = await page.openTab(address);
  await ready(other);
  const before = await credits();
  const list = async () => {
    globalThis.creates = await globalThis.store.creates(globalThis.media);
    return globalThis.creates.length;
  };
  assert.deepEqual(
    [await page.evaluate(list), await other.evaluate(list)],
    [1, 1],
  );
  const resume = async () => (await globalThis.creates[0].resume()).id;
  const [one, two] = await Promise.all([
    page.evaluate(resume),
    other.evaluate(resume),
  ]);
  assert.equal(one, two);
  assert.equal(before - (await credits()), 2, "one processing");
  assert.deepEqual(await page.evaluate(unfinished), []);
});

test("a create that is refused, or not valid, leaves nothing behind", async (t) => {
  const { page } = await open(t);
  const codes = await page.evaluate(async () => {
    const failed = (input) =>
      globalThis.media
        .textToImageTurbo(input)
        .catch((error) => [error.code, error.outcome]);
    return [
      await failed({ prompt: "p", title: "emulate: code=1401" }),
      await failed({ promt: "p" }),
      await failed(null),
    ];
  });
  assert.deepEqual(codes, [
    ["insufficient_credits", "rejected"],
    ["invalid_input", "not_sent"],
    ["invalid_input", "not_sent"],
  ]);
  assert.deepEqual(await page.evaluate(unfinished), []);
});

test("other tabs are notified, and a create that one tab works on is not offered to another", async (t) => {
  const { page, address } = await open(t);
  const other = await page.openTab(address);
  await ready(other);
  await other.evaluate(() => {
    globalThis.changes = 0;
    globalThis.end = globalThis.store.subscribe(() => globalThis.changes++);
  });
  await page.evaluate(
    () =>
      void globalThis.media.textToImageTurbo({
        prompt: "p",
        title: "emulate: slow=2000",
      }),
  );
  await other.waitFor(() => globalThis.changes > 0);
  assert.deepEqual(await other.evaluate(unfinished), []);
  await other.waitFor(
    async () => (await globalThis.store.tasks(globalThis.media)).length === 1,
  );
  await other.evaluate(() => {
    globalThis.end();
    globalThis.changes = 0;
  });
  await page.evaluate(create);
  await other.waitFor(
    async () => (await globalThis.store.tasks(globalThis.media)).length === 2,
  );
  assert.equal(await other.evaluate(() => globalThis.changes), 0);
});

test("a result without a task, one behind a proxy, and a saved one are forgotten", async (t) => {
  const { page } = await open(t);
  const left = await page.evaluate(async () => {
    const store = globalThis.store;
    const fetchResult = async (request, options) =>
      (request.url ?? String(request)).endsWith("text_to_image")
        ? Response.json({
            code: 0,
            message: "ok",
            data: { result: { images: [{ url: "https://a.example/a.png" }] } },
          })
        : fetch(request, options);
    const media = store.keep(
      await globalThis.connect({ url: globalThis.gateway, fetch: fetchResult }),
    );
    const counts = [];
    const count = async () => counts.push((await store.tasks(media)).length);
    const created = await media.textToImage({ prompt: "p" });
    await count();
    await store.forget(new Proxy(created, {}));
    await count();
    await media.textToImage({ prompt: "p" });
    const [restored] = await store.tasks(media);
    await store.forget(restored.toJSON());
    await count();
    const task = await media.textToImageTurbo({ prompt: "p" });
    await store.forget(Object.freeze(task));
    await count();
    return counts;
  });
  assert.deepEqual(left, [1, 0, 0, 0]);
});

test("sync stores tasks that were created elsewhere, and does not bring back forgotten ones", async (t) => {
  const { page } = await open(t);
  const ids = [await page.evaluate(create), await page.evaluate(create)];
  const seen = await page.evaluate(async () => {
    // Another device of the user has its own store.
    const store = await globalThis.openStore({ name: "elsewhere" });
    const media = store.keep(
      await globalThis.connect({ url: globalThis.gateway }),
    );
    const listed = async () =>
      (await store.tasks(media)).map((task) => task.id);
    const here = await media.textToImageTurbo(
      { prompt: "a kite" },
      { metadata: "here" },
    );
    let changes = 0;
    store.subscribe(() => changes++);
    await store.sync(media);
    await store.sync(media);
    const all = await listed();
    const restored = (await store.tasks(media)).find(
      (task) => task.id === here.id,
    );
    await store.forget((await store.tasks(media))[0]);
    await store.sync(media);
    const left = await listed();
    const old = await globalThis.openStore({
      name: "strict",
      maxAgeDays: 1e-9,
    });
    await old.sync(media);
    return {
      here: here.id,
      all,
      left,
      changes,
      metadata: restored?.metadata,
      old: (await old.tasks(media)).length,
    };
  });
  const all = [...ids, seen.here];
  assert.deepEqual(seen, {
    here: seen.here,
    all,
    left: all.slice(1),
    changes: 2,
    metadata: "here",
    old: 0,
  });
});

test("a create that was sent stays stored if its repetition is not sent", async (t) => {
  const { page } = await open(t);
  const seen = await page.evaluate(async () => {
    const url = globalThis.gateway;
    const isCreate = (request) =>
      String(request.url ?? request).includes("background_removal");
    const dying = await globalThis.connect({
      url,
      fetch: (input, init) =>
        isCreate(input) ? new Promise(() => {}) : fetch(input, init),
    });
    void globalThis.store
      .keep(dying)
      .backgroundRemoval({ file_id: new Blob(["x"], { type: "image/png" }) });
    const rows = async () => {
      const opening = indexedDB.open("mediagate");
      const database = await new Promise(
        (resolve) => (opening.onsuccess = () => resolve(opening.result)),
      );
      const reading = database
        .transaction("creates")
        .objectStore("creates")
        .getAll();
      return new Promise(
        (resolve) => (reading.onsuccess = () => resolve(reading.result)),
      );
    };
    while (!(await rows())[0]?.isSent)
      await new Promise((resolve) => setTimeout(resolve, 20));
    // Another page, after the first one is gone. The gateway refuses the repetition before it looks
    // for the key.
    const store2 = await globalThis.openStore({ name: "other" });
    const moved = (await rows())[0];
    const copy = indexedDB.open("other");
    const database = await new Promise(
      (resolve) => (copy.onsuccess = () => resolve(copy.result)),
    );
    const writing = database.transaction("creates", "readwrite");
    writing.objectStore("creates").put(moved);
    await new Promise((resolve) => (writing.oncomplete = resolve));
    const body = {
      code: 16,
      message: "slow down",
      data: { reason: "rate_limit", outcome: "not_sent" },
    };
    const refusing = await globalThis.connect({
      url,
      maxRetries: 0,
      fetch: (input, init) =>
        isCreate(input)
          ? Response.json(body, { status: 429 })
          : fetch(input, init),
    });
    const [create] = await store2.creates(refusing);
    const error = await create.resume().catch((error) => error);
    return {
      outcome: error.outcome,
      hasKey: error.idempotencyKey === moved.key,
      left: (await store2.creates(refusing)).length,
    };
  });
  assert.deepEqual(seen, { outcome: "unknown", hasKey: true, left: 1 });
});

test("sync reads on while entries are recent", async (t) => {
  const { page } = await open(t);
  const seen = await page.evaluate(async () => {
    const requests = [];
    const entry = (number) => ({
      id: `t${number}`,
      capability: "split_pdf",
      createdAt: new Date().toISOString(),
      outputs: [],
    });
    const lost = { ...entry(9), outcome: "unknown" };
    const old = { ...entry(4), createdAt: "2020-01-01T00:00:00Z" };
    const pages = {
      first: [entry(1), lost],
      2: [],
      3: [lost, entry(1)],
      4: [entry(2)],
      5: [entry(3), old],
      6: [entry(7)],
    };
    const tasks = {
      list: async ({ limit, cursor = "first" }) => {
        requests.push([limit, cursor]);
        return {
          tasks: pages[cursor],
          cursor: cursor === "first" ? "2" : String(Number(cursor) + 1),
        };
      },
    };
    const store = await globalThis.openStore({ name: "pages" });
    await store.sync({ tasks });
    await store.sync({ tasks });
    return {
      requests,
      ids: (await store.tasks(globalThis.media)).map((task) => task.id),
    };
  });
  const read = (...cursors) => cursors.map((cursor) => [100, cursor]);
  const all = read("first", "2", "3", "4", "5");
  assert.deepEqual(seen.requests, [...all, ...all]);
  assert.deepEqual(seen.ids.toSorted(), ["t1", "t2", "t3"]);
});

test("stored entries are read, and those that are too old are removed", async (t) => {
  const { page } = await open(t);
  const ids = await page.evaluate(async () => {
    const now = Date.now();
    await new Promise((resolve) => {
      const request = indexedDB.open("old", 1);
      request.onupgradeneeded = () => {
        request.result.createObjectStore("tasks", {
          keyPath: "key",
          autoIncrement: true,
        });
        request.result.createObjectStore("creates", { keyPath: "key" });
      };
      request.onsuccess = () => {
        const transaction = request.result.transaction("tasks", "readwrite");
        for (const [key, days] of Object.entries({ recent: 1, old: 31 })) {
          const saved = { id: key, capability: "text_to_image" };
          transaction
            .objectStore("tasks")
            .put({ key, at: now - days * 86_400_000, saved });
        }
        transaction.oncomplete = () => {
          request.result.close();
          resolve(undefined);
        };
      };
    });
    const store = await globalThis.openStore({ name: "old" });
    const tasks = await store.tasks(globalThis.media);
    store.close();
    return tasks.map((task) => task.id);
  });
  assert.deepEqual(ids, ["recent"]);
});

test("a create that was sent too long ago is not repeated", async (t) => {
  const { page } = await open(t);
  const outcome = await page.evaluate(async () => {
    const row = {
      key: "k",
      capability: "text_to_image_turbo",
      input: { prompt: "p" },
      isSent: true,
      isWhole: true,
    };
    await new Promise((resolve) => {
      const opening = indexedDB.open("mediagate");
      opening.onsuccess = () => {
        const transaction = opening.result.transaction("creates", "readwrite");
        transaction
          .objectStore("creates")
          .put({ ...row, at: Date.now() - 24 * 3_600_000 });
        transaction.oncomplete = () => {
          opening.result.close();
          resolve(undefined);
        };
      };
    });
    const [create] = await globalThis.store.creates(globalThis.media);
    const error = await create.resume().catch((error) => error);
    await globalThis.store.forget(create);
    return [
      create.resumable,
      error.outcome,
      (await globalThis.store.creates(globalThis.media)).length,
    ];
  });
  assert.deepEqual(outcome, [false, "unknown", 0]);
});
