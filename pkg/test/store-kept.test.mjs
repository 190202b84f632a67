// Failures that may pass, in Node with an IndexedDB in memory: a stored create and its files stay.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { failure, mediagate, ok } from "./support/client.mjs";
import {
  brokenStorage,
  changeRows,
  file,
  kept,
  lendLocks,
  lendTabLocks,
  never,
} from "./support/store.mjs";

const DAY_MS = 86_400_000;

test("a create that fails offline stays with its file, also if it is resumed offline", async (t) => {
  const { state, routes } = brokenStorage();
  const { media, page } = await kept(t, routes);
  const error = await failure(
    media.backgroundRemoval({ file_id: file("photo") }),
    "upload_failed",
    "not_sent",
  );
  for (const _ of [1, 2]) {
    const { store, media } = await page();
    const [create] = await store.creates(media);
    assert.deepEqual(
      [create.idempotencyKey, create.mayBeCharged, create.resumable],
      [error.idempotencyKey, false, true],
    );
    await failure(create.resume(), "upload_failed", "not_sent");
  }
  state.isBroken = false;
  const { store, media: later } = await page();
  const [create] = await store.creates(later);
  assert.equal((await create.resume()).id, "k");
  assert.equal(state.text, "photo");
  assert.deepEqual(await store.creates(later), []);
});

for (const [what, response, isKept] of /** @type {any[]} */ ([
  [
    "a rate limit",
    [429, 16, { reason: "rate_limit", outcome: "not_sent" }],
    true,
  ],
  [
    "a used-up budget",
    [429, 16, { reason: "budget", outcome: "not_sent" }],
    true,
  ],
  ["an ended session", [401, 13, { outcome: "not_sent" }], true],
  ["a busy gateway", [503, 99, { outcome: "not_sent" }], true],
  ["a portal's page", [403, undefined], true],
  ["an invalid input", [400, 12, { outcome: "not_sent" }], false],
  [
    "a scope that is missing",
    [403, 13, { reason: "scope", outcome: "not_sent" }],
    false,
  ],
  ["too few credits", [402, 1401, { outcome: "rejected" }], false],
  ["an unknown model", [400, 1410, { outcome: "rejected" }], false],
])) {
  test(`a create stays stored after ${what}: ${isKept}`, async (t) => {
    const { media, store, seen } = await kept(t, {
      "POST generate": async () => {
        const [status, code, data] = response;
        return code === undefined
          ? new Response("<h1>portal</h1>", { status })
          : Response.json({ code, message: "no", data }, { status });
      },
    });
    const error = await failure(media.textToImage({ prompt: "p" }));
    const creates = await store.creates(media);
    assert.equal(creates.length, isKept ? 1 : 0);
    assert.equal(
      creates[0]?.idempotencyKey,
      isKept ? error.idempotencyKey : undefined,
    );
    if (isKept) assert.equal(creates[0].mayBeCharged, false);
    assert.ok(seen.lines.length > 0);
  });
}

test("a new create that is aborted before it was sent is forgotten, and a resumed one is not", async (t) => {
  lendTabLocks(t);
  const { media, store, seen } = await kept(t, { "POST upload_urls": never });
  const aborts = [new AbortController(), new AbortController()];
  const first = media.backgroundRemoval(
    { file_id: file("x") },
    { signal: aborts[0].signal },
  );
  await wait(30);
  aborts[0].abort();
  await failure(first, "aborted", "not_sent");
  assert.deepEqual(await store.creates(media), []);

  await failure(
    media.backgroundRemoval({ file_id: file("x") }, { timeout: 30 }),
    "timeout",
    "not_sent",
  );
  const [create] = await store.creates(media);
  const resumed = create.resume({ signal: aborts[1].signal });
  await wait(30);
  aborts[1].abort();
  await failure(resumed, "aborted", "not_sent");
  assert.equal((await store.creates(media)).length, 1);
  assert.ok(seen.lines.every((line) => line === "POST upload_urls"));
});

/** A lock that another tab holds. */
const HELD = {
  query: async () => ({ held: [] }),
  request: (_name, { signal }) =>
    new Promise((_, reject) =>
      signal.addEventListener("abort", () => reject(signal.reason)),
    ),
};

