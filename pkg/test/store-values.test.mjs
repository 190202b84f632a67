// Values of the app in the store, in Node with an IndexedDB in memory.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openDB } from "idb";
import { ok } from "./support/client.mjs";
import { changeRows, file, kept } from "./support/store.mjs";

/** Resolves to the number of files in the database. */
async function storedFiles(name) {
  const database = await openDB(name);
  const count = await database.count("files");
  database.close();
  return count;
}

test("values are read by their keys in any page, with their files, and are not announced", async (t) => {
  const { store, page } = await kept(t);
  const { values } = store;
  let calls = 0;
  store.subscribe(() => calls++);
  const form = { prompt: "a boat", files: [file("photo")], seed: null };
  await values.set({ "form.video": form, "form.page": 2, draft: file("x") });
  const { store: other } = await page();
  /** @type {any} */
  const { "form.video": read, ...others } = await other.values.all("form.");
  assert.deepEqual(others, { "form.page": 2 });
  assert.deepEqual([read.prompt, read.seed], ["a boat", null]);
  assert.equal(await read.files[0].text(), "photo");
  /** @type {any} */
  const draft = await other.values.get("draft");
  assert.equal(await draft.text(), "x");
  await other.values.delete(["form.video", "draft", "none"]);
  assert.deepEqual(await values.all(), { "form.page": 2 });
  assert.equal(await values.get("form.video"), undefined);
  assert.equal(calls, 0);
});

test("a file of a value, of a create and of its task is stored once, and goes with the last of them", async (t) => {
  const { media, store, client, name } = await kept(t, {
    "POST generate": async () => ok({ id: "k" }),
  });
  const photo = file("photo");
  await store.values.set({ form: { photo, mask: file("mask") }, twin: photo });
  const input = { file_id: photo };
  await media.backgroundRemoval(input, { metadata: { input } });
  assert.equal(await storedFiles(name), 2);
  assert.equal(await store.fileBytes(), 9);
  const [task] = await store.tasks(client);
  /** @type {any} */
  const form = await store.values.get("form");
  /** @type {any} */
  const metadata = task.metadata;
  assert.equal(form.photo, photo);
  assert.equal(metadata.input.file_id, photo);
  await store.values.set({ form: {} });
  assert.equal(await storedFiles(name), 1);
  await store.values.delete(["twin"]);
  assert.equal(await storedFiles(name), 1);
  await store.forget(task);
  assert.equal(await storedFiles(name), 0);
});

test("all values are stored or none, also if their files are too large", async (t) => {
  const { store, name } = await kept(t, {}, { maxTotalFileBytes: 5 });
  const { values } = store;
  await values.set({ a: file("123") });
  await assert.rejects(values.set({ b: 1, c: file("456") }), {
    name: "QuotaExceededError",
  });
  await assert.rejects(values.set({ b: 1, c: () => {} }), {
    name: "DataCloneError",
  });
  assert.deepEqual(Object.keys(await values.all()), ["a"]);
  await values.delete(["a"]);
  await values.set({ c: file("456") });
  assert.equal(await storedFiles(name), 1);
});

test("values stay when tasks are removed by their age", async (t) => {
  const { media, store, client, page, name } = await kept(t);
  await media.textToImage({ prompt: "p" });
  await store.values.set({ form: "old" });
  await changeRows(name, "tasks", (row) => ({ ...row, at: 0 }));
  const { store: later } = await page();
  assert.deepEqual(await later.tasks(client), []);
  assert.equal(await later.values.get("form"), "old");
});
