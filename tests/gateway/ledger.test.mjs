// Each create is sent at most once, and within a budget. The fake upstream counts the requests that
// reach it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { token } from "../support/token.mjs";
import { isReached } from "../support/upstream.mjs";
import {
  startRestartable,
  startWorld,
  taskResponse,
} from "../support/world.mjs";

let created = 0;
const task = () => taskResponse("QUEUED", `task-${++created}`);
const codeResponse = (code, status = 200) => ({
  status,
  json: { code, message: "m" },
});

/** Returns the part of a response that a replay repeats. */
const strip = ({ headers, text, data, ...rest }) =>
  JSON.stringify({ ...rest, data: { ...data, request_id: undefined } });
const outcome = ({ data }) => [data.reason, data.outcome];
const deferred = () => {
  let resolve;
  return {
    promise: new Promise((resolvePromise) => (resolve = resolvePromise)),
    resolve: (value) => resolve(value),
  };
};

test("a hundred creates with one key are sent once, and all get the same response", async () => {
  const { promise, resolve } = deferred();
  const { upstream, create } = await startWorld(() => promise);
  const all = Array.from({ length: 100 }, () => create("one"));
  await isReached(upstream, ...all);
  resolve(task());
  const responses = await Promise.all(all);
  assert.equal(upstream.seen.length, 1);
  assert.equal(new Set(responses.map(strip)).size, 1);
  assert.equal(responses[0].status, 200);
  assert.equal(
    responses.filter(
      (response) => response.headers.get("idempotent-replayed") === "true",
    ).length,
    99,
  );
  const later = await create("one");
  assert.equal(strip(later), strip(responses[0]));
  assert.equal(later.headers.get("idempotent-replayed"), "true");
  assert.equal(upstream.seen.length, 1);
  assert.equal(
    new Set(responses.map((response) => response.headers.get("x-request-id")))
      .size,
    100,
    "each has its own request id",
  );
});

test("each subject and capability has its own keys, and a key is bound to its body", async () => {
  const { upstream, create } = await startWorld(task);
  assert.equal((await create("k")).status, 200);
  assert.deepEqual(outcome(await create("k", { body: { prompt: "q" } })), [
    "idempotency_key_reused",
    "not_sent",
  ]);
  assert.equal(upstream.seen.length, 1);
  const body = '{ "title": null, "prompt": "p" }';
  const spelled = await create("k", { body });
  assert.equal(spelled.headers.get("idempotent-replayed"), "true");
  assert.equal(
    (await create("k", { bearer: token("bob") })).headers.get(
      "idempotent-replayed",
    ),
    null,
  );
  assert.equal(
    (await create("k", { path: "generate/image/text_to_image" })).headers.get(
      "idempotent-replayed",
    ),
    null,
  );
  assert.equal((await create()).headers.get("idempotent-replayed"), null);
  assert.equal((await create()).headers.get("idempotent-replayed"), null);
  assert.equal(upstream.seen.length, 5);
});

test("a key with invalid characters or length is refused", async () => {
  const { upstream, create } = await startWorld(task);
  for (const key of ["a b", "x".repeat(256), "\u00e9"])
    assert.deepEqual(outcome(await create(key)), [
      "idempotency_key",
      "not_sent",
    ]);
  assert.equal(upstream.seen.length, 0);
  assert.equal((await create("x".repeat(255))).status, 200);
});

test("a rejected create releases its key", async () => {
  const { upstream, create } = await startWorld(task);
  for (const code of [12, 16, 1401]) {
    upstream.respond = () => codeResponse(code);
    const key = `code-${code}`;
    assert.equal((await create(key)).data.outcome, "rejected", key);
    upstream.respond = task;
    const again = await create(key, { body: { prompt: "another" } });
    assert.deepEqual(
      [again.status, again.headers.get("idempotent-replayed")],
      [200, null],
      key,
    );
  }
});

