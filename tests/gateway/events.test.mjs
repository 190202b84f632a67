// Task updates as server-sent events. All subscribers of a task share one poller, whatever happens
// to the upstream or the gateway.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { events, readAll } from "../support/events.mjs";
import { startGateway } from "../support/gateway.mjs";
import { token } from "../support/token.mjs";
import { startUpstream } from "../support/upstream.mjs";

const IN_FLIGHT = /budget: in_flight/;
const taskResponse = (id, status) => ({
  json: { code: 0, data: { task: { id, status } } },
});

/**
 * Starts an upstream that returns these responses to the polls of task `t`, one after the other,
 * and then repeats the last one. A function is called when its response is due.
 */
async function startPolledUpstream(...responses) {
  /** @type {(value?: unknown) => void} */
  let onPoll = () => {};
  const started = await startUpstream(({ method, path }) => {
    if (method === "POST") return taskResponse("t", "QUEUED");
    assert.equal(path, "/api/app/v1/generate/tasks/t");
    onPoll();
    const next = responses.length > 1 ? responses.shift() : responses[0];
    return typeof next === "function" ? next() : next;
  });
  const pollCount = () =>
    started.seen.filter((request) => request.method === "GET").length;
  const polled = async (count) => {
    while (pollCount() < count)
      await new Promise((resolve) => (onPoll = resolve));
  };
  return Object.assign(started, { polled, pollCount });
}

async function withGateway(upstream, run, settings = {}) {
  const gateway = await startGateway({
    UPSTREAM_BASE_URL: upstream.url,
    UPSTREAM_TIMEOUT_MS: "10000",
    ...settings,
  });
  try {
    await run(client(gateway));
  } finally {
    await Promise.all([gateway.stop(), upstream.stop()]);
  }
}

function client(gateway) {
  const api = `${gateway.url}/api/app/v1`;
  const create = async (bearer = token()) => {
    const init = {
      method: "POST",
      body: '{"prompt":"p"}',
      headers: { authorization: `Bearer ${bearer}` },
    };
    const { data } = await (
      await fetch(`${api}/generate/image/text_to_image_turbo`, init)
    ).json();
    if (!data.task) throw new Error(`${data.reason}: ${data.limit}`);
    return data.task.id;
  };
  /**
   * @param {string} id
   * @param {{ bearer?: string, last?: unknown, signal?: AbortSignal }} [options]
   */
  const subscribe = (id, { bearer = token(), last, signal } = {}) => {
    const headers = {
      authorization: `Bearer ${bearer}`,
      ...(last && { "last-event-id": String(last) }),
    };
    return fetch(`${api}/tasks/${id}/events`, { headers, signal });
  };
  return { create, subscribe, url: gateway.url };
}

const states = (list) =>
  list.map((event) => event.data.task?.state ?? event.data.reason);

test("a stream sends each change, ends with the last state, and can be resumed", async () => {
  const upstream = await startPolledUpstream(
    taskResponse("t", "QUEUED"),
    taskResponse("t", "QUEUED"),
    taskResponse("t", "ODD"),
    taskResponse("t", "SUCCEEDED"),
  );
  await withGateway(upstream, async ({ create, subscribe }) => {
    const id = await create();
    const response = await subscribe(id);
    assert.equal(response.headers.get("content-type"), "text/event-stream");
    assert.equal(
      response.headers.get("cache-control"),
      "no-store, no-transform",
    );
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
    assert.equal(upstream.pollCount(), 4);
    // A later subscriber gets the last state at once, with or without a `Last-Event-ID`.
    for (const last of [undefined, 1, 3])
      assert.deepEqual(states(await readAll(await subscribe(id, { last }))), [
        "SUCCEEDED",
      ]);
    assert.equal(upstream.pollCount(), 4, "the task was not polled again");
  });
});

test("a thousand subscribers share one poller", async () => {
  let release;
  const released = new Promise((resolve) => (release = resolve));
  const upstream = await startPolledUpstream(taskResponse("t", "QUEUED"), () =>
    released.then(() => taskResponse("t", "SUCCEEDED")),
  );
  await withGateway(
    upstream,
    async ({ create, subscribe }) => {
      const id = await create();
      const responses = [];
      // Fifty at a time: a thousand connections at once would test the machine's backlog.
      while (responses.length < 1000)
        responses.push(
          ...(await Promise.all(
            Array.from({ length: 50 }, () => subscribe(id)),
          )),
        );
      release();
      const lists = await Promise.all(responses.map(readAll));
      assert.ok(lists.every((list) => states(list).at(-1) === "SUCCEEDED"));
      assert.ok(upstream.pollCount() <= 3, `${upstream.pollCount()} polls`);
    },
    {
      UPSTREAM_TIMEOUT_MS: "60000",
      STREAMS_PER_SUBJECT: "1000",
      REQUESTS_AT_ONCE: "1000",
    },
  );
});

