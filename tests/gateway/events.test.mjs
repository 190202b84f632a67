// Task updates as server-sent events. All subscribers of a task share one poller, whatever happens
// to the upstream or the gateway.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { events, openEvents, readAll } from "../support/events.mjs";
import { token } from "../support/token.mjs";
import {
  startRestartable,
  startWorld,
  taskResponse,
} from "../support/world.mjs";

const IN_FLIGHT = /budget: in_flight/;
let upstreamTasks = 0;

/**
 * Starts a gateway, and an upstream with one task, which returns these responses to its polls, one
 * after the other, and then repeats the last one. A function is called when its response is due.
 *
 * @param {any[]} responses
 * @param {Record<string, string>} [settings]
 */
async function start(responses, settings) {
  const id = `t${++upstreamTasks}`;
  const path = `/api/app/v1/generate/tasks/${id}`;
  const world = await startWorld((seen) => {
    if (seen.method === "POST") return taskResponse("QUEUED", id);
    // A watcher of another test may still poll.
    if (seen.path !== path) return { status: 404, json: { code: 12 } };
    const next = responses.length > 1 ? responses.shift() : responses[0];
    return typeof next === "function" ? next() : next;
  }, settings);
  const pollCount = () =>
    world.upstream.seen.filter((request) => request.path === path).length;
  return {
    ...subscriber(world),
    api: world.api,
    subject: world.subject,
    pollCount,
  };
}

function subscriber({ url, bearer: own, create: send }) {
  const create = async (bearer = own) => {
    const { data } = await send(undefined, { bearer });
    if (!data.task) throw new Error(`${data.reason}: ${data.limit}`);
    return data.task.id;
  };
  /**
   * @param {string} id
   * @param {{ bearer?: string, last?: unknown }} [options]
   */
  const subscribe = (id, options = {}) =>
    openEvents(url, `tasks/${id}`, { bearer: own, ...options });
  return { create, subscribe, url, bearer: own };
}

const states = (list) =>
  list.map((event) => event.data.task?.state ?? event.data.reason);

test("a stream sends each change, ends with the last state, and can be resumed", async () => {
  const { create, subscribe, pollCount } = await start([
    taskResponse("QUEUED"),
    taskResponse("QUEUED"),
    taskResponse("ODD"),
    taskResponse("SUCCEEDED"),
  ]);
  const id = await create();
  const response = await subscribe(id);
  assert.equal(response.headers.get("content-type"), "text/event-stream");
  assert.equal(response.headers.get("cache-control"), "no-store, no-transform");
  assert.equal(response.headers.get("x-accel-buffering"), "no");
  assert.ok(response.headers.get("x-request-id"));
  const list = await readAll(response);
  assert.deepEqual(states(list), ["QUEUED", "ODD", "SUCCEEDED"]);
  assert.deepEqual(
    list.map((event) => [event.id - list[0].id, event.event, event.code]),
    [
      [0, "task", 0],
      [1, "task", 0],
      [2, "task", 0],
    ],
  );
  assert.ok(
    list.every((event) => event.data.task.id === id),
    "ids are sealed, and the same in every event",
  );
  assert.equal(pollCount(), 4);
  // A later subscriber gets the last state at once, with or without a `Last-Event-ID`.
  for (const last of [undefined, 1, 3])
    assert.deepEqual(states(await readAll(await subscribe(id, { last }))), [
      "SUCCEEDED",
    ]);
  assert.equal(pollCount(), 4, "the task was not polled again");
});

test("a hundred subscribers share one poller", async () => {
  let release;
  const released = new Promise((resolve) => (release = resolve));
  const { create, subscribe, pollCount } = await start(
    [
      taskResponse("QUEUED"),
      () => released.then(() => taskResponse("SUCCEEDED")),
    ],
    { STREAMS_PER_SUBJECT: "100", REQUESTS_AT_ONCE: "200" },
  );
  const id = await create();
  const responses = await Promise.all(
    Array.from({ length: 100 }, () => subscribe(id)),
  );
  release();
  const lists = await Promise.all(responses.map(readAll));
  assert.ok(lists.every((list) => states(list).at(-1) === "SUCCEEDED"));
  assert.ok(pollCount() <= 3, `${pollCount()} polls`);
});

test("a task that upstream has forgotten frees its slot", async () => {
  const unknown = { status: 404, json: { code: 12, message: "no such task" } };
  const { create, api } = await start([unknown], { MAX_TASKS_IN_FLIGHT: "1" });
  const id = await create();
  await assert.rejects(create(), /budget: in_flight/);
  assert.equal((await api(`generate/tasks/${id}`)).status, 404);
  await create();
});

test("a token with `watch` has its tasks watched without a subscriber", async () => {
  let state = "RUNNING";
  const { create, subscribe, subject, pollCount } = await start(
    [() => taskResponse(state)],
    { MAX_TASKS_IN_FLIGHT: "1" },
  );
  const watched = token(subject, undefined, { watch: true });
  const id = await create(watched);
  await assert.rejects(create(watched), IN_FLIGHT);
  state = "SUCCEEDED";
  const another = async () => create(watched).catch(() => delay(100));
  while (!(await another()));
  const polls = pollCount();
  assert.equal(states(await readAll(await subscribe(id))).at(-1), "SUCCEEDED");
  assert.ok(pollCount() <= polls + 1, "of the other task");
});

