// Callers without an account share limits in all their sessions: creates, tasks in flight, uploads
// and estimates.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { startGateway } from "../support/gateway.mjs";
import { request } from "../support/request.mjs";
import { startUpstream } from "../support/upstream.mjs";

const TURBO = "generate/image/text_to_image_turbo";
const ORIGIN = "https://app.example.com";
const ANONYMOUS = {
  ANONYMOUS_SESSIONS: "on",
  ALLOWED_ORIGINS: ORIGIN,
  ANONYMOUS_SCOPE: "text_to_image_turbo upload",
};

let made = 0;
const running = () => ({
  json: {
    code: 0,
    data: { task: { id: `task-${++made}`, status: "RUNNING" } },
  },
});
const rejected = () => ({
  json: { code: 1401, message: "insufficient credits" },
});

/**
 * Runs a test with a gateway and an upstream that answers creates with `create`, and has upload
 * URLs and estimates.
 */
async function withGateway(settings, create, run, options) {
  const upstream = await startUpstream((seen) => {
    if (seen.path.endsWith("/upload_urls")) {
      return {
        json: {
          code: 0,
          data: { upload_url: `${upstream.url}/put/1`, file_id: `f${++made}` },
        },
      };
    }
    if (seen.path.endsWith("/estimate"))
      return { json: { code: 0, data: { credits: 3 } } };
    return create(seen);
  });
  const gateway = await startGateway(
    { UPSTREAM_BASE_URL: upstream.url, ...ANONYMOUS, ...settings },
    options,
  );
  const post = (path, body, bearer, key) =>
    request(`${gateway.url}/api/app/v1/${path}`, {
      body,
      bearer,
      headers: key && { "idempotency-key": key },
    });
  const open = async () => {
    const headers = { origin: ORIGIN, "x-mediagate": "1" };
    const response = await request(`${gateway.url}/session`, {
      method: "POST",
      bearer: null,
      headers,
    });
    return response.data.session.token;
  };
  /** Sends one request in each of `count` new sessions. */
  const each = async (count, path, body) => {
    const sessions = await Promise.all(Array.from({ length: count }, open));
    return Promise.all(sessions.map((bearer) => post(path, body, bearer)));
  };
  const creates = () =>
    upstream.seen.filter(({ path }) => path.endsWith(TURBO)).length;
  try {
    await run({ upstream, gateway, post, open, each, creates });
  } finally {
    await Promise.all([gateway.stop(), upstream.stop()]);
  }
}

/** Resolves to the gateway's own tables in a database. Node 20 has no SQLite; Python has. */
async function tables(file) {
  const script = `import json, sqlite3, sys
query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*'"
print(json.dumps(sqlite3.connect(sys.argv[1]).execute(query).fetchall()))`;
  return JSON.parse(
    (await promisify(execFile)("python3", ["-c", script, file])).stdout,
  );
}

const draw = { prompt: "p" };
const upload = (size) => ({
  file_name: "a.png",
  content_type: "image/png",
  size,
});
const statuses = (replies) => replies.map((reply) => reply.status).sort();
const refused = ({ status, code, data }) => [
  status,
  code,
  data.reason,
  data.limit,
];

test("a create that the pool refuses starts no ledger", async () => {
  const state = await mkdtemp(join(tmpdir(), "mediagate-state-"));
  const ledgers = async () => {
    const folders = (await readdir(state, { recursive: true })).filter((path) =>
      /Ledger.*\.sqlite$/.test(path),
    );
    return folders.length;
  };
  await withGateway(
    { ANONYMOUS_BUDGET: "1" },
    running,
    async ({ each, creates }) => {
      assert.deepEqual(statuses(await each(1, TURBO, draw)), [200]);
      const before = await ledgers();
      for (const reply of await each(10, TURBO, draw)) {
        assert.deepEqual(refused(reply), [429, 16, "budget", "creates"]);
        assert.equal(reply.data.outcome, "not_sent");
      }
      assert.equal(creates(), 1);
      assert.equal(await ledgers(), before);
    },
    { state },
  );
  await rm(state, { recursive: true });
});

test("a create that upstream rejects leaves nothing in its ledger", async () => {
  const state = await mkdtemp(join(tmpdir(), "mediagate-state-"));
  await withGateway(
    { ANONYMOUS_BUDGET: "5" },
    rejected,
    async ({ each }) => statuses(await each(3, TURBO, draw)),
    {
      state,
    },
  );
  const files = (await readdir(state, { recursive: true })).filter((path) =>
    /Ledger\/[0-9a-f]{64}\.sqlite$/.test(path),
  );
  const sizes = await Promise.all(
    files.map(async (file) => (await tables(join(state, file))).length),
  );
  assert.deepEqual(
    sizes.sort(),
    [0, 0, 0, 6],
    "three empty ledgers, and the pool with its tables",
  );
  await rm(state, { recursive: true });
});

test("a stored outcome is replayed after the pool is used up", () =>
  withGateway(
    { ANONYMOUS_BUDGET: "1" },
    running,
    async ({ open, post, creates }) => {
      const bearer = await open();
      const first = await post(TURBO, draw, bearer, "key");
      assert.equal(first.status, 200);
      const again = await post(TURBO, draw, bearer, "key");
      assert.deepEqual(
        [again.status, again.headers.get("idempotent-replayed")],
        [200, "true"],
      );
      assert.equal(again.data.task.id, first.data.task.id);
      assert.deepEqual(refused(await post(TURBO, draw, bearer, "other")), [
        429,
        16,
        "budget",
        "creates",
      ]);
      assert.equal(creates(), 1);
    },
  ));

