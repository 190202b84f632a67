// How a page in Chromium comes to know of its tasks, from the gateway as it runs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { suite } from "./support/suite.mjs";

const suited = suite();
const open = async (t) => {
  const { page } = await suited.visit(t, await suited.project(t, "page", "plain"), { path: "/store.html" });
  await page.waitForFunction(() => globalThis.outcome === "ready");
  const asked = [];
  page.on("request", (it) => asked.push(`${it.method()} ${new URL(it.url()).pathname.split("/").slice(4).join("/")}`));
  return { page, asked };
};
const named = (asked, word) => asked.filter((it) => it.includes(word)).length;

test("everybody in the page who waits for a task shares one stream, and nothing is polled", async (t) => {
  const { page, asked } = await open(t);
  const seen = await page.evaluate(async () => {
    const task = await globalThis.media.textToImageTurbo({ prompt: "a paper boat" });
    const again = () => globalThis.media.task(JSON.parse(JSON.stringify(task)));
    const states = async (it) => {
      const list = [];
      for await (const update of it) list.push(update.state);
      return list;
    };
    const done = Array.from({ length: 10 }, () => again().done());
    const lists = await Promise.all([states(task), states(again())]);
    return { lists, ends: (await Promise.all(done)).map((it) => it.outputs.length) };
  });
  assert.ok(seen.lists.every((it) => it.at(-1) === "SUCCEEDED"), JSON.stringify(seen.lists));
  assert.deepEqual(seen.ends, Array(10).fill(1));
  assert.deepEqual([named(asked, "/events"), named(asked, "GET generate/tasks")], [1, 0], asked.join("\n"));
});

test("where the stream is cut off, the task is followed to its end all the same", async (t) => {
  const { page, asked } = await open(t);
  let cut = 0;
  await page.route("**/events", (route) => ((cut += 1) === 1 ? route.abort("connectionreset") : route.continue()));
  const state = await page.evaluate(async () => {
    const task = await globalThis.media.textToImageTurbo({ prompt: "a paper boat" });
    return (await task.done()).state;
  });
  assert.equal(state, "SUCCEEDED");
  assert.ok(named(asked, "/events") >= 1 && named(asked, "GET generate/tasks") >= 1, asked.join("\n"));
});

test("many tasks at once leave the browser connections for everything else", async (t) => {
  const { page } = await open(t);
  const states = await page.evaluate(async () => {
    const tasks = await Promise.all(
      Array.from({ length: 12 }, () => globalThis.media.textToImageTurbo({ prompt: "a paper boat" })),
    );
    return Promise.all(tasks.map(async (it) => (await it.done()).state));
  });
  assert.deepEqual(states, Array(12).fill("SUCCEEDED"));
});

test("a create whose answer is lost on its way is made once, and found", async (t) => {
  const { page } = await open(t);
  const answers = [];
  await page.route("**/generate/image/**", async (route) => {
    const answer = await route.fetch();
    answers.push({ id: (await answer.json()).data.task.id, replayed: answer.headers()["idempotent-replayed"] });
    await (answers.length === 1 ? route.abort("connectionreset") : route.fulfill({ response: answer }));
  });
  const id = await page.evaluate(async () => (await globalThis.media.textToImageTurbo({ prompt: "a paper boat" })).id);
  assert.deepEqual(answers, [{ id, replayed: undefined }, { id, replayed: "true" }]);
});