test("only a task's owner can subscribe to it, and an unknown task has no stream", async () => {
  const {
    create,
    subscribe,
    url,
    bearer: own,
    pollCount,
  } = await start([taskResponse("QUEUED")]);
  const id = await create();
  for (const [task, bearer] of [
    [id, token("bob")],
    ["t", own],
    [`${id.slice(0, -1)}`, own],
  ]) {
    const response = await subscribe(task, { bearer });
    assert.deepEqual(
      [response.status, (await response.json()).data.reason],
      [404, "unknown_task"],
    );
  }
  assert.equal(
    (await fetch(`${url}/api/app/v1/tasks/${id}/events`)).status,
    401,
  );
  assert.equal(
    (await fetch(`${url}/api/app/v1/tasks/${id}/events`, { method: "POST" }))
      .status,
    405,
  );
  assert.equal(pollCount(), 0);
});

test("a failing upstream is polled until it recovers", async () => {
  const slowResponse = {
    ...taskResponse("RUNNING"),
    json: { ...taskResponse("RUNNING").json, message: "x".repeat(200) },
    drip: true,
  };
  const failures = [
    { hang: true },
    { reset: true },
    slowResponse,
    { status: 503, body: "<html>" },
    { json: { code: 99, message: "" } },
  ];
  const { create, subscribe, pollCount } = await start(
    [...failures, taskResponse("FAILED")],
    { UPSTREAM_TIMEOUT_MS: "2000" },
  );
  const all = await readAll(await subscribe(await create()));
  // Subscribers are notified once that there is no answer.
  assert.deepEqual(states(all), [undefined, "FAILED"]);
  assert.ok(all[0].data.task.unanswered_since);
  // On a machine that is busy for two seconds, the last state is sent a second time.
  assert.ok(pollCount() >= 6, `${pollCount()}`);
});

test("an upstream that is slow and sends Retry-After is polled once at a time, and the subscriber gets heartbeats", async () => {
  let polls = 0;
  const late = () => delay(1_500, taskResponse("SUCCEEDED"));
  const { create, subscribe, pollCount } = await start([
    {
      status: 429,
      headers: { "retry-after": "20" },
      json: { code: 16, message: "" },
    },
    late,
  ]);
  const response = await subscribe(await create());
  const heartbeats = [];
  for await (const chunk of response.body.pipeThrough(
    new TextDecoderStream(),
  )) {
    if (chunk.startsWith(":"))
      polls = heartbeats[heartbeats.push(pollCount()) - 1];
  }
  // One heartbeat for the rejected poll, at least one more while the gateway waits as
  // `Retry-After` says.
  assert.ok(heartbeats.length >= 2 && polls === 1, `${heartbeats}`);
  assert.equal(pollCount(), 2);
});

test("a task that the upstream no longer knows ends the stream with an error event", async () => {
  const { create, subscribe } = await start([
    taskResponse("QUEUED"),
    {
      status: 404,
      json: { code: 12, message: "gone" },
    },
  ]);
  const list = await readAll(await subscribe(await create()));
  assert.deepEqual(
    list.map((event) => event.event),
    ["task", "error"],
  );
  assert.deepEqual([list[1].code, list[1].data.reason], [12, "unknown_task"]);
});

test("a stream ends when its token expires", async () => {
  const { create, subscribe, subject } = await start([taskResponse("QUEUED")]);
  const id = await create();
  const iat = Math.floor(Date.now() / 1000);
  const list = await readAll(
    await subscribe(id, {
      bearer: token(subject, "", { iat, exp: iat + 5 }),
    }),
  );
  assert.deepEqual(states(list), ["QUEUED"]);
});

test("after a kill, the gateway resumes when a client subscribes again", async (t) => {
  // The record is larger than a row of the storage.
  const large = { prompt: "ä".repeat(1_500_000) };
  const poll = { response: taskResponse("QUEUED", "t", large) };
  const world = await startRestartable(
    t,
    ({ method }) =>
      method === "POST" ? taskResponse("QUEUED") : poll.response,
    { MAX_RESPONSE_BYTES: String(8 << 20) },
  );
  const gateway = () => subscriber(world.client());
  const id = await gateway().create();
  const first = events(await gateway().subscribe(id));
  const { value } = await first.next();
  assert.equal(value.data.task.state, "QUEUED");
  await world.restart(async () => {
    poll.response = taskResponse("RUNNING", "t", large);
  });
  await first.next().catch(() => {});
  const second = await gateway().subscribe(id, { last: value.id });
  const list = [];
  for await (const event of events(second)) {
    list.push(event);
    poll.response = taskResponse("SUCCEEDED", "t", large);
  }
  assert.deepEqual(states(list), ["RUNNING", "SUCCEEDED"]);
  assert.deepEqual(
    list.map((event) => event.id - value.id),
    [1, 2],
  );
});