test("sessions share the tasks in flight, and the end of a task frees its slot for all", () =>
  withGateway(
    { MAX_TASKS_IN_FLIGHT: "2" },
    running,
    async ({ upstream, gateway, open, each, post }) => {
      const bearer = await open();
      const { data } = await post(TURBO, draw, bearer);
      assert.equal((await post(TURBO, draw, await open())).status, 200);
      for (const reply of await each(5, TURBO, draw)) {
        assert.deepEqual(refused(reply), [429, 16, "budget", "in_flight"]);
      }
      upstream.respond = () => ({
        json: { code: 0, data: { task: { id: "task", status: "SUCCEEDED" } } },
      });
      const status = await request(
        `${gateway.url}/api/app/v1/generate/tasks/${data.task.id}`,
        { bearer },
      );
      assert.equal(status.data.task.state, "SUCCEEDED");
      upstream.respond = running;
      assert.deepEqual(statuses(await each(3, TURBO, draw)), [200, 429, 429]);
    },
  ));

test("ANONYMOUS_TASKS_IN_FLIGHT limits all sessions together, MAX_TASKS_IN_FLIGHT each one", () =>
  withGateway(
    { MAX_TASKS_IN_FLIGHT: "1", ANONYMOUS_TASKS_IN_FLIGHT: "3" },
    running,
    async ({ open, post, each }) => {
      const bearer = await open();
      assert.equal((await post(TURBO, draw, bearer)).status, 200);
      assert.deepEqual(refused(await post(TURBO, draw, bearer)), [
        429,
        16,
        "budget",
        "in_flight",
      ]);
      assert.deepEqual(
        statuses(await each(5, TURBO, draw)),
        [200, 200, 429, 429, 429],
      );
    },
  ));

test("while creates are under way, a refusal says to retry soon, and creates that upstream rejects stop counting", () => {
  let release = (_) => {};
  const waiting = new Promise((resolve) => {
    release = resolve;
  });
  const respond = () => waiting;
  return withGateway(
    { ANONYMOUS_BUDGET: "3" },
    respond,
    async ({ upstream, each, open, post, creates }) => {
      const pending = each(3, TURBO, draw);
      while (creates() < 3)
        await new Promise((resolve) => setTimeout(resolve, 10));
      const victim = await post(TURBO, draw, await open());
      assert.deepEqual(refused(victim), [429, 16, "budget", "creates"]);
      const seconds = Number(victim.headers.get("retry-after"));
      assert.ok(seconds >= 1 && seconds <= 60, `${seconds} s`);
      release(rejected());
      assert.deepEqual(statuses(await pending), [402, 402, 402]);
      upstream.respond = running;
      assert.deepEqual(
        statuses(await each(4, TURBO, draw)),
        [200, 200, 200, 429],
      );
      const late = await post(TURBO, draw, await open());
      assert.ok(
        Number(late.headers.get("retry-after")) > 3600,
        "those that were charged count for a day",
      );
    },
  );
});

test("without a budget for creates there are no uploads and no estimates", () =>
  withGateway(
    { ANONYMOUS_BUDGET: "0" },
    running,
    async ({ upstream, each }) => {
      for (const reply of await each(20, "upload_urls", upload(5 << 20))) {
        assert.deepEqual(refused(reply), [429, 16, "budget", "uploads"]);
        assert.equal(
          reply.headers.get("retry-after"),
          null,
          "waiting does not help",
        );
      }
      const estimate = { capability: "text_to_image_turbo", input: draw };
      for (const reply of await each(10, "credits/estimate", estimate)) {
        assert.deepEqual(refused(reply), [429, 16, "budget", "estimates"]);
      }
      assert.deepEqual(refused((await each(1, TURBO, draw))[0]), [
        429,
        16,
        "budget",
        "creates",
      ]);
      assert.deepEqual(upstream.seen, []);
    },
  ));

test("uploads, their bytes and estimates are counted for all sessions together", () =>
  withGateway(
    {
      ANONYMOUS_UPLOADS: "4",
      ANONYMOUS_UPLOAD_BYTES: "1000",
      ANONYMOUS_ESTIMATES: "2",
    },
    running,
    async ({ each }) => {
      assert.deepEqual(
        refused((await each(1, "upload_urls", upload(1001)))[0]),
        [429, 16, "budget", "upload_bytes"],
      );
      assert.deepEqual(
        statuses(await each(2, "upload_urls", upload(400))),
        [200, 200],
      );
      assert.deepEqual(
        refused((await each(1, "upload_urls", upload(201)))[0]),
        [429, 16, "budget", "upload_bytes"],
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
    },
  ));

test("a rate limit is required unless the upstream is on this machine", async () => {
  const settings = {
    UPSTREAM_BASE_URL: "https://upstream.example",
    ...ANONYMOUS,
    ANONYMOUS_BUDGET: "5",
  };
  for (const [
    more,
    status,
  ] of /** @type {[Record<string, string>, number][]} */ ([
    [{}, 500],
    [{ RATE_LIMIT_PER_MINUTE: "0" }, 500],
    [{ RATE_LIMIT_PER_MINUTE: "60" }, 200],
  ])) {
    const gateway = await startGateway({ ...settings, ...more });
    const reply = await request(`${gateway.url}/healthz`, { bearer: null });
    await gateway.stop();
    assert.equal(reply.status, status);
    if (status === 500)
      assert.equal(reply.data.setting, "RATE_LIMIT_PER_MINUTE");
  }
});
