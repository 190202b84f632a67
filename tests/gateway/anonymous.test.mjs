// Callers without an account share limits in all their sessions: creates, tasks in flight, uploads
// and estimates.
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { folder } from "../support/folder.mjs";
import { sessionToken } from "../support/session.mjs";
import { startWorld, TURBO, taskResponse } from "../support/world.mjs";

const ORIGIN = "https://app.example.com";
const ANONYMOUS = {
  ANONYMOUS_SESSIONS: "on",
  ALLOWED_ORIGINS: ORIGIN,
  ANONYMOUS_SCOPE: "text_to_image_turbo upload",
};

let made = 0;
const running = () => taskResponse("RUNNING", `task-${++made}`);
const rejected = () => ({
  json: { code: 1401, message: "insufficient credits" },
});

/**
 * Starts a gateway for sessions without an account, and an upstream that answers creates with
 * `create`, and has upload URLs and estimates.
 */
async function start(settings, create, options) {
  const { upstream, gateway, api } = await startWorld(
    (seen) => {
      if (seen.path.endsWith("/upload_urls")) {
        return {
          json: {
            code: 0,
            data: {
              upload_url: `${upstream.url}/put/1`,
              file_id: `f${++made}`,
            },
          },
        };
      }
      if (seen.path.endsWith("/estimate"))
        return { json: { code: 0, data: { credits: 3 } } };
      return create(seen);
    },
    { ...ANONYMOUS, ...settings },
    options,
  );
  const post = (path, body, bearer, key) =>
    api(path, { body, bearer, headers: key && { "idempotency-key": key } });
  const open = () => sessionToken(gateway.url, ORIGIN);
  /** Sends one request in each of `count` new sessions. */
  const each = async (count, path, body) => {
    const sessions = await Promise.all(Array.from({ length: count }, open));
    return Promise.all(sessions.map((bearer) => post(path, body, bearer)));
  };
  const creates = () =>
    upstream.seen.filter(({ path }) => path.endsWith(TURBO)).length;
  return { upstream, gateway, api, post, open, each, creates };
}

const draw = { prompt: "p" };
const upload = (size) => ({
  file_name: "a.png",
  content_type: "image/png",
  size,
});
const statuses = (replies) => replies.map((reply) => reply.status).sort();
/** Returns the limit that a refusal names. */
const limitOf = ({ data }) => data.limit;

for (const [what, settings] of Object.entries({
  "the pool refuses": { ANONYMOUS_BUDGET: "1" },
  "no budget allows": {
    ANONYMOUS_BUDGET: "20",
    DEFAULT_BUDGET: '{"creates":0}',
  },
})) {
  test(`a create that ${what} starts no ledger`, async (t) => {
    const state = await folder(t);
    const ledgers = async () =>
      (await readdir(state, { recursive: true })).filter((path) =>
        /Ledger.*\.sqlite$/.test(path),
      ).length;
    const { each, creates } = await start(settings, running, { state });
    // The first one starts the pool.
    await each(1, TURBO, draw);
    const before = await ledgers();
    const sent = creates();
    for (const reply of await each(10, TURBO, draw)) {
      assert.equal(limitOf(reply), "creates");
      assert.equal(reply.data.outcome, "not_sent");
    }
    assert.equal(creates(), sent);
    assert.equal(await ledgers(), before);
  });
}

test("a stored outcome is replayed after the pool is used up", async () => {
  const { open, post, creates } = await start(
    { ANONYMOUS_BUDGET: "1" },
    running,
  );
  const bearer = await open();
  const first = await post(TURBO, draw, bearer, "key");
  assert.equal(first.status, 200);
  const again = await post(TURBO, draw, bearer, "key");
  assert.deepEqual(
    [again.status, again.headers.get("idempotent-replayed")],
    [200, "true"],
  );
  assert.equal(again.data.task.id, first.data.task.id);
  assert.equal(limitOf(await post(TURBO, draw, bearer, "other")), "creates");
  assert.equal(creates(), 1);
});

test("sessions share the tasks in flight, and the end of a task frees its slot for all", async () => {
  const { upstream, api, open, each, post } = await start(
    { MAX_TASKS_IN_FLIGHT: "2" },
    running,
  );
  const bearer = await open();
  const { data } = await post(TURBO, draw, bearer);
  assert.equal((await post(TURBO, draw, await open())).status, 200);
  for (const reply of await each(5, TURBO, draw)) {
    assert.equal(limitOf(reply), "in_flight");
  }
  upstream.respond = () => taskResponse("SUCCEEDED");
  const path = `generate/tasks/${data.task.id}`;
  const status = await api(path, { bearer });
  assert.equal(status.data.task.state, "SUCCEEDED");
  upstream.respond = running;
  assert.deepEqual(statuses(await each(3, TURBO, draw)), [200, 429, 429]);
});

