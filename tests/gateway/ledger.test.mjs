// Creating at most once, and within a budget: what reaches the service is counted on its side.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { startGateway } from "../support/gateway.mjs";
import { token } from "../support/token.mjs";
import { startUpstream } from "../support/upstream.mjs";

const TURBO = "generate/image/text_to_image_turbo";
const MERGE = "process/asset/merge_pdf";
let made = 0;
const task = () => ({ json: { code: 0, data: { task: { id: `task-${(made += 1)}`, status: "QUEUED" } } } });
const say = (code, status = 200) => ({ status, json: { code, message: "m" } });

function client(gateway) {
  const ask = async (path, { bearer = token(), headers, ...init } = {}) => {
    const response = await fetch(`${gateway.url}/api/app/v1/${path}`, { ...init, headers: { authorization: `Bearer ${bearer}`, ...headers } });
    return { ...(await response.json()), status: response.status, headers: response.headers };
  };
  const create = (key, { bearer, path = TURBO, body = { prompt: "p" }, text = JSON.stringify(body), signal } = {}) =>
    ask(path, { method: "POST", body: text, bearer, signal, headers: key && { "idempotency-key": key } });
  return { ask, create };
}

/** Runs a test against a gateway with these settings and a service that answers so. */
async function withGateway(settings, answer, run) {
  const upstream = await startUpstream(answer);
  const gateway = await startGateway({ UPSTREAM_BASE_URL: upstream.url, UPSTREAM_TIMEOUT_MS: "2000", ...settings });
  try {
    await run({ upstream, gateway, ...client(gateway) });
  } finally {
    await Promise.all([gateway.stop(), upstream.stop()]);
  }
}

const strip = ({ headers, data, ...rest }) => JSON.stringify({ ...rest, data: { ...data, request_id: undefined } });
const outcome = ({ status, code, data }) => [status, code, data.reason, data.outcome];
const gate = () => {
  let open;
  return { opened: new Promise((resolve) => (open = resolve)), open: (it) => open(it) };
};

test("a hundred creates with one key are one, and all are given its answer", () => {
  const { opened, open } = gate();
  return withGateway({}, () => opened, async ({ upstream, create }) => {
    const all = Array.from({ length: 100 }, () => create("one"));
    while (upstream.seen.length === 0) await Promise.race(all.concat(new Promise(setImmediate)));
    open(task());
    const answers = await Promise.all(all);
    assert.equal(upstream.seen.length, 1);
    assert.equal(new Set(answers.map(strip)).size, 1);
    assert.equal(answers[0].status, 200);
    assert.equal(answers.filter((it) => it.headers.get("idempotent-replayed") === "true").length, 99);
    const later = await create("one");
    assert.equal(strip(later), strip(answers[0]));
    assert.equal(later.headers.get("idempotent-replayed"), "true");
    assert.equal(upstream.seen.length, 1);
    assert.equal(new Set(answers.map((it) => it.headers.get("x-request-id"))).size, 100, "each has an id of its own");
  });
});

test("a key is its subject's and its capability's, and its body's alone", () =>
  withGateway({}, task, async ({ upstream, create }) => {
    assert.equal((await create("k")).status, 200);
    assert.deepEqual(outcome(await create("k", { body: { prompt: "q" } })), [422, 12, "idempotency_key_reused", "not_sent"]);
    assert.equal(upstream.seen.length, 1);
    const spelled = await create("k", { body: { prompt: "p" } });
    assert.equal(spelled.headers.get("idempotent-replayed"), "true");
    assert.equal((await create("k", { bearer: token("bob") })).headers.get("idempotent-replayed"), null);
    assert.equal((await create("k", { path: "generate/image/text_to_image" })).headers.get("idempotent-replayed"), null);
    assert.equal((await create()).headers.get("idempotent-replayed"), null);
    assert.equal((await create()).headers.get("idempotent-replayed"), null);
    assert.equal(upstream.seen.length, 5);
  }));

test("a key that no header should be is refused", () =>
  withGateway({}, task, async ({ upstream, create }) => {
    for (const key of ["a b", "x".repeat(256), "\u00e9"]) assert.deepEqual(outcome(await create(key)), [400, 12, "idempotency_key", "not_sent"]);
    assert.equal(upstream.seen.length, 0);
    assert.equal((await create("x".repeat(255))).status, 200);
  }));

