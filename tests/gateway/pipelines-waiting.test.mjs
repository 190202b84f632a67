// Pipelines that wait: the resources that they use, the number that all callers share, and the
// counting of starts.
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { events, openEvents } from "../support/events.mjs";
import { picture, startPipelines } from "../support/pipelines.mjs";
import { sessionToken } from "../support/session.mjs";
import { token } from "../support/token.mjs";
import { reasonOf } from "../support/transfers.mjs";
import { NO_PROC, openFiles } from "../support/workerd-process.mjs";

const ORIGIN = "https://app.example.com";
const ANONYMOUS = {
  ANONYMOUS_SESSIONS: "on",
  ALLOWED_ORIGINS: ORIGIN,
  ANONYMOUS_SCOPE: "generate:* upload",
  ANONYMOUS_BUDGET: "100",
};
/** Milliseconds in which idle objects must be evicted: ten seconds, and many for a busy machine. */
const EVICTED_MS = 60_000;

const isPipeline = (path) => /Pipeline\/[0-9a-f]+\.sqlite/.test(path);

/** Resolves to a token of a new anonymous session. */
const openSession = (world) => sessionToken(world.url(), ORIGIN);

test("a pipeline that waits for a time keeps no object awake, and goes on then", {
  skip: NO_PROC,
}, async (t) => {
  const world = await startPipelines(t);
  const bearer = token("alice", "generate:* upload");
  const started = await Promise.all(
    Array.from({ length: 5 }, (_, number) =>
      world.start({ a: picture(`later ${number}`) }, { bearer }),
    ),
  );
  assert.deepEqual(
    started.map((reply) => reply.status),
    Array(5).fill(200),
  );
  const files = () => openFiles().filter(isPipeline);
  for (
    const end = Date.now() + EVICTED_MS;
    files().length > 0 && Date.now() < end;
  )
    await sleep(200);
  assert.deepEqual(files(), []);
  const { id } = started[0].data.pipeline;
  // A reader sees it in the state that it had, and a stream gets its end.
  assert.equal((await world.read(id, { bearer })).state, "RUNNING");
  const stream = await openEvents(world.url(), `pipelines/${id}`, { bearer });
  const last = (async () => {
    let state;
    for await (const event of events(stream))
      state = event.data?.pipeline?.state ?? state;
    return state;
  })();
  assert.equal((await world.ended(id, { bearer })).state, "SUCCEEDED");
  assert.equal(await last, "SUCCEEDED");
});

test("callers without an account share a limit of pipelines, and all callers share the tenant's", async (t) => {
  const world = await startPipelines(t, {
    settings: {
      ...ANONYMOUS,
      ANONYMOUS_PIPELINES: "2",
      PIPELINES_PER_TENANT: "3",
    },
  });
  const slow = { a: picture("slow") };
  const sessions = await Promise.all(
    Array.from({ length: 3 }, () => openSession(world)),
  );
  const start = (bearer) => world.start(slow, { bearer });
  const first = await start(sessions[0]);
  assert.equal(first.status, 200, first.text);
  assert.equal((await start(sessions[1])).status, 200);
  const third = await start(sessions[2]);
  assert.deepEqual(
    [reasonOf(third), third.data.limit],
    ["budget", "pipelines"],
  );
  const alice = await start(token("alice"));
  assert.equal(alice.status, 200, "the tenant has room for one more");
  const bob = await start(token("bob"));
  assert.deepEqual([reasonOf(bob), bob.data.limit], ["budget", "pipelines"]);
  world.released = true;
  await world.ended(first.data.pipeline.id, { bearer: sessions[0] });
  await world.ended(alice.data.pipeline.id, { bearer: token("alice") });
  // The shared ledgers record the end a moment later.
  for (const bearer of [sessions[2], token("bob")]) {
    let reply = await start(bearer);
    for (let attempt = 0; reply.status === 429 && attempt < 50; attempt += 1) {
      await sleep(100);
      reply = await start(bearer);
    }
    assert.equal(reply.status, 200, reply.text);
  }
});

test("refused starts block no other caller", async (t) => {
  const world = await startPipelines(t, {
    settings: {
      ...ANONYMOUS,
      PIPELINES_AT_ONCE: "1",
      PIPELINES_PER_TENANT: "3",
      ANONYMOUS_PIPELINES: "1",
      DEFAULT_BUDGET: '{"creates":2}',
    },
  });
  const slow = { a: picture("slow") };
  assert.equal((await world.start(slow)).status, 200);
  const refusedStarts = await Promise.all(
    Array.from({ length: 20 }, () => world.start(slow)),
  );
  assert.deepEqual(
    new Set(refusedStarts.map((reply) => reply.status)),
    new Set([429]),
  );
  const sessions = await Promise.all(
    Array.from({ length: 5 }, () => openSession(world)),
  );
  const tooMany = { a: picture("p"), b: picture("q"), c: picture("r") };
  for (const bearer of sessions)
    assert.equal(reasonOf(await world.start(tooMany, { bearer })), "budget");
  assert.equal((await world.start(slow, { bearer: sessions[0] })).status, 200);
  assert.equal(
    (
      await world.start(slow, {
        bearer: token("bob", undefined, { budget: { creates: 9 } }),
      })
    ).status,
    200,
  );
});

