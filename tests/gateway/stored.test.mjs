// Stored data that the gateway can't read, because a newer build wrote it or it is damaged. No
// create is sent for it.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { startGateway } from "../support/gateway.mjs";
import { request } from "../support/request.mjs";
import { changeStored } from "../support/stored.mjs";
import { startUpstream } from "../support/upstream.mjs";

const CREATE = "generate/image/text_to_image_turbo";
const ENDED = {
  task: {
    id: "task-1",
    status: "SUCCEEDED",
    output_url: "https://media.example.com/a.png",
  },
};

/**
 * Runs a test with a gateway that has made a task with the key `made`. `reopened(table, sql)`
 * changes its storage and restarts it.
 */
async function withStored(run) {
  const state = await mkdtemp(join(tmpdir(), "mediagate-stored-"));
  const upstream = await startUpstream(() => ({
    json: { code: 0, data: ENDED },
  }));
  const start = () =>
    startGateway({ UPSTREAM_BASE_URL: upstream.url }, { state });
  let gateway = await start();
  const reopened = async (table, sql) => {
    await gateway.stop();
    await changeStored(state, table, sql);
    gateway = await start();
    upstream.seen.length = 0;
  };
  const send = (path, init) =>
    request(`${gateway.url}/api/app/v1/${path}`, init);
  const create = (key) =>
    send(CREATE, {
      body: { prompt: key },
      headers: { "idempotency-key": key },
    });
  try {
    const made = await create("made");
    assert.equal(made.status, 200, made.text);
    await run({
      id: made.data.task.id,
      create,
      send,
      reopened,
      upstream,
      logs: () => gateway.logs.join("\n"),
    });
  } finally {
    await Promise.all([gateway.stop(), upstream.stop()]);
    await rm(state, { recursive: true, force: true });
  }
}

const outcome = ({ status, code, data }) => [
  status,
  code,
  data.reason,
  data.cause,
  data.outcome,
];
const UNREADABLE = [502, 99, "outcome_unknown", "ledger", "unknown"];

test("a ledger of a newer build refuses each create, and sends none", () =>
  withStored(async ({ create, reopened, upstream }) => {
    await reopened("creates", "UPDATE schema_version SET version = 99");
    for (const key of ["made", "new"])
      assert.deepEqual(outcome(await create(key)), UNREADABLE);
    assert.equal(upstream.seen.length, 0);
    await reopened("creates", "UPDATE schema_version SET version = 1");
    assert.equal(
      (await create("made")).headers.get("idempotent-replayed"),
      "true",
    );
    assert.equal((await create("new")).status, 200);
  }));

for (const [damage, sql] of [
  ["whose outcome is cut off", "UPDATE creates SET outcome = '{'"],
  ["of a group that does not exist", "UPDATE creates SET task_group = 'video'"],
])
  test(`a create ${damage} is an error, and not sent again`, () =>
    withStored(async ({ create, reopened, upstream }) => {
      await reopened("creates", sql);
      assert.deepEqual(outcome(await create("made")), UNREADABLE);
      assert.equal(upstream.seen.length, 0);
    }));

test("the damaged state of a watched task is deleted, and the watch starts again", () =>
  withStored(async ({ id, send, reopened, logs }) => {
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
  }));
