// Stored starts of pipelines, in Node with an IndexedDB in memory. Creates are stored by the same
// code, so these tests have only what differs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { failure, ok, uploadUrl } from "./support/client.mjs";
import {
  brokenStorage,
  file,
  kept,
  lendTabLocks,
  never,
} from "./support/store.mjs";

const PIPELINE = {
  id: "p",
  title: "Film",
  state: "RUNNING",
  created_at: "2026-11-20T09:30:00.000Z",
  resumable: false,
  steps: [],
  outputs: [],
};

/**
 * Makes a browser with a gateway of pipelines. `sent` has the key and the body of each start. Its
 * response is lost while `state.isLost`. Each upload has another id.
 */
async function withPipelines(t, routes = {}) {
  const sent = [];
  const state = { isLost: false, uploads: 0 };
  const found = await kept(t, {
    "POST pipelines": (_, { headers, body }) => {
      const key = new Headers(headers).get("idempotency-key");
      sent.push({ key, body: JSON.parse(body) });
      if (state.isLost) throw new TypeError("lost");
      return ok({ pipeline: PIPELINE });
    },
    "POST upload_urls": () => uploadUrl({ file_id: `f${++state.uploads}` }),
    ...routes,
  });
  return { ...found, sent, state };
}

/** Returns a function that builds three steps, two of which use a file. */
function film(first = file("a"), second = file("b")) {
  return (builder) => {
    const still = builder.textToImage({ prompt: "p" }, { name: "still" });
    builder.imageToVideo({ file_id: first, prompt: "p" });
    builder.omniReferenceToVideo({
      prompt: "p",
      image_file_ids: [still, second],
    });
  };
}

test("a start goes once its pipeline is known, and stores no task", async (t) => {
  const { media, client, store, sent, errors } = await withPipelines(t);
  const states = [];
  const started = await media.pipelines.start(film(), {
    title: "Film",
    metadata: 7,
    onState: async (state) => {
      const [start] = await store.starts(client, { running: true });
      const { status, mayBeCharged, metadata, title } = start;
      states.push([state, status, mayBeCharged, metadata, title]);
    },
  });
  assert.equal(typeof started.resume, "function");
  assert.deepEqual([started.id, started.state], ["p", "RUNNING"]);
  assert.deepEqual(states, [
    ["uploading", "uploading", false, 7, "Film"],
    ["sending", "sending", true, 7, "Film"],
  ]);
  const [{ body }] = sent;
  assert.equal(body.title, "Film");
  assert.deepEqual(body.steps.omni_reference_to_video.input.image_file_ids, [
    { step: "still" },
    "f2",
  ]);
  assert.deepEqual(await store.starts(client, { running: true }), []);
  assert.deepEqual(await store.tasks(client), []);
  assert.deepEqual(errors, []);
});

test("a start whose response is lost is resumed by another page with its key and its ids", async (t) => {
  const { media, seen, sent, state, page } = await withPipelines(t);
  state.isLost = true;
  const error = await failure(
    media.pipelines.start(film(), { title: "Film", metadata: { album: 7 } }),
  );
  assert.equal(error.outcome, "unknown");
  const { store, client } = await page();
  assert.deepEqual(await store.creates(client), [], "it is no create");
  assert.equal(await store.find(client, error.idempotencyKey), undefined);
  const [start] = await store.starts(client);
  assert.deepEqual(
    { ...start, ...{ createdAt: 0, resume: 0, cancel: 0, error: 0 } },
    {
      idempotencyKey: error.idempotencyKey,
      title: "Film",
      steps: [
        { name: "still", capability: "text_to_image", input: { prompt: "p" } },
        {
          name: "image_to_video",
          capability: "image_to_video",
          input: { file_id: "f1", prompt: "p" },
        },
        {
          name: "omni_reference_to_video",
          capability: "omni_reference_to_video",
          input: { prompt: "p", image_file_ids: [{ step: "still" }, "f2"] },
        },
      ],
      mayBeCharged: true,
      resumable: true,
      status: "unknown",
      ...{ createdAt: 0, resume: 0, cancel: 0, error: 0 },
    },
  );
  assert.deepEqual(start.metadata, { album: 7 });
  assert.equal(start.error?.code, error.code);
  state.isLost = false;
  seen.lines.length = 0;
  const started = await start.resume();
  assert.equal(started.id, "p");
  assert.deepEqual(seen.lines, ["POST pipelines"]);
  assert.deepEqual(sent[1], sent[0]);
  assert.deepEqual(await store.starts(client), []);
  const gone = await failure(start.resume(), "invalid_argument");
  assert.equal(gone.outcome, "unknown");
});

