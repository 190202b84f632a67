// Opens storage that an earlier build wrote: tables are migrated when an object wakes, and nothing is lost or sent again.
//
// `stored/1` holds what a build wrote before tables carried a version: four creates of alice's (one task, one
// result, one with an unknown outcome, one that was interrupted) and the watcher of her task, which had ended. The
// times in it were moved to the year 2090, since a ledger forgets after 24 hours. `stored/damaged` is the same with a group
// that does not exist, `video`, in the row of the first create and in the watcher's; in `stored/malformed` their JSON is cut off.
import assert from "node:assert/strict";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { startGateway } from "../support/gateway.mjs";
import { request } from "../support/request.mjs";
import { token } from "../support/token.mjs";
import { startUpstream } from "../support/upstream.mjs";

const STORED = fileURLToPath(new URL("stored/", import.meta.url));
const TURBO = "generate/image/text_to_image_turbo";
const TASK = "5bNlUb6xSNvhNvEHwIS2QmZVX3rQhQ";

/** Runs a test against a gateway over a copy of the stored data. Its upstream returns `task-2` for every request; tests count those. */
async function withStored(run, version = "1") {
  const state = await mkdtemp(join(tmpdir(), "mediagate-stored-"));
  await cp(join(STORED, version), state, { recursive: true });
  const upstream = await startUpstream(() => ({
    json: { code: 0, data: { task: { id: "task-2", status: "QUEUED" } } },
  }));
  const start = () => startGateway({ UPSTREAM_BASE_URL: upstream.url, TENANT: "stored" }, { state });
  let gateway = await start();
  const restart = async () => {
    await gateway.stop();
    gateway = await start();
  };
  const send = (path, init) => request(`${gateway.url}/api/app/v1/${path}`, init);
  const create = (key, prompt, path = TURBO, claims) =>
    send(path, { body: { prompt }, headers: { "idempotency-key": key }, ...claims });
  try {
    await run({ upstream, send, create, restart, gateway: () => gateway });
  } finally {
    await Promise.all([gateway.stop(), upstream.stop()]);
    await rm(state, { recursive: true, force: true });
  }
}

const outcome = ({ status, code, data }) => [status, code, data.reason, data.cause, data.outcome];

test("every stored create is replayed, and none is sent again", () =>
  withStored(async ({ upstream, create, restart }) => {
    for (const attempt of ["as stored", "once migrated"]) {
      const task = await create("made", "made");
      assert.deepEqual(
        [task.status, task.data.task],
        [200, { id: TASK, outputs: [], state: "QUEUED", status: "QUEUED" }],
        attempt,
      );
      assert.equal(task.headers.get("idempotent-replayed"), "true");
      const result = await create("result", "result", "generate/image/text_to_image");
      assert.equal(result.data.result.outputs[0].url, "https://media.example.com/a.png");
      assert.deepEqual(outcome(await create("lost", "lost")), [502, 99, "outcome_unknown", "not_json", "unknown"]);
      assert.deepEqual(outcome(await create("hang", "hang")), [502, 99, "outcome_unknown", "interrupted", "unknown"]);
      assert.deepEqual(outcome(await create("made", "another prompt")), [
        422,
        12,
        "idempotency_key_reused",
        undefined,
        "not_sent",
      ]);
      assert.equal(upstream.seen.length, 0, attempt);
      await restart();
    }
    assert.equal((await create("new", "new")).headers.get("idempotent-replayed"), null);
    assert.equal(upstream.seen.length, 1);
  }));

test("stored creates count against a budget", () =>
  withStored(async ({ upstream, create }) => {
    const limited = { bearer: token("alice", "generate:*", { budget: { creates: 5, in_flight: 3 } }) };
    const fifth = await create("fifth", "fifth", TURBO, limited);
    assert.equal(fifth.status, 200);
    assert.match(fifth.headers.get("ratelimit"), /^"creates";r=0;t=\d+, "in_flight";r=0;t=\d+$/);
    const sixth = await create("sixth", "sixth", TURBO, limited);
    assert.deepEqual([sixth.status, sixth.data.reason, sixth.data.limit], [429, "budget", "creates"]);
    assert.equal(upstream.seen.length, 1);
  }));

test("a stored end is sent to a subscriber without a poll", () =>
  withStored(async ({ upstream, send }) => {
    const { text } = await send(`tasks/${TASK}/events`);
    const [, id, data] = /id: (\d+)\nevent: task\ndata: (.*)\n/.exec(text);
    assert.equal(id, "2");
    const { task } = JSON.parse(data).data;
    assert.deepEqual(
      [task.id, task.state, task.outputs[0].url],
      [TASK, "SUCCEEDED", "https://media.example.com/a.mp4"],
    );
    assert.equal(upstream.seen.length, 0);
  }));

/** How the stream of the stored watcher's task begins; the rest is not read. */
async function openEvents(gateway) {
  const stream = await fetch(`${gateway.url}/api/app/v1/tasks/${TASK}/events`, {
    headers: { authorization: `Bearer ${token()}` },
  });
  await stream.body.cancel();
  return stream.status;
}

for (const damage of ["damaged", "malformed"]) {
  test(`a ${damage} row is an error, and no create is sent for it`, () =>
    withStored(async ({ upstream, create }) => {
      assert.deepEqual(outcome(await create("made", "made")), [502, 99, "outcome_unknown", "ledger", "unknown"]);
      assert.deepEqual(
        outcome(await create("lost", "lost")),
        [502, 99, "outcome_unknown", "not_json", "unknown"],
        "the other rows are read",
      );
      assert.equal(upstream.seen.length, 0);
      assert.equal((await create("other", "other")).status, 200);
    }, damage));

  test(`a ${damage} state of a watcher is an error once, and then begins anew`, () =>
    withStored(async ({ upstream, send, gateway }) => {
      const events = await send(`tasks/${TASK}/events`);
      assert.deepEqual([events.status, events.data.reason], [500, "watcher"]);
      assert.match(gateway().logs.join("\n"), /the stored state of a watched task is damaged; it is deleted/);
      assert.equal(upstream.seen.length, 0);
      assert.equal(await openEvents(gateway()), 200);
    }, damage));
}

test("a group that does not exist is not counted as another", () =>
  withStored(async ({ upstream, create }) => {
    const limited = { bearer: token("alice", "generate:*", { budget: { creates: 5 } }) };
    assert.deepEqual(outcome(await create("counted", "counted", TURBO, limited)), [
      502,
      99,
      "outcome_unknown",
      "ledger",
      "unknown",
    ]);
    assert.equal(upstream.seen.length, 0);
  }, "damaged"));