test("a create with an unknown outcome is remembered, and never sent again", async () => {
  const { upstream, create } = await startWorld(task, {
    UPSTREAM_TIMEOUT_MS: "3000",
  });
  const failures = {
    reset: [{ reset: true }, 502, 99],
    html: [{ status: 503, body: "<html>" }, 502, 99],
    "no-task": [{ json: { code: 0, data: {} } }, 502, 99],
    hang: [{ hang: true }, 504, 1405],
    99: [codeResponse(99), 502, 99],
    1404: [codeResponse(1404), 502, 1404],
  };
  for (const [key, [failure, status, code]] of Object.entries(failures)) {
    upstream.seen.length = 0;
    upstream.respond = () => failure;
    const first = await create(key);
    assert.deepEqual(
      [first.status, first.code, ...outcome(first)],
      [status, code, "outcome_unknown", "unknown"],
      key,
    );
    assert.ok(first.data.cause, "the cause is stated too");
    upstream.respond = task;
    const again = await create(key);
    assert.equal(strip(again), strip(first));
    assert.equal(again.headers.get("idempotent-replayed"), "true");
    assert.equal(upstream.seen.length, 1, key);
  }
});

test("a caller who disconnects during a create gets its response later", async () => {
  const { promise, resolve } = deferred();
  const { upstream, create } = await startWorld(() => promise);
  const controller = new AbortController();
  const aborted = create("gone", { signal: controller.signal });
  await isReached(upstream, aborted);
  controller.abort();
  await assert.rejects(aborted);
  resolve(task());
  const replay = await create("gone");
  assert.deepEqual(
    [replay.status, replay.headers.get("idempotent-replayed")],
    [200, "true"],
  );
  assert.equal(upstream.seen.length, 1);
});

test("a gateway killed during a create never sends a second one, and reports an unknown outcome", async (t) => {
  const { upstream, client, restart } = await startRestartable(t, () => ({
    hang: true,
  }));
  const lost = client()
    .create("k")
    .catch(() => ({ status: 0, text: "" }));
  await isReached(upstream, lost);
  await restart();
  assert.notEqual((await lost).status, 200);
  upstream.respond = task;
  for (let index = 0; index < 2; index++) {
    const response = await client().create("k");
    assert.deepEqual(outcome(response), ["outcome_unknown", "unknown"]);
    assert.equal(response.data.cause, "interrupted");
  }
  assert.equal(upstream.seen.length, 1);
  const created = await client().create("another");
  assert.equal(created.status, 200);
  await restart();
  assert.equal(strip(await client().create("another")), strip(created));
  assert.equal(upstream.seen.length, 2);
});

test("a gateway still counts creates and tasks in flight after a kill", async (t) => {
  const { upstream, client, restart } = await startRestartable(t, task, {
    MAX_TASKS_IN_FLIGHT: "3",
  });
  const bearer = token("carol", "generate:* process:*", {
    budget: { creates: 4 },
  });
  const created = [];
  for (const key of ["a", "b"])
    created.push(await client().create(key, { bearer }));
  await restart();
  const { api, create } = client();
  const third = await create("c", { bearer });
  assert.match(
    third.headers.get("ratelimit"),
    /^"creates";r=1;t=\d+, "in_flight";r=0;t=\d+$/,
  );
  assert.equal((await create("d", { bearer })).data.limit, "in_flight");
  upstream.respond = ({ path }) =>
    taskResponse("FAILED", path.split("/").pop());
  await api(`generate/tasks/${created[0].data.task.id}`, { bearer });
  upstream.respond = task;
  assert.equal((await create("d", { bearer })).status, 200);
  assert.equal((await create("e", { bearer })).data.limit, "creates");
  assert.equal(
    (await create("a", { bearer })).headers.get("idempotent-replayed"),
    "true",
  );
  assert.equal(
    upstream.seen.filter(({ method }) => method === "POST").length,
    4,
  );
});

