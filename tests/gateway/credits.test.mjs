// Budgets in credits: the expected price is reserved before a create is sent, and its real cost
// replaces it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { sessionToken } from "../support/session.mjs";
import { token } from "../support/token.mjs";
import { startWorld, taskResponse } from "../support/world.mjs";

const PRICES = JSON.stringify({ text_to_image_turbo: { credits: 3 } });
const UNPRICED = "generate/image/text_to_image";
const ALL = "generate:* process:*";

let created = 0;
const task = (status = "QUEUED", more = {}) =>
  taskResponse(status, `task-${++created}`, more);

/** Starts a gateway with prices, for a caller with so many credits. */
async function start(credits) {
  const world = await startWorld(() => task(), { PRICES });
  const bearer = token(world.subject, ALL, { budget: { credits } });
  const create = (key, options) => world.create(key, { bearer, ...options });
  const api = (path, options) => world.api(path, { bearer, ...options });
  return { ...world, create, api };
}

const posts = ({ seen }) => seen.filter(({ method }) => method === "POST");
const left = (reply) =>
  Number(/"credits";r=(\d+)/.exec(reply.headers.get("ratelimit"))[1]);
const refusal = ({ data }) => [data.reason, data.outcome];

test("64 creates at once never cost more than the budget", async () => {
  const { upstream, create } = await start(10);
  const replies = await Promise.all(
    Array.from({ length: 64 }, (_, number) => create(`key-${number}`)),
  );
  const refused = replies.filter((reply) => reply.status === 429);
  assert.equal(refused.length, 61);
  assert.equal(posts(upstream).length, 3);
  for (const reply of refused) {
    assert.deepEqual(refusal(reply), ["budget", "not_sent"]);
    assert.deepEqual([reply.data.limit, reply.data.left], ["credits", 1]);
  }
  assert.ok(Number(refused[0].headers.get("retry-after")) > 86_000);
  assert.equal(left(refused[0]), 1);
});

test("a repetition costs once, and gets its outcome whatever is left", async () => {
  const { upstream, create } = await start(3);
  const first = await create("key");
  const again = await create("key");
  assert.deepEqual([first.status, left(first)], [200, 0]);
  assert.deepEqual([again.status, left(again)], [200, 0]);
  const cheap = { "idempotency-key": "key", "max-credits": "1" };
  const replayed = await create(undefined, { headers: cheap });
  assert.equal(replayed.headers.get("idempotent-replayed"), "true");
  assert.equal(posts(upstream).length, 1);
});

test("an unknown outcome stays reserved, and a rejected create frees its price", async () => {
  const { upstream, create } = await start(5);
  upstream.respond = () => ({ json: { code: 1401, message: "m" } });
  assert.equal((await create("rejected")).data.outcome, "rejected");
  upstream.respond = () => ({ reset: true });
  assert.equal((await create("unknown")).data.outcome, "unknown");
  upstream.respond = () => task();
  const next = await create("next");
  assert.deepEqual([next.data.limit, next.data.left], ["credits", 2]);
});

test("what a task did cost replaces what it was expected to cost", async () => {
  const { upstream, create, api } = await start(9);
  // Many services report 0 before the end.
  upstream.respond = () => task("QUEUED", { credits: 0 });
  const running = await create("running");
  assert.equal(left(running), 6);
  upstream.respond = ({ path }) =>
    taskResponse("SUCCEEDED", path.split("/").pop(), { credits: 1 });
  await api(`generate/tasks/${running.data.task.id}`);
  upstream.respond = () => task("SUCCEEDED", { credits: 7.5 });
  const dear = await create("dear");
  assert.equal(left(dear), 0);
  const refused = await create("refused");
  assert.deepEqual([refused.data.limit, refused.data.left], ["credits", 0.5]);
  const { data } = await api("tasks");
  assert.deepEqual(
    data.tasks.map((entry) => [entry.expected_credits, entry.credits]),
    [
      [3, 7.5],
      [3, 1],
    ],
  );
});

test("a create without a known price is refused, and never free", async () => {
  const { upstream, create, subject } = await start(9);
  const unknown = await create("key", { path: UNPRICED });
  assert.equal(unknown.status, 422);
  assert.deepEqual(refusal(unknown), ["price_unknown", "not_sent"]);
  assert.equal(upstream.seen.length, 0);
  const unlimited = token(`${subject}-other`, ALL);
  const free = await create("key", { path: UNPRICED, bearer: unlimited });
  assert.equal(free.status, 200, "without a budget, no price is needed");
});

test("Max-Credits refuses a create and a pipeline before they cost", async () => {
  const { upstream, create, send, subject } = await start(100);
  const bearer = token(`${subject}-other`, ALL);
  const withMax = (max) => ({ bearer, headers: { "max-credits": max } });
  for (const [max, reason] of [
    ["2.9", "max_credits"],
    ["two", "max_credits"],
    ["-1", "max_credits"],
  ]) {
    const refused = await create(undefined, withMax(max));
    assert.equal(refused.status, 422, max);
    assert.deepEqual(refusal(refused), [reason, "not_sent"]);
  }
  const refused = await create(undefined, withMax("2.9"));
  assert.equal(refused.data.expected_credits, 3);
  const unknown = { path: UNPRICED, ...withMax("50") };
  const unpriced = await create(undefined, unknown);
  assert.deepEqual(refusal(unpriced), ["price_unknown", "not_sent"]);
  const step = { capability: "text_to_image_turbo", input: { prompt: "p" } };
  const body = { steps: { one: step, two: step } };
  const pipeline = (max) =>
    send("/api/app/v1/pipelines", { ...withMax(max), body });
  const dear = await pipeline("5");
  assert.equal(dear.data.reason, "max_credits", dear.message);
  assert.equal(dear.data.expected_credits, 6);
  assert.equal(upstream.seen.length, 0);
  assert.equal((await create(undefined, withMax("3"))).status, 200);
});

test("anonymous callers share a budget in credits", async () => {
  const origin = "https://app.example.com";
  const { url, create, upstream } = await startWorld(() => task(), {
    PRICES,
    ALLOWED_ORIGINS: origin,
    ANONYMOUS_SESSIONS: "on",
    ANONYMOUS_BUDGET: '{"creates": 20, "credits": 7}',
  });
  const replies = [];
  for (let count = 0; count < 3; count++) {
    const bearer = await sessionToken(url, origin);
    replies.push(await create(undefined, { bearer }));
  }
  assert.deepEqual(
    replies.map((reply) => reply.status),
    [200, 200, 429],
  );
  assert.equal(replies[2].data.limit, "credits");
  assert.equal(posts(upstream).length, 2);
});