test("a start that the caller repeats with its key is sent with the ids of before", async (t) => {
  const { media, seen, sent, state, page } = await withPipelines(t);
  state.isLost = true;
  const options = { idempotencyKey: "once" };
  await failure(media.pipelines.start(film(), options));
  state.isLost = false;
  const { media: other } = await page();
  seen.lines.length = 0;
  await other.pipelines.start(film(), options);
  assert.deepEqual(seen.lines, ["POST pipelines"]);
  assert.deepEqual(sent[1], sent[0]);
});

test("a start is resumed after its page was left during an upload, and uploads only the rest", async (t) => {
  const { state, routes } = brokenStorage();
  const { media, page, sent } = await withPipelines(t, routes);
  const error = await failure(media.pipelines.start(film()), "upload_failed");
  assert.equal(error.outcome, "not_sent");
  const { store, client } = await page();
  const [start] = await store.starts(client);
  assert.deepEqual(
    [start?.status, start?.mayBeCharged, start?.resumable],
    ["interrupted", false, true],
  );
  state.isBroken = false;
  const progress = [];
  await start?.resume({ onProgress: ({ files }) => progress.push(files) });
  assert.equal(progress.at(-1)?.length, 2);
  assert.equal(sent.length, 1);
});

test("a refused start is forgotten, and so is one that is not valid", async (t) => {
  const data = { outcome: "rejected" };
  const refusal = { code: 1401, message: "no credits", data };
  const { media, client, store, seen } = await withPipelines(t, {
    "POST pipelines": () => Response.json(refusal, { status: 400 }),
  });
  await failure(media.pipelines.start(film()), "insufficient_credits");
  assert.deepEqual(await store.starts(client), []);
  seen.lines.length = 0;
  const invalid = await failure(
    media.pipelines.start((builder) => builder.textToImage({})),
    "invalid_input",
  );
  assert.match(invalid.issues[0].path, /^steps\.text_to_image\.input/);
  assert.deepEqual([seen.lines, await store.starts(client)], [[], []]);
  await failure(
    media.pipelines.start(film(), { title: 7 }),
    "invalid_argument",
  );
  await failure(
    media.pipelines.start(film(), { titel: "x" }),
    "invalid_argument",
  );
});

test("a start of another tab is listed, and cancelled before it is sent", async (t) => {
  lendTabLocks(t);
  const { media, client, store, page } = await withPipelines(t, {
    "PUT ": never,
  });
  const start = media.pipelines.start(film());
  const refused = failure(start, "aborted");
  const other = await page();
  const listed = () => other.store.starts(other.client, { running: true });
  while ((await listed()).length === 0);
  assert.deepEqual(await other.store.starts(other.client), []);
  const [running] = await listed();
  assert.equal(running?.status, "uploading");
  await running?.cancel();
  await refused;
  assert.deepEqual(await store.starts(client, { running: true }), []);
});

test("metadata of a start is changed, and a forgotten start leaves nothing", async (t) => {
  const { media, client, store, state, page } = await withPipelines(t);
  state.isLost = true;
  await failure(media.pipelines.start(film(), { metadata: 1 }));
  const { store: other } = await page();
  const [start] = await store.starts(client);
  await other.update(start, () => 2);
  assert.equal((await store.starts(client))[0]?.metadata, 2);
  await store.forget(start);
  assert.deepEqual(await other.starts(client), []);
  await failure(start.resume(), "invalid_argument");
});

test("another user's starts are not listed, and a key is of one kind of call", async (t) => {
  const { media, page, state } = await withPipelines(t);
  state.isLost = true;
  const options = { idempotencyKey: "key" };
  await failure(media.pipelines.start(film(), options));
  const theirs = await page("other");
  assert.deepEqual(await theirs.store.starts(theirs.client), []);
  const mixed = await failure(
    media.textToImage({ prompt: "p" }, options),
    "invalid_argument",
  );
  assert.deepEqual(
    [mixed.message, mixed.outcome],
    ["this key is that of a pipeline", "not_sent"],
  );
});
