// Values of callers that are unusual, such as options that inherit a hook.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { failure, mediagate } from "./support/client.mjs";

const ended = () => Response.json(mediagate.record("SUCCEEDED"));
const models = () => Response.json({ code: 0, data: { models: [] } });

async function client() {
  const seen = mediagate.gateway({
    "GET models": models,
    "GET tasks/": ended,
    "GET process/tasks": ended,
  });
  return { seen, media: await mediagate.connect(seen.options) };
}

test("saved tasks that are objects around tasks keep their ids", async () => {
  const { seen, media } = await client();
  class Job {
    constructor(id) {
      this.task = media.task({ id, capability: "split_video" });
    }
    capability = "split_video";
    get id() {
      return this.task.toJSON().id;
    }
  }
  const ids = Array.from({ length: 100 }, (_, index) => `t${index}`);
  const tasks = ids.map((id) => media.task(new Job(id)));
  assert.deepEqual(
    tasks.map((it) => it.id),
    ids,
  );
  await media.models();
  assert.deepEqual(seen.lines, ["GET models"]);
});

test("a method that lost its object fails by itself", async () => {
  const { media } = await client();
  const { models, task } = media;
  const running = media.models();
  await assert.rejects(models(), TypeError);
  assert.throws(
    () => [{ id: "t", capability: "split_video" }].map(task),
    TypeError,
  );
  await running;
});

test("a response whose headers are anything fails its own call alone", async () => {
  const odd = (value) => async () =>
    Object.assign(Response.json({ code: 0, data: {} }), {
      headers: { get: () => value },
    });
  const { media } = await client();
  for (const value of [Symbol("x"), Object.create(null), {}, 5, "1e400"]) {
    const other = await mediagate.connect({
      url: "https://odd.test",
      token: "t",
      fetch: odd(value),
    });
    const [, mine] = await Promise.allSettled([
      other.models({ timeout: 500 }),
      media.models(),
    ]);
    assert.equal(mine.status, "fulfilled", typeof value);
  }
});

test("hooks count where the options inherit them", async () => {
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

test("an abort while the input or the options are read stops the create", async () => {
  const { seen, media } = await client();
  const aborting = (name) => {
    const controller = new AbortController();
    const aborts = {
      get [name]() {
        controller.abort();
        return "p";
      },
    };
    return [aborts, controller.signal];
  };
  const [input, signal] = aborting("prompt");
  const error = await failure(media.textToImage(input, { signal }));
  assert.deepEqual(
    [error.code, error.outcome, seen.lines],
    ["aborted", "not_sent", []],
  );
  const fires = {
    aborted: false,
    addEventListener: (_, listener) => listener(),
    removeEventListener() {},
  };
  assert.equal(
    (
      await failure(
        media.textToImage(
          { prompt: "p" },
          { signal: /** @type {any} */ (fires) },
        ),
      )
    ).code,
    "aborted",
  );
  assert.deepEqual(seen.lines, []);
});

test("a listener of a request's signal may call the client", async () => {
  let [notified, controller] = ["", new AbortController()];
  const media = await mediagate.connect({
    url: "https://slow.test",
    token: "t",
    fetch: (_, { signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener("abort", () => {
          notified = media.task({ id: "t", capability: "split_video" }).id;
          reject(signal.reason);
        });
      }),
  });
  const running = failure(media.models({ signal: controller.signal }));
  await wait(20);
  controller.abort();
  assert.deepEqual([(await running).code, notified], ["aborted", "t"]);
});

test("the data of an error is its details only where it is an object", () => {
  for (const data of ["boom", [1], 5]) {
    const decode = () =>
      mediagate.decodeEnvelope(
        400,
        JSON.stringify({ code: 1, message: "x", data }),
      );
    assert.throws(
      decode,
      (/** @type {any} */ error) => assert.deepEqual(error.details, {}) ?? true,
    );
  }
});
