// Unusual calls: wrapped tasks, inherited hooks, and listeners that call the client.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { client, failure, mediagate, notFound } from "./support/client.mjs";

test("a task behind a proxy, and one that is frozen, work", async () => {
  for (const wrap of [(task) => new Proxy(task, {}), Object.freeze]) {
    const { media } = await client({
      "GET tasks/": notFound,
      "GET process/tasks": () => Response.json(mediagate.record("SUCCEEDED")),
    });
    const task = wrap(media.tasks.restore(mediagate.SAVED));
    assert.deepEqual(
      [task.id, task.state, JSON.parse(JSON.stringify(task))],
      ["k", undefined, mediagate.SAVED],
    );
    assert.equal((await task.done()).state, "SUCCEEDED");
    assert.equal((await task.refresh()).state, "SUCCEEDED");
    assert.deepEqual([task.state, task.outputs], ["SUCCEEDED", []]);
    for await (const { state } of task) assert.equal(state, "SUCCEEDED");
  }
});

test("inherited hooks count", async () => {
  const { seen } = await client();
  class Options {
    url = seen.options.url;
    token = "t";
    get fetch() {
      return seen.options.fetch;
    }
  }
  for (const options of [new Options(), Object.create(seen.options)]) {
    seen.lines.length = 0;
    await (await mediagate.connect(options)).models();
    assert.deepEqual(seen.lines, ["GET models"]);
  }
});

test("a listener of a request's signal may call the client and abort calls, and the hooks that follow run", async () => {
  const controllers = [new AbortController(), new AbortController()];
  const [first, second] = controllers;
  const notified = [];
  const logged = [];
  const media = await mediagate.connect({
    url: "https://slow.test",
    token: "t",
    fetch: (_, { signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener("abort", () => {
          notified.push(media.tasks.restore(mediagate.SAVED).id);
          second.abort();
          reject(signal.reason);
        });
      }),
    middleware: (_, next) => next().finally(() => logged.push("middleware")),
    logger: {
      debug: () => assert.fail("no request got a response"),
      warn: () => logged.push("logger"),
    },
  });
  const running = controllers.map(({ signal }) =>
    failure(media.models({ signal })),
  );
  await wait(20);
  first.abort();
  const errors = await Promise.all(running);
  await wait();
  assert.deepEqual(
    errors.map((error) => error.code),
    ["aborted", "aborted"],
  );
  assert.deepEqual(notified, ["k", "k"]);
  assert.deepEqual(logged.toSorted(), [
    "logger",
    "logger",
    "middleware",
    "middleware",
  ]);
});