test("a wait for another tab ends with the timeout, and nothing is deleted or sent", async (t) => {
  const { state, routes } = brokenStorage();
  const { media, store, seen } = await kept(t, routes);
  await failure(media.backgroundRemoval({ file_id: file("x") }));
  state.isBroken = false;
  const [create] = await store.creates(media);
  seen.lines.length = 0;
  lendLocks(t, HELD);
  const start = Date.now();
  await failure(create.resume({ timeout: 50 }), "timeout", "unknown");
  assert.ok(Date.now() - start < 5_000);
  const controller = new AbortController();
  const { signal } = controller;
  setTimeout(() => controller.abort(), 30);
  await failure(create.resume({ signal }), "aborted", "unknown");
  assert.deepEqual(seen.lines, []);
  assert.equal((await store.creates(media)).length, 1);
});

test("a file that the gateway no longer holds is uploaded again", async (t) => {
  let files = 0;
  let isLate = true;
  const { media, store, seen, name, page } = await kept(t, {
    "POST upload_urls": () =>
      ok({ file_id: `f-${++files}`, upload_url: "https://storage.test/put" }),
    "PUT ": async (_, { body }) => {
      if (isLate && body.type === "audio/mpeg") throw new TypeError("lost");
      return new Response("");
    },
  });
  const input = {
    video_file_id: file("v", "video/mp4"),
    audio_file_id: file("a", "audio/mpeg"),
  };
  await failure(media.addAudioToVideo(input), "upload_failed");
  await wait(50);
  isLate = false;
  const [create] = await store.creates(media);
  const uploaded = Object.values(create.input).filter(
    (value) => typeof value === "string",
  );
  assert.equal(uploaded.length, 1, "one file is uploaded already");
  await changeRows(name, "creates", (row) => ({
    ...row,
    uploads: Object.fromEntries(
      Object.entries(row.uploads).map(([place, upload]) => [
        place,
        { ...upload, at: upload.at - DAY_MS },
      ]),
    ),
  }));
  const later = await page();
  const [old] = await later.store.creates(later.media);
  assert.ok(Object.values(old.input).every((value) => value instanceof Blob));
  seen.bodies.length = 0;
  await old.resume();
  const sent = JSON.parse(seen.bodies.at(-1));
  assert.ok(![sent.video_file_id, sent.audio_file_id].includes(uploaded[0]));
});

test("a create that was first sent late can be repeated for a day from then on", async (t) => {
  const { state, routes } = brokenStorage();
  let isLost = true;
  const { media, store, name } = await kept(t, {
    ...routes,
    "POST process": () => {
      if (isLost) throw new TypeError("lost");
      return Response.json(mediagate.record("PROCESSING"));
    },
  });
  await failure(media.backgroundRemoval({ file_id: file("x") }));
  await changeRows(name, "creates", (row) => ({
    ...row,
    at: row.at - 5 * DAY_MS,
  }));
  state.isBroken = false;
  const [create] = await store.creates(media);
  await failure(create.resume(), "network", "unknown");
  isLost = false;
  const [sent] = await store.creates(media);
  assert.deepEqual([sent.mayBeCharged, sent.resumable], [true, true]);
  assert.equal((await sent.resume()).id, "k");
});

test("a create and its repetition report the progress of all files", async (t) => {
  const { state, routes } = brokenStorage();
  const { media, store, page } = await kept(t, routes);
  const seen = [];
  const onProgress = (progress) => seen.push(progress);
  const input = { input_file_ids: [file("12"), file("345")] };
  input.input_file_ids = input.input_file_ids.map(
    (part) => new File([part], "a.pdf", { type: "application/pdf" }),
  );
  await failure(media.mergePdf(input, { onProgress }), "upload_failed");
  state.isBroken = false;
  const later = await page();
  const [create] = await later.store.creates(later.media);
  await create.resume({ onProgress });
  await wait(10);
  const { files, ...sum } = seen.at(-1);
  assert.deepEqual(sum, { loaded: 5, total: 5 });
  assert.deepEqual(
    files.map(({ file, loaded, total }) => [file.size, loaded, total]),
    [
      [2, 2, 2],
      [3, 3, 3],
    ],
  );
  assert.deepEqual(await store.creates(media), []);
});

test("an option of a stored create that does not exist is refused, and nothing is stored", async (t) => {
  const { media, store, seen } = await kept(t);
  const error = await failure(
    media.textToImage({ prompt: "p" }, { metaData: 1 }),
    "invalid_argument",
    "not_sent",
  );
  assert.deepEqual(
    [error.message, error.hint],
    ["there is no option metaData here", "did you mean metadata?"],
  );
  assert.deepEqual([await store.creates(media), seen.lines], [[], []]);
});
