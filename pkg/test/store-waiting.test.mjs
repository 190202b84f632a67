// A stored create that waits for a task in its input.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { failure, mediagate, ok } from "./support/client.mjs";
import { file, kept, never } from "./support/store.mjs";

const CREATE = "POST process/video/video_logo_removal";

/** Begins a create that waits for a task, and uploads a file. */
async function waiting(t, options) {
  const own = await kept(
    t,
    {
      "POST files": () => ok({ file_id: "moved" }),
      "POST process": never,
    },
    options,
  );
  const controller = new AbortController();
  const input = {
    input_video_file_id: own.client.tasks.restore(mediagate.SAVED),
    logo_file_id: file("logo"),
  };
  const { signal } = controller;
  const created = own.media.videoLogoRemoval(input, { signal });
  // The error is expected by some tests, which await it later.
  created.catch(() => {});
  await wait(50);
  assert.ok(own.seen.lines.includes("PUT https://storage.test/put"));
  /** Ends the task. */
  const end = async () => {
    const outputs = [{ url: "https://cdn.test/a.mp4", kind: "video" }];
    const task = { id: "k", state: "SUCCEEDED", outputs };
    const data = JSON.stringify({ code: 0, message: "ok", data: { task } });
    own.seen.streams[0].write(`id: 1\nevent: task\ndata: ${data}\n\n`);
    await wait(50);
  };
  /** Lists the creates as a page that is opened later. */
  const listed = async () => {
    const { store, media } = await own.page();
    return store.creates(media);
  };
  return { ...own, created, controller, end, listed };
}

test("a create may be charged only after the wait", async (t) => {
  const { seen, end, listed } = await waiting(t);
  const [before] = await listed();
  assert.deepEqual([before.mayBeCharged, before.resumable], [false, true]);
  assert.ok(!seen.lines.includes(CREATE));
  await end();
  assert.ok(seen.lines.includes(CREATE));
  const [after] = await listed();
  assert.deepEqual([after.mayBeCharged, after.resumable], [true, true]);
});

test("a create that waits can be resumed, although its file was too large to store", async (t) => {
  const { listed } = await waiting(t, { maxFileBytes: 1 });
  const [create] = await listed();
  assert.deepEqual([create.mayBeCharged, create.resumable], [false, true]);
  assert.equal(create.input.logo_file_id, "f");
});

test("a create that is aborted while it waits is forgotten", async (t) => {
  const { seen, created, controller, listed } = await waiting(t);
  controller.abort();
  await failure(created, "aborted", "not_sent");
  assert.deepEqual(await listed(), []);
  assert.ok(!seen.lines.includes(CREATE));
});

test("a create that is forgotten while it waits is not sent", async (t) => {
  const { seen, store, created, end, listed } = await waiting(t);
  const [create] = await listed();
  await store.forget(create);
  await end();
  const error = await failure(created, "invalid_argument", "unknown");
  assert.match(error.message, /no longer stored/);
  assert.ok(!seen.lines.includes(CREATE));
});

test("an onState that throws for the sending leaves nothing, and for another state ends nothing", async (t) => {
  const { media, store, seen } = await kept(t);
  const states = [];
  const failing = (at) => (state) => {
    states.push(state);
    if (state === at) throw new Error("no");
  };
  const create = (onState) =>
    media.backgroundRemoval({ file_id: file("x") }, { onState });
  const error = await failure(
    create(failing("sending")),
    "aborted",
    "not_sent",
  );
  assert.equal(error.cause.message, "no");
  assert.deepEqual(await store.creates(media), []);
  assert.ok(seen.lines.every((line) => !line.includes("process")));
  await create(failing("uploading"));
  assert.deepEqual(states, ["uploading", "sending", "uploading", "sending"]);
});