test("a task that is known to be over frees its slot", async () => {
  const upstream = await startPolledUpstream(taskResponse("t", "SUCCEEDED"));
  await withGateway(
    upstream,
    async ({ create, subscribe }) => {
      const id = await create();
      await assert.rejects(create(), IN_FLIGHT);
      assert.deepEqual(states(await readAll(await subscribe(id))), [
        "SUCCEEDED",
      ]);
      assert.ok(await create());
    },
    { MAX_TASKS_IN_FLIGHT: "1" },
  );
});

test("only a task's owner can subscribe to it, and an unknown task has no stream", async () => {
  const upstream = await startPolledUpstream(taskResponse("t", "QUEUED"));
  await withGateway(upstream, async ({ create, subscribe, url }) => {
    const id = await create();
    for (const [task, bearer] of [
      [id, token("bob")],
      ["t", token()],
      [`${id.slice(0, -1)}`, token()],
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
    assert.equal(upstream.pollCount(), 0);
  });
});

test("a failing upstream is polled until it recovers", async () => {
  const slowResponse = {
    ...taskResponse("t", "RUNNING"),
    json: { ...taskResponse("t", "RUNNING").json, message: "x".repeat(200) },
    drip: true,
  };
  const failures = [
    { hang: true },
    { reset: true },
    slowResponse,
    { status: 503, body: "<html>" },
    { json: { code: 99, message: "" } },
  ];
  const upstream = await startPolledUpstream(
    ...failures,
    taskResponse("t", "FAILED"),
  );
  await withGateway(
    upstream,
    async ({ create, subscribe }) => {
      const all = await readAll(await subscribe(await create()));
      // Subscribers are notified once that there is no answer.
      assert.deepEqual(states(all), [undefined, "FAILED"]);
      assert.ok(all[0].data.task.unanswered_since);
      // On a machine that is busy for two seconds, the last state is sent a second time.
      assert.ok(upstream.pollCount() >= 6, `${upstream.pollCount()}`);
    },
    { UPSTREAM_TIMEOUT_MS: "2000" },
  );
});

test("an upstream that is slow and sends Retry-After is polled once at a time, and the subscriber gets heartbeats", async () => {
  let polls = 0;
  const late = () => delay(1_500, taskResponse("t", "SUCCEEDED"));
  const upstream = await startPolledUpstream(
    {
      status: 429,
      headers: { "retry-after": "20" },
      json: { code: 16, message: "" },
    },
    late,
  );
  await withGateway(upstream, async ({ create, subscribe }) => {
    const response = await subscribe(await create());
    const heartbeats = [];
    for await (const chunk of response.body.pipeThrough(
      new TextDecoderStream(),
    )) {
      if (chunk.startsWith(":"))
        polls = heartbeats[heartbeats.push(upstream.pollCount()) - 1];
    }
    // One heartbeat for the rejected poll, at least one more while the gateway waits as
    // `Retry-After` says.
    assert.ok(heartbeats.length >= 2 && polls === 1, `${heartbeats}`);
    assert.equal(upstream.pollCount(), 2);
  });
});

test("a token with `watch` has its tasks watched without a subscriber", async () => {
  let state = "RUNNING";
  const upstream = await startPolledUpstream(() => taskResponse("t", state));
  await withGateway(
    upstream,
    async ({ create, subscribe }) => {
      const watched = token("alice", undefined, { watch: true });
      const id = await create(watched);
      await assert.rejects(create(watched), IN_FLIGHT);
      state = "SUCCEEDED";
      const another = async () => create(watched).catch(() => delay(100));
      while (!(await another()));
      const polls = upstream.pollCount();
      assert.equal(
        states(await readAll(await subscribe(id))).at(-1),
        "SUCCEEDED",
      );
      assert.ok(upstream.pollCount() <= polls + 1, "of the other task");
    },
    { MAX_TASKS_IN_FLIGHT: "1" },
  );
});

test("a task that the upstream no longer knows ends the stream with an error event", async () => {
  const upstream = await startPolledUpstream(taskResponse("t", "QUEUED"), {
    status: 404,
    json: { code: 12, message: "gone" },
  });
  await withGateway(upstream, async ({ create, subscribe }) => {
    const list = await readAll(await subscribe(await create()));
    assert.deepEqual(
      list.map((event) => event.event),
      ["task", "error"],
    );
    assert.deepEqual([list[1].code, list[1].data.reason], [12, "unknown_task"]);
  });
});

test("a stream ends when its token expires", async () => {
  const upstream = await startPolledUpstream(taskResponse("t", "QUEUED"));
  await withGateway(upstream, async ({ create, subscribe }) => {
    const id = await create();
    const iat = Math.floor(Date.now() / 1000);
    const list = await readAll(
      await subscribe(id, {
        bearer: token("alice", "", { iat, exp: iat + 5 }),
      }),
    );
    assert.deepEqual(states(list), ["QUEUED"]);
  });
});

test("after a kill, the gateway resumes when a client subscribes again", async () => {
  const state = await mkdtemp(join(tmpdir(), "mediagate-watcher-"));
  const upstream = await startPolledUpstream(
    taskResponse("t", "QUEUED"),
    taskResponse("t", "QUEUED"),
    taskResponse("t", "RUNNING"),
    taskResponse("t", "SUCCEEDED"),
  );
  const settings = { UPSTREAM_BASE_URL: upstream.url };
  try {
    const killed = await startGateway(settings, { state });
    const id = await client(killed).create();
    const first = events(await client(killed).subscribe(id));
    const { value } = await first.next();
    assert.equal(value.data.task.state, "QUEUED");
    await killed.stop();
    await first.next().catch(() => {});
    const gateway = await startGateway(settings, { state });
    try {
      const list = await readAll(
        await client(gateway).subscribe(id, { last: value.id }),
      );
      assert.deepEqual(states(list), ["RUNNING", "SUCCEEDED"]);
      assert.deepEqual(
        list.map((event) => event.id - value.id),
        [1, 2],
      );
    } finally {
      await gateway.stop();
    }
  } finally {
    await upstream.stop();
    await rm(state, { recursive: true, force: true });
  }
});

test("a record larger than a row of the storage reaches its subscribers, also after a restart", async () => {
  const state = await mkdtemp(join(tmpdir(), "mediagate-state-"));
  const large = { prompt: "ä".repeat(1_500_000) };
  const upstream = await startPolledUpstream(
    {
      json: {
        code: 0,
        data: { task: { id: "t", status: "RUNNING", ...large } },
      },
    },
    {
      json: {
        code: 0,
        data: { task: { id: "t", status: "SUCCEEDED", ...large } },
      },
    },
  );
  const settings = {
    UPSTREAM_BASE_URL: upstream.url,
    MAX_RESPONSE_BYTES: String(8 << 20),
  };
  let gateway = await startGateway(settings, { state });
  try {
    const id = await client(gateway).create();
    const first = await client(gateway).subscribe(id);
    const { value } = await events(first).next();
    assert.deepEqual(
      [value.data.task.state, value.data.task.prompt],
      ["RUNNING", large.prompt],
    );
    await gateway.stop();
    gateway = await startGateway(settings, { state });
    const list = await readAll(
      await client(gateway).subscribe(id, { last: value.id }),
    );
    assert.deepEqual(
      states(list),
      ["SUCCEEDED"],
      "the stored record is the one that was sent",
    );
  } finally {
    await Promise.all([gateway.stop(), upstream.stop()]);
    await rm(state, { recursive: true });
  }
});

test("a task that upstream has forgotten frees its slot", async () => {
  const unknown = { status: 404, json: { code: 12, message: "no such task" } };
  const upstream = await startPolledUpstream(unknown);
  await withGateway(
    upstream,
    async ({ create, url }) => {
      const id = await create();
      await assert.rejects(create(), /budget: in_flight/);
      const headers = { authorization: `Bearer ${token()}` };
      assert.equal(
        (await fetch(`${url}/api/app/v1/generate/tasks/${id}`, { headers }))
          .status,
        404,
      );
      await create();
    },
    { MAX_TASKS_IN_FLIGHT: "1" },
  );
});