test("pipelines that start together all begin, even while they are read", async (t) => {
  const world = await startPipelines(t, {
    settings: { PIPELINES_AT_ONCE: "100" },
  });
  const bearer = token("alice", "generate:*");
  const ids = [];
  // Ten at once, since workerd closes a connection whose head it has not read within 15 seconds.
  while (ids.length < 60) {
    const started = await Promise.all(
      Array.from({ length: 10 }, (_, number) =>
        world.start({ a: picture(`p ${ids.length + number}`) }, { bearer }),
      ),
    );
    ids.push(...started.map((reply) => reply.data.pipeline.id));
  }
  const states = async () => {
    const all = await Promise.all(ids.map((id) => world.read(id, { bearer })));
    return all.map((pipeline) => pipeline.state);
  };
  for (
    const end = Date.now() + 240_000;
    (await states()).includes("RUNNING");
  ) {
    assert.ok(Date.now() < end, "all have ended");
    await sleep(500);
  }
  assert.equal(world.creates.length, 60);
});

test("removing a pipeline does not give back its start, and resumes count too", async (t) => {
  const world = await startPipelines(t, {
    settings: { PIPELINES_AT_ONCE: "1" },
  });
  const bearer = token("alice", "generate:*");
  const steps = { a: picture("poor") };
  let last;
  for (let number = 0; number < 19; number += 1) {
    const reply = await world.start(steps, { bearer });
    assert.equal(reply.status, 200, `${number}: ${reply.text}`);
    last = reply.data.pipeline.id;
    await world.ended(last, { bearer });
    if (number < 18)
      await world.send(`pipelines/${last}`, { method: "DELETE", bearer });
  }
  const resumed = await world.send(`pipelines/${last}/resume`, {
    method: "POST",
    bearer,
  });
  assert.equal(resumed.status, 200, resumed.text);
  await world.ended(last, { bearer });
  const again = await world.send(`pipelines/${last}/resume`, {
    method: "POST",
    bearer,
  });
  assert.deepEqual(
    [reasonOf(again), again.data.limit],
    ["budget", "pipeline_starts"],
  );
  const start = await world.start({ a: picture("p") }, { bearer });
  assert.deepEqual(
    [reasonOf(start), start.data.limit],
    ["budget", "pipeline_starts"],
  );
});

test("a request that starts nothing leaves no file", async (t) => {
  const world = await startPipelines(t, {
    settings: { ...ANONYMOUS, ANONYMOUS_PIPELINES: "0" },
    persist: true,
  });
  const files = async () => {
    const names = await readdir(world.state, { recursive: true });
    const found = names.filter(
      (name) => name.endsWith(".sqlite") && !name.includes("metadata"),
    );
    return found.map((name) => name.split("/").at(-2)).sort();
  };
  const task = await world.send("generate/image/text_to_image_turbo", {
    body: { prompt: "p" },
  });
  const task_id = task.data.task.id;
  await world.send(`tasks/${task_id}`);
  const scopeless = token("mallory", "nothing");
  const one = { steps: { a: picture("p") } };
  // The ledgers that all callers share are always there.
  await world.send("pipelines", {
    body: one,
    bearer: await openSession(world),
  });
  const before = await files();
  for (let number = 0; number < 10; number += 1) {
    const bearer = await openSession(world);
    for (const [status, path, body, caller] of /** @type {any[]} */ ([
      [400, "pipelines", {}, scopeless],
      [403, "pipelines", one, scopeless],
      [400, "pipelines", { steps: {} }, bearer],
      [200, "tasks", undefined, bearer],
      [429, "pipelines", one, bearer],
      [404, "files", { task_id, output: 7 + number }, undefined],
      [404, `pipelines/${"A".repeat(60 + number)}`, undefined, bearer],
    ])) {
      const headers = { "idempotency-key": crypto.randomUUID() };
      const reply = await world.send(path, { body, bearer: caller, headers });
      assert.equal(reply.status, status, `${path}: ${reply.text}`);
    }
  }
  const after = await files();
  // The task's watcher has read the outputs once.
  assert.deepEqual(
    after.filter((name) => !name.includes("Watcher")),
    before.filter((name) => !name.includes("Watcher")),
  );
  assert.equal(after.length - before.length, 1);
});
