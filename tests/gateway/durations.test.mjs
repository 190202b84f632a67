// The gateway records how long tasks take. It polls more often when an end is likely, and responses
// estimate the time left.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openEvents } from "../support/events.mjs";
import { folder } from "../support/folder.mjs";
import { startGateway } from "../support/gateway.mjs";
import { request } from "../support/request.mjs";
import { startUpstream } from "../support/upstream.mjs";
import { startWorld, taskResponse } from "../support/world.mjs";

/** One task more than the gateway needs for an estimate. */
const ENOUGH = 9;

/**
 * Starts an upstream whose tasks take these milliseconds, unless a test changes `state`. `polls`
 * has the times of each task's polls since its creation.
 *
 * @param {number} milliseconds
 */
async function startTimedUpstream(milliseconds) {
  const state = { lasts: milliseconds };
  const polls = new Map();
  const begun = new Map();
  const record = (id) => {
    const elapsed = Date.now() - begun.get(id);
    return {
      json: {
        code: 0,
        data: {
          task: {
            id,
            status: elapsed >= state.lasts ? "SUCCEEDED" : "RUNNING",
            output_url: "https://media.example.com/a.png",
          },
        },
      },
    };
  };
  const upstream = await startUpstream(({ method, path }) => {
    if (method === "POST") {
      const id = `t${begun.size}`;
      begun.set(id, Date.now());
      polls.set(id, []);
      return record(id);
    }
    const id = path.split("/").at(-1);
    polls.get(id)?.push(Date.now() - begun.get(id));
    return record(id);
  });
  return Object.assign(upstream, { polls, state });
}

/** Starts a gateway for an upstream, and returns the operations of a test. */
async function start(t, upstream, settings = {}, options = {}) {
  const gateway = await startGateway(
    { UPSTREAM_BASE_URL: upstream.url, ...settings },
    options,
  );
  // A test may have stopped both itself.
  t.after(() => Promise.allSettled([gateway.stop(), upstream.stop()]));
  const api = `${gateway.url}/api/app/v1`;
  const create = async (body = {}) => {
    const reply = await request(`${api}/generate/image/text_to_image_turbo`, {
      body: { prompt: "p", ...body },
    });
    return reply.data.task.id;
  };
  const read = (id) => request(`${api}/generate/tasks/${id}`);
  /** Resolves to all records of a task's stream. */
  const follow = async (id) => {
    const { text } = await request(`${api}/tasks/${id}/events`);
    const lines = text.split("\n").filter((line) => line.startsWith("data: "));
    return lines.map((line) => JSON.parse(line.slice(6)).data.task);
  };
  /**
   * Runs tasks until the gateway can estimate, and resolves to the seconds that the last ones took.
   * It does not learn from tasks that end before it could poll them twice, which depends on the
   * machine. So each round takes longer.
   */
  const learn = async () => {
    for (;;) {
      await Promise.all(
        Array.from({ length: ENOUGH }, async () => follow(await create())),
      );
      if ((await read(await create())).data.task.eta)
        return upstream.state.lasts / 1_000;
      upstream.state.lasts *= 2;
    }
  };
  return { gateway, create, read, follow, learn };
}

test("after some tasks, the gateway estimates the end of the next one and polls then", async (t) => {
  const upstream = await startTimedUpstream(3_000);
  const { create, read, follow, learn } = await start(t, upstream);
  const first = await create();
  assert.equal(
    (await read(first)).data.task.eta,
    undefined,
    "nothing is known of the first",
  );
  const lasts = await learn();

  const id = await create();
  const { eta, poll_after, state } = (await read(id)).data.task;
  assert.equal(state, "RUNNING");
  assert.ok(
    eta.low <= eta.seconds && eta.seconds <= eta.high && eta.low > 0,
    JSON.stringify(eta),
  );
  assert.ok(
    eta.seconds > 1.5 && eta.seconds < lasts * 1.5,
    JSON.stringify(eta),
  );
  assert.ok(poll_after > 0.9 && poll_after < lasts + 1, `${poll_after}`);
  const records = await follow(id);
  assert.ok(records[0].eta.seconds <= eta.seconds, "the stream has it, too");
  assert.equal(records.at(-1).state, "SUCCEEDED");
  assert.equal(
    records.at(-1).eta,
    undefined,
    "of a task that has ended nothing is expected",
  );
  assert.deepEqual([...new Set(records.map((record) => record.id))], [id]);

  const ended = await create({ model_id: "another" });
  assert.ok(
    (await read(ended)).data.task.eta.seconds > 1,
    "of another model, what is known of the capability counts",
  );
});

test("durations survive a restart, and a task that ran meanwhile is followed to its end", async (t) => {
  const state = await folder(t);
  const upstream = await startTimedUpstream(3_000);
  const before = await start(t, upstream, {}, { state });
  await before.learn();
  const id = await before.create();
  await before.gateway.stop();
  const again = await start(t, upstream, {}, { state });
  assert.ok((await again.read(await again.create())).data.task.eta);
  assert.equal(
    (await again.follow(id)).at(-1).state,
    "SUCCEEDED",
    "a task of before",
  );
});

test("no task is polled while the upstream requests a pause", async (t) => {
  const upstream = await startTimedUpstream(60_000);
  const { create, read } = await start(t, upstream, {
    UPSTREAM_POLLS_PER_SECOND: "100",
  });
  const one = await create();
  const other = await create();
  const usual = upstream.respond;
  upstream.respond = () => ({
    status: 429,
    headers: { "retry-after": "30" },
    json: { code: 16, message: "slower" },
  });
  assert.equal((await read(one)).status, 429);
  upstream.respond = usual;
  const before = upstream.seen.length;
  const { status, code } = await read(other);
  assert.deepEqual([status, code, upstream.seen.length], [429, 16, before]);
});

test("without the Durations object, tasks are polled without estimates, and a rate is refused", async (t) => {
  const upstream = await startTimedUpstream(500);
  const { follow, create } = await start(
    t,
    upstream,
    {},
    { objects: ["LEDGER", "WATCHER"] },
  );
  assert.equal((await follow(await create())).at(-1).state, "SUCCEEDED");
  const limited = await startGateway(
    { UPSTREAM_BASE_URL: upstream.url, UPSTREAM_POLLS_PER_SECOND: "5" },
    { objects: ["LEDGER", "WATCHER"] },
  );
  t.after(() => limited.stop());
  const { status, data } = await request(`${limited.url}/api/app/v1/models`);
  assert.deepEqual([status, data.setting], [500, "DURATIONS"]);
});

test("the polls of all watchers together keep to a rate", async () => {
  let made = 0;
  let polls = 0;
  const { url, bearer, create } = await startWorld(
    ({ method, path }) => {
      if (method === "POST") return taskResponse("QUEUED", `r${++made}`);
      polls += 1;
      return taskResponse("RUNNING", path.split("/").at(-1));
    },
    { UPSTREAM_POLLS_PER_SECOND: "4", STREAMS_PER_SUBJECT: "12" },
  );
  const ids = await Promise.all(
    Array.from({ length: 12 }, async () => (await create()).data.task.id),
  );
  const begun = Date.now();
  const follow = (id) => openEvents(url, `tasks/${id}`, { bearer });
  const streams = await Promise.all(ids.map(follow));
  await sleep(500);
  // Four a second, and a burst of one second's polls at the beginning.
  const most = 4 * ((Date.now() - begun) / 1_000 + 1) + 1;
  assert.ok(polls <= most, `${polls} polls`);
  for (const { body } of streams) await body.cancel();
});
