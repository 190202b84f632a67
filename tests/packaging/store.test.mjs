// mediagate/store: tasks are found again after a reload.
import assert from "node:assert/strict";
import { test } from "node:test";
import { suite } from "./support/suite.mjs";

const suited = suite();
const open = async (t) => suited.visit(t, await suited.project(t, "page", "plain"), { path: "/store.html" });

const create = () => globalThis.media.textToImageTurbo({ prompt: "a paper boat" }).then((it) => it.id);
const storedIds = () => globalThis.store.tasks(globalThis.media).then((it) => it.map((task) => task.id));
const ready = (page) => page.waitFor(() => globalThis.outcome === "ready");

test("a task is stored at its create, and found after a reload, until it is forgotten", async (t) => {
  const { page } = await open(t);
  const ids = [await page.evaluate(create), await page.evaluate(create)];
  await page.reload();
  await ready(page);
  assert.deepEqual(await page.evaluate(storedIds), ids);
  const states = await page.evaluate(async () => {
    const tasks = await globalThis.store.tasks(globalThis.media);
    const done = await Promise.all(tasks.map((it) => it.done()));
    await globalThis.store.forget(tasks[0]);
    return done.map((it) => it.state);
  });
  assert.deepEqual(states, ["SUCCEEDED", "SUCCEEDED"]);
  await page.reload();
  await ready(page);
  assert.deepEqual(await page.evaluate(storedIds), [ids[1]]);
});

test("another tab finds it, and a task that one tab forgets is gone in the other", async (t) => {
  const { page, address } = await open(t);
  const id = await page.evaluate(create);
  const other = await page.openTab(address);
  await ready(other);
  assert.deepEqual(await other.evaluate(storedIds), [id]);
  await other.evaluate(async () => globalThis.store.forget((await globalThis.store.tasks(globalThis.media))[0]));
  assert.deepEqual(await page.evaluate(storedIds), []);
});

test("a store that cannot store a task still returns it, and reports the error", async (t) => {
  const { page } = await open(t);
  await page.evaluate(() => globalThis.store.close());
  assert.match(await page.evaluate(create), /./);
  assert.equal((await page.evaluate(() => globalThis.failures)).length, 1);
});
