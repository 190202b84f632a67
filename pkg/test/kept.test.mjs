// Files that the gateway keeps after the end of a task, and downloads.
import assert from "node:assert/strict";
import { test } from "node:test";
import { client, failure, mediagate, ok } from "./support/client.mjs";

const LASTING = "https://gateway.test/results/1.mp4";
const FIRST = "https://service.test/1.mp4";

const record = (output) =>
  ok({ task: { id: "k", state: "SUCCEEDED", outputs: [output] } });

/** A gateway whose task has ended, and whose file is kept after a number of further reads. */
async function ended(reads, last) {
  let left = reads;
  const found = await client({
    "GET tasks/": () => Response.json({ code: 12 }, { status: 404 }),
    "GET generate/tasks": () =>
      left-- > 0 ? record({ url: FIRST, kept: false }) : record(last),
  });
  const saved = { id: "k", capability: "text_to_image" };
  return { ...found, task: found.media.tasks.restore(saved) };
}

async function until(holds) {
  for (let count = 0; count < 400 && !holds(); count++)
    await new Promise((resolve) => setTimeout(resolve, 25));
  assert.ok(holds());
}

for (const [how, end] of /** @type {any[]} */ ([
  ["awaited", (task) => task.done()],
  ["refreshed", (task) => task.refresh()],
  [
    "iterated",
    async (task) => {
      for await (const _ of task);
    },
  ],
])) {
  test(`the snapshot of a task that was ${how} gets the lasting address of a kept file`, async () => {
    const { task } = await ended(2, { url: LASTING, kept: true });
    await end(task);
    assert.equal(task.outputs[0].kept, false);
    await until(() => task.outputs[0].kept);
    assert.equal(task.outputs[0].url, LASTING);
  });
}

test("a file that is not kept ends the reads", async () => {
  const { task, seen } = await ended(1, {
    url: FIRST,
    kept: false,
    not_kept: "results_full",
  });
  await task.done();
  await until(() => task.outputs[0].notKept === "results_full");
  const count = seen.lines.length;
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  assert.equal(seen.lines.length, count);
});

test("a result of a gateway without a bucket is read once", async () => {
  const { task, seen } = await ended(0, { url: FIRST });
  await task.done();
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const reads = seen.lines.filter((line) => line.includes("generate/tasks"));
  assert.equal(reads.length, 1);
});

/** Gives the process a page whose links record their clicks. */
function page(t, loaded) {
  const clicks = [];
  const own = {
    document: globalThis.document,
    location: globalThis.location,
    fetch,
  };
  t.after(() => Object.assign(globalThis, own));
  Object.assign(globalThis, {
    document: {
      createElement: () => ({
        click() {
          clicks.push([this.href, this.download]);
        },
      }),
    },
    location: new URL("https://app.test/page"),
    fetch: async () => loaded(),
  });
  return clicks;
}

for (const [type, kind, name] of /** @type {any[]} */ ([
  ["video/mp4", "video", "output.mp4"],
  ["video/webm;codecs=vp9", "video", "output.webm"],
  ["video/quicktime", "video", "output.mov"],
  ["audio/mpeg", "audio", "output.mp3"],
  ["audio/mp4", "audio", "output.m4a"],
  ["image/jpeg", "image", "output.jpg"],
  ["image/png", undefined, "output.png"],
  ["application/pdf", "pdf", "output.pdf"],
  ["application/octet-stream", "video", "output.mp4"],
  ["", undefined, "output.bin"],
])) {
  test(`a download of ${type || "no type"} is saved as ${name}`, async (t) => {
    const clicks = page(t, () => new Response(new Blob(["x"], { type })));
    const { task } = await ended(0, { url: FIRST, kind });
    const { outputs } = await task.done();
    await outputs[0].download();
    assert.equal(clicks[0][1], name);
    assert.match(clicks[0][0], /^blob:/);
  });
}

test("a kept file is downloaded from its address, and by another name if one is given", async (t) => {
  const clicks = page(
    t,
    () => new Response(new Blob(["x"], { type: "video/mp4" })),
  );
  const kept = { url: LASTING, kept: true, file_name: "lighthouse.mp4" };
  const { task } = await ended(0, kept);
  const [output] = (await task.done()).outputs;
  await output.download();
  await output.download({ fileName: "mine.mp4" });
  assert.deepEqual(clicks[0], [LASTING, "lighthouse.mp4"]);
  assert.match(clicks[1][0], /^blob:/, "the host's own name would count");
  assert.equal(clicks[1][1], "mine.mp4");
});

test("unknown options of each call are refused", async () => {
  const { media, task, seen } = await ended(0, { url: FIRST });
  const [output] = (await task.done()).outputs;
  const before = seen.lines.length;
  const input = { prompt: "p" };
  for (const [option, call] of /** @type {[string, any][]} */ ([
    ["onProgres", (options) => media.textToImage(input, options)],
    ["fileName", (options) => media.upload(new Blob(["x"]), options)],
    ["limit", (options) => media.models(options)],
    ["retries", (options) => media.ready(options)],
    [
      "idempotencyKey",
      (options) => media.estimate("text_to_image", input, options),
    ],
    ["page", (options) => media.tasks.list(options)],
    ["onProgress", (options) => media.tasks.forget("k", options)],
    ["metadata", (options) => media.pipelines.start(() => {}, options)],
    ["interval", (options) => task.done(options)],
    ["abort", (options) => task.updates(options).next()],
    ["maxRetries", (options) => output.blob(options)],
    [
      "maxRetries",
      (options) => mediagate.validate("text_to_image", {}, options),
    ],
  ])) {
    const error = await failure(call({ [option]: 1 }), "invalid_argument");
    assert.equal(error.message, `there is no option ${option} here`);
    assert.match(error.hint, /^(the options are|did you mean)/);
  }
  assert.equal(seen.lines.length, before);
});
