// A page in Chromium receives updates of its tasks from a running gateway.
import assert from "node:assert/strict";
import { test } from "node:test";
import { forward } from "../support/forward.mjs";
import { suite } from "./support/suite.mjs";

const suited = suite();
const open = async (t) => {
  const visit = await suited.visit(
    t,
    await suited.project(t, "page", "plain"),
    { path: "/store.html" },
  );
  const page = visit.page.playwright;
  assert.ok(page, "these tests break connections, which needs Chromium");
  assert.equal(visit.outcome, "ready");
  const requests = [];
  page.on("request", (request) =>
    requests.push(
      `${request.method()} ${new URL(request.url()).pathname.split("/").slice(4).join("/")}`,
    ),
  );
  return { page, requests };
};
const count = (requests, word) =>
  requests.filter((request) => request.includes(word)).length;

test("all waits for a task in a page share one stream, and the page does not poll", async (t) => {
  const { page, requests } = await open(t);
  const seen = await page.evaluate(async () => {
    const task = await globalThis.media.textToImageTurbo({
      prompt: "a paper boat",
    });
    const again = () =>
      globalThis.media.tasks.restore(JSON.parse(JSON.stringify(task)));
    const states = async (updates) => {
      const list = [];
      for await (const update of updates) list.push(update.state);
      return list;
    };
    const done = Array.from({ length: 10 }, () => again().done());
    const lists = await Promise.all([states(task), states(again())]);
    return {
      lists,
      ends: (await Promise.all(done)).map((task) => task.outputs.length),
    };
  });
  assert.ok(
    seen.lists.every((list) => list.at(-1) === "SUCCEEDED"),
    JSON.stringify(seen.lists),
  );
  assert.deepEqual(seen.ends, Array(10).fill(1));
  assert.deepEqual(
    [count(requests, "/events"), count(requests, "GET generate/tasks")],
    [1, 0],
    requests.join("\n"),
  );
});

test("if the stream breaks, the task is still followed until it ends", async (t) => {
  const { page, requests } = await open(t);
  let cut = 0;
  await page.route("**/events", (route) =>
    ++cut === 1 ? route.abort("connectionreset") : route.continue(),
  );
  const state = await page.evaluate(async () => {
    const task = await globalThis.media.textToImageTurbo({
      prompt: "a paper boat",
    });
    return (await task.done()).state;
  });
  assert.equal(state, "SUCCEEDED");
  assert.ok(
    count(requests, "/events") >= 1 &&
      count(requests, "GET generate/tasks") >= 1,
    requests.join("\n"),
  );
});

test("many tasks at once leave connections of the browser for other requests", async (t) => {
  const { page } = await open(t);
  const states = await page.evaluate(async () => {
    const tasks = await Promise.all(
      Array.from({ length: 12 }, () =>
        globalThis.media.textToImageTurbo({ prompt: "a paper boat" }),
      ),
    );
    return Promise.all(tasks.map(async (task) => (await task.done()).state));
  });
  assert.deepEqual(states, Array(12).fill("SUCCEEDED"));
});

test("a create whose response is lost is repeated with its key, and creates one task", async (t) => {
  const { page } = await open(t);
  const responses = [];
  await page.route("**/generate/image/**", async (route) => {
    const response = await forward(route);
    responses.push({
      id: (await response.json()).data.task.id,
      replayed: response.headers()["idempotent-replayed"],
    });
    await (responses.length === 1
      ? route.abort("connectionreset")
      : route.fulfill({ response }));
  });
  const id = await page.evaluate(
    async () =>
      (await globalThis.media.textToImageTurbo({ prompt: "a paper boat" })).id,
  );
  assert.deepEqual(responses, [
    { id, replayed: undefined },
    { id, replayed: "true" },
  ]);
});
