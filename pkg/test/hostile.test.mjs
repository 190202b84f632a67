// Values of a caller's that run code when they are read, and call the client meanwhile: nothing of another call is touched.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
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

/** Calls that have a result at once, often enough for values that are no longer used to be dropped. */
function callBack() {
  for (let round = 0; round < 40; round++)
    mediagate.validate("split_video", { "https://evil.test": 1, x: 2 });
  mediagate.capabilities();
  mediagate.decodeEnvelope(200, '{"code":0,"data":{}}');
}

test("a saved task whose members call the client while they are read", async () => {
  const { seen, media } = await client();
  const saved = {
    capability: "split_video",
    get id() {
      callBack();
      return "k";
    },
  };
  assert.equal(media.task(saved).id, "k");
  await media.models();
  assert.deepEqual(seen.lines, ["GET models"]);
});

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

test("an input and a name whose members call the client while they are read", async () => {
  const { media } = await client();
  const get = (_, name) => {
    callBack();
    return name === "input_file_id" ? "f" : undefined;
  };
  const getPrototypeOf = () => {
    callBack();
    return null;
  };
  const input = new Proxy(
    {},
    { get, ownKeys: () => ["input_file_id"], getPrototypeOf },
  );
  assert.equal((await failure(media.splitVideo(input))).code, "invalid_input");
  assert.throws(() => mediagate.validate(input, {}), {
    code: "invalid_argument",
  });
  await media.models();
});

test("a file whose type calls the client: the error is the call's own", async () => {
  const file = new File(["x"], "a.mp4");
  Object.defineProperty(file, "type", {
    get() {
      assert.throws(() => mediagate.validate("nope", {}), {
        code: "invalid_argument",
      });
      callBack();
      return "video/mp4";
    },
  });
  const issues = mediagate.validate("split_video", { input_file_id: file });
  assert.deepEqual(
    issues.map((it) => it.path),
    ["segments"],
  );
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

/** A script of its own: an overflow of the stack damages the test runner's own bookkeeping. */
const RECURSION = `
  import { connect } from "mediagate";
  const options = { url: "https://g.test", fetch: async () => new Response('{"code":0,"data":[]}') };
  const media = await connect({ ...options, token: "one" });
  const loop = () => {
    media.models({ timeout: 200 }).catch(() => {});
    loop();
  };
  try {
    loop();
  } catch {}
  await new Promise((done) => setTimeout(done, 100));
  const again = await connect({ ...options, token: "another", timeout: 30000 });
  console.log(JSON.stringify(await again.models({ timeout: 30000 })));
  process.exit();
`;

test("after an endless recursion of the caller's, the client works again", async () => {
  const command = ["--input-type=module", "--eval", RECURSION];
  const { stdout } = await promisify(execFile)(process.execPath, command, {
    cwd: import.meta.dirname,
  });
  assert.equal(stdout.trim(), "[]");
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

test("the table of values is small again after one wide input", async () => {
  const { hold } = await import("../dist/values.js");
  const wide = Object.fromEntries(
    Array.from({ length: 99_990 }, (_, index) => [`k${index}`, 1]),
  );
  const { length } = mediagate.validate("split_video", wide);
  assert.ok(length > 0 && length <= 200, `${length}`);
  for (let round = 0; round < 100; round++)
    mediagate.validate("split_video", {});
  assert.ok(hold({}) < 1000, "every sweep reads the whole table");
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