test("what charged nothing releases the key", () =>
  withGateway({}, task, async ({ upstream, create }) => {
    for (const code of [12, 13, 16, 1401, 1402, 1403, 1407, 1408, 1409, 1410]) {
      upstream.answer = () => say(code);
      const key = `code-${code}`;
      assert.equal((await create(key)).data.outcome, "rejected", key);
      upstream.answer = task;
      const again = await create(key, { body: { prompt: "another" } });
      assert.deepEqual([again.status, again.headers.get("idempotent-replayed")], [200, null], key);
    }
  }));

test("what may have charged is remembered, and never sent again", () =>
  withGateway({ UPSTREAM_TIMEOUT_MS: "1000" }, task, async ({ upstream, create }) => {
    const ends = {
      reset: [{ reset: true }, 502, 99],
      html: [{ status: 503, body: "<html>" }, 502, 99],
      "no-task": [{ json: { code: 0, data: {} } }, 502, 99],
      hang: [{ hang: true }, 504, 1405],
      99: [say(99), 502, 99],
      1404: [say(1404), 502, 1404],
      1405: [say(1405), 504, 1405],
      4711: [say(4711), 502, 4711],
    };
    for (const [key, [answer, status, code]] of Object.entries(ends)) {
      upstream.seen.length = 0;
      upstream.answer = () => answer;
      const first = await create(key);
      assert.deepEqual(outcome(first), [status, code, "outcome_unknown", "unknown"], key);
      assert.ok(first.data.cause, "what it was is said too");
      upstream.answer = task;
      const again = await create(key);
      assert.equal(strip(again), strip(first));
      assert.equal(again.headers.get("idempotent-replayed"), "true");
      assert.equal(upstream.seen.length, 1, key);
    }
  }));

test("who leaves in the middle finds the answer later", () => {
  const { opened, open } = gate();
  return withGateway({}, () => opened, async ({ upstream, create }) => {
    const leaving = new AbortController();
    const left = create("gone", { signal: leaving.signal });
    while (upstream.seen.length === 0) await Promise.race([left, new Promise(setImmediate)]);
    leaving.abort();
    await assert.rejects(left);
    open(task());
    const answer = await create("gone");
    assert.deepEqual([answer.status, answer.headers.get("idempotent-replayed")], [200, "true"]);
    assert.equal(upstream.seen.length, 1);
  });
});

/** Runs a test over several lives of a gateway, whose ledgers outlive it: `until(run)` is one, and ends with a kill. */
async function withLives(settings, answer, run) {
  const state = await mkdtemp(join(tmpdir(), "mediagate-ledger-"));
  const upstream = await startUpstream(answer);
  // To stop a gateway here is to kill workerd: miniflare sends it SIGKILL.
  const until = async (live) => {
    const gateway = await startGateway({ UPSTREAM_BASE_URL: upstream.url, ...settings }, { state });
    await live(client(gateway)).finally(gateway.stop);
  };
  try {
    await run({ upstream, until });
  } finally {
    await upstream.stop();
    await rm(state, { recursive: true, force: true });
  }
}

test("killed in the middle of a create, it never makes a second one, and says that nobody knows", () =>
  withLives({}, () => ({ hang: true }), async ({ upstream, until }) => {
    let lost;
    await until(async ({ create }) => {
      lost = create("k").catch(() => ({ status: 0 }));
      while (upstream.seen.length === 0) await new Promise(setImmediate);
    });
    assert.notEqual((await lost).status, 200);
    upstream.answer = task;
    let made;
    await until(async ({ create }) => {
      for (let i = 0; i < 2; i++) {
        const answer = await create("k");
        assert.deepEqual(outcome(answer), [502, 99, "outcome_unknown", "unknown"]);
        assert.equal(answer.data.cause, "interrupted");
      }
      assert.equal(upstream.seen.length, 1);
      made = await create("another");
      assert.equal(made.status, 200);
    });
    await until(async ({ create }) => assert.equal(strip(await create("another")), strip(made)));
    assert.equal(upstream.seen.length, 2);
  }));