test("while creates are under way, a refusal says to retry soon, and creates that upstream rejects stop counting", async () => {
  let release = (_) => {};
  const waiting = new Promise((resolve) => {
    release = resolve;
  });
  const respond = () => waiting;
  const { upstream, each, open, post, creates } = await start(
    { ANONYMOUS_BUDGET: "3" },
    respond,
  );
  const pending = each(3, TURBO, draw);
  while (creates() < 3) await sleep(10);
  const victim = await post(TURBO, draw, await open());
  assert.equal(limitOf(victim), "creates");
  const seconds = Number(victim.headers.get("retry-after"));
  assert.ok(seconds >= 1 && seconds <= 60, `${seconds} s`);
  release(rejected());
  assert.deepEqual(statuses(await pending), [402, 402, 402]);
  upstream.respond = running;
  assert.deepEqual(statuses(await each(4, TURBO, draw)), [200, 200, 200, 429]);
  const late = await post(TURBO, draw, await open());
  assert.ok(
    Number(late.headers.get("retry-after")) > 3600,
    "those that were charged count for a day",
  );
});

test("without a budget for creates there are no uploads and no estimates", async () => {
  const { upstream, each } = await start({ ANONYMOUS_BUDGET: "0" }, running);
  for (const reply of await each(20, "upload_urls", upload(5 << 20))) {
    assert.equal(limitOf(reply), "uploads");
    assert.equal(
      reply.headers.get("retry-after"),
      null,
      "waiting does not help",
    );
  }
  const estimate = { capability: "text_to_image_turbo", input: draw };
  for (const reply of await each(10, "credits/estimate", estimate)) {
    assert.equal(limitOf(reply), "estimates");
  }
  assert.equal(limitOf((await each(1, TURBO, draw))[0]), "creates");
  assert.deepEqual(upstream.seen, []);
});

test("uploads, their bytes and estimates are counted for all sessions together", async () => {
  const { each } = await start(
    {
      ANONYMOUS_UPLOADS: "4",
      ANONYMOUS_UPLOAD_BYTES: "1000",
      ANONYMOUS_ESTIMATES: "2",
    },
    running,
  );
  assert.equal(
    limitOf((await each(1, "upload_urls", upload(1001)))[0]),
    "upload_bytes",
  );
  assert.deepEqual(
    statuses(await each(2, "upload_urls", upload(400))),
    [200, 200],
  );
  assert.equal(
    limitOf((await each(1, "upload_urls", upload(201)))[0]),
    "upload_bytes",
  );
  assert.deepEqual(
    statuses(await each(5, "upload_urls", upload(1))),
    [200, 200, 429, 429, 429],
  );
  const estimate = { capability: "text_to_image_turbo", input: draw };
  assert.deepEqual(
    statuses(await each(4, "credits/estimate", estimate)),
    [200, 200, 429, 429],
  );
  assert.equal(
    (await each(1, TURBO, draw))[0].status,
    200,
    "creates have a budget of their own",
  );
});

test("each use of a relay's ticket counts as an upload, with its bytes", async () => {
  const { open, post, api, upstream } = await start(
    {
      UPLOAD_MODE: "relay",
      ANONYMOUS_UPLOADS: "3",
      ANONYMOUS_UPLOAD_BYTES: "25",
    },
    running,
  );
  const bearer = await open();
  const tooLarge = await post("upload_urls", upload(26), bearer);
  assert.equal(limitOf(tooLarge), "upload_bytes", "it is refused at once");
  const { data } = await post("upload_urls", upload(10), bearer);
  const put = (path, body) => api(path, { method: "PUT", body, bearer });
  const stored = () =>
    upstream.seen.filter(({ method }) => method === "PUT").length;
  // The first response may have been lost, so the client sends the file again.
  for (const _ of [1, 2])
    assert.equal((await put(data.upload_path, "0123456789")).status, 200);
  const refused = await put(data.upload_path, "0123456789");
  assert.deepEqual([refused.status, limitOf(refused)], [429, "upload_bytes"]);
  const small = (await post("upload_urls", upload(1), bearer)).data;
  assert.equal((await put(small.upload_path, "x")).status, 200);
  const used = await put(small.upload_path, "x");
  assert.deepEqual([used.status, limitOf(used)], [429, "uploads"]);
  assert.equal(stored(), 3);
});
