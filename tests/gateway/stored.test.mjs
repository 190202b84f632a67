// Stored data that the gateway can't read, because a newer build wrote it or it is damaged. No
// create is sent for it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { startGateway } from "../support/gateway.mjs";
import { picture, startPipelines } from "../support/pipelines.mjs";
import { changeStored } from "../support/stored.mjs";
import { startRestartable, taskResponse } from "../support/world.mjs";

const ENDED = taskResponse("SUCCEEDED", "task-1", {
  output_url: "https://media.example.com/a.png",
});

/**
 * Starts a gateway that has made a task with the key `made`. `reopened(table, sql)` changes its
 * storage and restarts it.
 */
async function start(t) {
  const world = await startRestartable(t, () => ENDED);
  const { upstream, state, client, logs } = world;
  const reopened = async (table, sql) => {
    await world.restart(() => changeStored(state, table, sql));
    upstream.seen.length = 0;
  };
  const send = (path) => client().api(path);
  const create = (key) => client().create(key);
  const made = await create("made");
  assert.equal(made.status, 200, made.text);
  return { id: made.data.task.id, create, send, reopened, upstream, logs };
}

const outcome = ({ status, code, data }) => [
  status,
  code,
  data.reason,
  data.cause,
  data.outcome,
];
const UNREADABLE = [502, 99, "outcome_unknown", "ledger", "unknown"];

test("a ledger of a newer build refuses each create, and sends none", async (t) => {
  const { create, reopened, upstream } = await start(t);
  await reopened("creates", "UPDATE schema_version SET version = version + 98");
  for (const key of ["made", "new"])
    assert.deepEqual(outcome(await create(key)), UNREADABLE);
  assert.equal(upstream.seen.length, 0);
  await reopened("creates", "UPDATE schema_version SET version = version - 98");
  assert.equal(
    (await create("made")).headers.get("idempotent-replayed"),
    "true",
  );
  assert.equal((await create("new")).status, 200);
});

for (const [damage, sql] of [
  ["whose outcome is cut off", "UPDATE creates SET outcome = '{'"],
  ["of a group that does not exist", "UPDATE creates SET task_group = 'video'"],
])
  test(`a create ${damage} is an error, and not sent again`, async (t) => {
    const { create, reopened, upstream } = await start(t);
    await reopened("creates", sql);
    assert.deepEqual(outcome(await create("made")), UNREADABLE);
    assert.equal(upstream.seen.length, 0);
  });

test("the damaged state of a watched task is deleted, and the watch starts again", async (t) => {
  const { id, send, reopened, logs } = await start(t);
  await send(`tasks/${id}/events`);
  await reopened("pieces", "UPDATE pieces SET text = '{'");
  // This request or the watcher's alarm reads it first.
  const first = await send(`tasks/${id}/events`);
  assert.ok(
    first.status === 200 || first.data.reason === "watcher",
    first.text,
  );
  assert.match(
    logs(),
    /the stored state of a watched task is damaged; it is deleted/,
  );
  assert.equal((await send(`tasks/${id}/events`)).status, 200);
});

test("the alarm of a pipeline of a newer build does not fail, and the pipeline goes on later", async (t) => {
  /** @type {string[]} */
  let logs = [];
  const launch = async (settings, options) => {
    const gateway = await startGateway(settings, options);
    logs = gateway.logs;
    return gateway;
  };
  const world = await startPipelines(t, { persist: true, launch });
  const id = await world.begin({ still: picture("slow") });
  // A create that is interrupted would fail the step.
  await world.until(id, ({ steps: [step] }) => step.state === "RUNNING");
  const version = (number) => () =>
    changeStored(
      world.state,
      "pipeline",
      `UPDATE schema_version SET version = ${number}`,
    );
  await world.restart({}, version(99));
  // The alarm after the interruption comes within half a minute.
  const problem = /a stored pipeline can't be read; a later build may/;
  for (const end = Date.now() + 60_000; !problem.test(logs.join("\n")); ) {
    assert.ok(Date.now() < end, `no alarm came: ${logs.join("\n")}`);
    await sleep(100);
  }
  const reports = () => logs.filter((line) => problem.test(line)).length;
  assert.equal((await world.send(`pipelines/${id}`)).status, 500);
  // The platform would call a failed alarm again after two seconds.
  await sleep(5_000);
  assert.equal(reports(), 1);
  await world.restart({}, version(1));
  world.released = true;
  assert.equal((await world.ended(id)).state, "SUCCEEDED");
});