test("killed, it still counts what was made and what runs", () =>
  withLives({ MAX_TASKS_IN_FLIGHT: "3" }, task, async ({ upstream, until }) => {
    const bearer = token("carol", "generate:* process:*", { budget: { creates: 4 } });
    const made = [];
    await until(async ({ create }) => {
      for (const key of ["a", "b"]) made.push(await create(key, { bearer }));
    });
    await until(async ({ ask, create }) => {
      const third = await create("c", { bearer });
      assert.match(third.headers.get("ratelimit"), /^"creates";r=1;t=\d+, "in_flight";r=0;t=\d+$/);
      assert.equal((await create("d", { bearer })).data.limit, "in_flight");
      upstream.answer = (seen) => ({ json: { code: 0, data: { task: { id: seen.path.split("/").pop(), status: "FAILED" } } } });
      await ask(`generate/tasks/${made[0].data.task.id}`, { bearer });
      upstream.answer = task;
      assert.equal((await create("d", { bearer })).status, 200);
      assert.equal((await create("e", { bearer })).data.limit, "creates");
      assert.equal((await create("a", { bearer })).headers.get("idempotent-replayed"), "true");
    });
    assert.equal(upstream.seen.filter((it) => it.method === "POST").length, 4);
  }));

test("an answer too long to be kept is kept in short, and is never made twice", () => {
  const long = { code: 0, data: { task: { id: "t", status: "QUEUED", echo: "x".repeat(3_000_000) } } };
  return withGateway({ MAX_BODY_BYTES: String(8 << 20) }, () => ({ json: long }), async ({ upstream, create }) => {
    const first = await create("k");
    assert.equal(first.data.task.echo.length, 3_000_000);
    const again = await create("k");
    assert.deepEqual([again.status, again.data.task.id, again.data.task.state], [200, first.data.task.id, "QUEUED"]);
    upstream.answer = () => ({ json: { image_base64: "x".repeat(3_000_000) } });
    assert.equal((await create("r", { path: "generate/image/text_to_image" })).status, 200);
    const lost = await create("r", { path: "generate/image/text_to_image" });
    assert.deepEqual([...outcome(lost), lost.data.cause], [502, 99, "outcome_unknown", "unknown", "answer_too_large"]);
    assert.equal(upstream.seen.length, 2);
  });
});

test("a body means the same however its numbers are written", () =>
  withGateway({}, task, async ({ upstream, create }) => {
    const bodies = ['{"prompt":"p","guidance_scale":1}', '{"guidance_scale":1.0,"prompt":"p"}', '{"prompt":"p","guidance_scale":10e-1}'];
    const answers = [];
    for (const body of bodies) answers.push(await create("n", { path: "generate/image/text_to_image", text: body }));
    assert.ok(answers.every((it) => it.status === 200), JSON.stringify(answers[0]));
    assert.equal(upstream.seen.length, 1);
  }));

test("a slot is freed by its own task alone, whoever reads it", () =>
  withGateway({}, task, async ({ upstream, ask, create }) => {
    const one = token("ann", "generate:* process:*", { budget: { in_flight: 1 } });
    const say = (id, status) => () => ({ json: { code: 0, data: { task: { id, status } } } });
    upstream.answer = say(7, "QUEUED");
    const mine = await create("a", { bearer: one });
    assert.equal((await create("b", { bearer: one })).data.limit, "in_flight");
    upstream.answer = say(7, "SUCCEEDED");
    const free = token("ann");
    await ask(`process/tasks/${mine.data.task.id}`, { bearer: free });
    upstream.answer = say(8, "QUEUED");
    assert.equal((await create("c", { bearer: one })).data.limit, "in_flight", "it is no task of the other group");
    upstream.answer = say(7, "SUCCEEDED");
    assert.equal((await ask(`generate/tasks/${mine.data.task.id}`, { bearer: free })).data.task.state, "SUCCEEDED");
    upstream.answer = say(9, "QUEUED");
    assert.equal((await create("d", { bearer: one })).status, 200);
  }));

test("a task whose id nobody could ask for again is said to be lost", () =>
  withGateway({}, task, async ({ upstream, create }) => {
    for (const id of ["..", ".", "x".repeat(10_000)]) {
      upstream.answer = () => ({ json: { code: 0, data: { task: { id, status: "QUEUED" } } } });
      assert.equal((await create()).data.cause, "unusable_id");
    }
  }));