test("a response too large to store is stored in a short form, and the create is never sent twice", async () => {
  const echo = "x".repeat(3_000_000);
  const { upstream, create } = await startWorld(
    () => taskResponse("QUEUED", "t", { echo }),
    { MAX_RESPONSE_BYTES: String(8 << 20) },
  );
  const first = await create("k");
  assert.equal(first.data.task.echo.length, 3_000_000);
  const again = await create("k");
  assert.deepEqual(
    [again.status, again.data.task.id, again.data.task.state],
    [200, first.data.task.id, "QUEUED"],
  );
  assert.equal(upstream.seen.length, 1);
});

test("a task whose id can't be used in a path is reported as lost", async () => {
  const { upstream, create } = await startWorld(task);
  for (const id of ["..", ".", "x".repeat(10_000)]) {
    upstream.respond = () => taskResponse("QUEUED", id);
    assert.equal((await create()).data.cause, "unusable_id");
  }
});

test("a token's budget holds exactly under fifty creates at once", async () => {
  const { upstream, create } = await startWorld(task);
  const bearer = token("carol", "generate:* process:*", {
    budget: { creates: 7, generate: 5 },
  });
  const responses = await Promise.all(
    Array.from({ length: 50 }, (_, index) => create(`b${index}`, { bearer })),
  );
  assert.equal(
    responses.filter((response) => response.status === 200).length,
    5,
  );
  assert.equal(upstream.seen.length, 5);
  const refused = responses.find((response) => response.status !== 200);
  assert.deepEqual(
    [...outcome(refused), refused.data.limit],
    ["budget", "not_sent", "generate"],
  );
  assert.ok(Number(refused.headers.get("retry-after")) > 86_000);
  assert.equal(
    refused.headers.get("ratelimit-policy"),
    '"creates";q=7;w=86400, "generate";q=5;w=86400',
  );
  assert.match(
    refused.headers.get("ratelimit"),
    /^"creates";r=2;t=\d+, "generate";r=0;t=\d+$/,
  );
  // A rejected create does not count.
  upstream.respond = () => codeResponse(1401);
  const poor = token("dora", "generate:*", { budget: { creates: 1 } });
  for (let index = 0; index < 3; index++)
    assert.equal((await create(`d${index}`, { bearer: poor })).code, 1401);
  upstream.respond = () => ({ reset: true });
  assert.equal((await create("d4", { bearer: poor })).data.outcome, "unknown");
  upstream.respond = task;
  assert.equal((await create("d5", { bearer: poor })).data.reason, "budget");
  assert.equal(
    (await create("d4", { bearer: poor })).data.reason,
    "outcome_unknown",
  );
});

test("tasks in flight are counted until their end is known", async () => {
  const { upstream, api, create } = await startWorld(task, {
    MAX_TASKS_IN_FLIGHT: "2",
  });
  const both = [await create("a"), await create("b")];
  const third = await create("c");
  assert.deepEqual(
    [...outcome(third), third.data.limit],
    ["budget", "not_sent", "in_flight"],
  );
  const status = (state) => (seen) =>
    taskResponse(state, seen.path.split("/").pop());
  upstream.respond = status("RUNNING");
  const path = `generate/tasks/${both[0].data.task.id}`;
  assert.equal((await api(path)).data.task.state, "RUNNING");
  upstream.respond = task;
  assert.equal((await create("c")).status, 429);
  upstream.respond = status("FAILED");
  assert.equal((await api(path)).data.task.state, "FAILED");
  upstream.respond = task;
  assert.equal((await create("c")).status, 200);
  assert.equal((await create("d")).status, 429);
  assert.equal((await create("a", { bearer: token("bob") })).status, 200);
  // A task that has ended in the create's response takes no slot.
  upstream.respond = () => taskResponse("SUCCEEDED");
  for (let index = 0; index < 4; index++)
    assert.equal(
      (await create(`z${index}`, { bearer: token("carl") })).status,
      200,
    );
});