test("a token's budget holds exactly under fifty creates at once", () =>
  withGateway({}, task, async ({ upstream, create }) => {
    const bearer = token("carol", "generate:* process:*", { budget: { creates: 7, generate: 5 } });
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => create(`b${i}`, { bearer })));
    assert.equal(answers.filter((it) => it.status === 200).length, 5);
    assert.equal(upstream.seen.length, 5);
    const refused = answers.find((it) => it.status !== 200);
    assert.deepEqual([...outcome(refused), refused.data.limit], [429, 16, "budget", "not_sent", "generate"]);
    assert.ok(Number(refused.headers.get("retry-after")) > 86_000);
    assert.equal(refused.headers.get("ratelimit-policy"), '"creates";q=7;w=86400, "generate";q=5;w=86400');
    assert.match(refused.headers.get("ratelimit"), /^"creates";r=2;t=\d+, "generate";r=0;t=\d+$/);
    // What was charged nothing for is given back.
    upstream.answer = () => say(1401);
    const poor = token("dora", "generate:*", { budget: { creates: 1 } });
    for (let i = 0; i < 3; i++) assert.equal((await create(`d${i}`, { bearer: poor })).code, 1401);
    upstream.answer = () => ({ reset: true });
    assert.equal((await create("d4", { bearer: poor })).data.outcome, "unknown");
    upstream.answer = task;
    assert.equal((await create("d5", { bearer: poor })).data.reason, "budget");
    assert.equal((await create("d4", { bearer: poor })).data.reason, "outcome_unknown");
  }));

test("a budget that is none keeps its token out", () =>
  withGateway({}, task, async ({ upstream, create }) => {
    for (const budget of [7, null, [], {}, { create: 1 }, { creates: -1 }, { creates: "1" }, { creates: 1.5 }, { creates: null }]) {
      const answer = await create("k", { bearer: token("eve", "generate:*", { budget }) });
      if (JSON.stringify(budget) === "{}") assert.equal(answer.status, 200);
      else assert.deepEqual([answer.status, answer.data.reason], [401, "invalid_budget"], JSON.stringify(budget));
    }
    assert.equal(upstream.seen.length, 1);
    assert.equal((await create("z", { bearer: token("eve", "generate:*", { budget: { creates: 0 } }) })).status, 429);
  }));

test("tasks in flight are counted until they are seen to end", () =>
  withGateway({ MAX_TASKS_IN_FLIGHT: "2" }, task, async ({ upstream, ask, create }) => {
    const both = [await create("a"), await create("b")];
    const third = await create("c");
    assert.deepEqual([...outcome(third), third.data.limit], [429, 16, "budget", "not_sent", "in_flight"]);
    const status = (state) => (seen) => ({ json: { code: 0, data: { task: { id: seen.path.split("/").pop(), status: state } } } });
    upstream.answer = status("RUNNING");
    const path = `generate/tasks/${both[0].data.task.id}`;
    assert.equal((await ask(path)).data.task.state, "RUNNING");
    upstream.answer = task;
    assert.equal((await create("c")).status, 429);
    upstream.answer = status("FAILED");
    assert.equal((await ask(path)).data.task.state, "FAILED");
    upstream.answer = task;
    assert.equal((await create("c")).status, 200);
    assert.equal((await create("d")).status, 429);
    assert.equal((await create("a", { bearer: token("bob") })).status, 200);
    // A task that is answered as ended takes no slot.
    upstream.answer = () => ({ json: { code: 0, data: { task: { id: "t", status: "SUCCEEDED" } } } });
    for (let i = 0; i < 4; i++) assert.equal((await create(`z${i}`, { bearer: token("carl") })).status, 200);
  }));

test("all anonymous callers share one budget, whoever they say they are", () => {
  const origin = "https://app.example.com";
  const settings = {
    ANONYMOUS_SESSIONS: "on", ALLOWED_ORIGINS: origin, ANONYMOUS_SCOPE: "text_to_image_turbo", ANONYMOUS_BUDGET: "3",
  };
  return withGateway(settings, task, async ({ upstream, gateway, create }) => {
    const session = async () => {
      const response = await fetch(`${gateway.url}/session`, { method: "POST", headers: { origin, "x-mediagate": "1" } });
      return (await response.json()).data.session.token;
    };
    const callers = await Promise.all(Array.from({ length: 10 }, session));
    const answers = await Promise.all(callers.map((bearer, i) => create(`k${i}`, { bearer })));
    assert.equal(answers.filter((it) => it.status === 200).length, 3);
    assert.equal(upstream.seen.length, 3);
    assert.ok(answers.filter((it) => it.status !== 200).every((it) => it.status === 429 && it.data.outcome === "not_sent"));
    assert.equal((await create("k", { bearer: callers[0], path: MERGE, body: { input_file_ids: ["x"] } })).status, 403);
    assert.equal((await create("k")).status, 200, "others have budgets of their own");
  });
});
