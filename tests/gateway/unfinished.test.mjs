// Tasks that never end, and services that stop answering. Everyone who waits is notified.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { verifyWebhook } from "../../pkg/dist/server.js";
import { openEvents, readAll } from "../support/events.mjs";
import { startUpstream } from "../support/upstream.mjs";
import { startWorld, taskResponse } from "../support/world.mjs";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
/** Starts an upstream with one running task, the app's backend, and a gateway between them. */
async function start(t, settings) {
  const backend = await startUpstream(() => ({ status: 204 }));
  t.after(() => backend.stop());
  const { upstream, api, create, bearer, url } = await startWorld(
    () => taskResponse("RUNNING"),
    {
      PUBLIC_URL: "https://media.example.com",
      WEBHOOK_URLS: `${backend.url}/hook`,
      WEBHOOK_SECRET: SECRET,
      ...settings,
    },
  );
  const { id } = (await create()).data.task;
  return {
    upstream,
    id,
    api,
    read: () => api(`generate/tasks/${id}`),
    subscribe: () => openEvents(url, `tasks/${id}`, { bearer }),
    webhook: async (position) => {
      while (backend.seen.length <= position) await delay(50);
      return /** @type {any} */ (
        await verifyWebhook(backend.seen[position], SECRET)
      );
    },
  };
}

test("a task that does not end in time is reported as unfinished, and its end is reported later", async (t) => {
  const { upstream, id, api, read, subscribe, webhook } = await start(t, {
    MAX_TASK_SECONDS: "2",
    HISTORY_DAYS: "2",
  });
  const last = (await readAll(await subscribe())).at(-1);
  assert.deepEqual(
    [last.event, last.data.task.state, last.data.task.unfinished],
    ["task", "RUNNING", true],
  );
  const changed = Date.parse(last.data.task.changed_at);
  assert.ok(Math.abs(Date.now() - changed) < 60_000);
  const unfinished = await webhook(0);
  assert.equal(unfinished.type, "task.unfinished");
  assert.deepEqual(
    [unfinished.data.task.id, unfinished.data.task.unfinished],
    [id, true],
  );
  assert.equal((await read()).data.task.unfinished, true);
  const [entry] = (await api("tasks")).data.tasks;
  assert.deepEqual([entry.unfinished, entry.ended_at], [true, undefined]);

  // A later subscriber is notified again, by a new poll. The app's backend is not.
  const polls = upstream.seen.length;
  const again = (await readAll(await subscribe())).at(-1);
  assert.equal(again.data.task.unfinished, true);
  assert.ok(upstream.seen.length > polls);

  upstream.respond = () => taskResponse("SUCCEEDED");
  const { task } = (await read()).data;
  assert.deepEqual([task.state, task.unfinished], ["SUCCEEDED", undefined]);
  const succeeded = await webhook(1);
  assert.equal(succeeded.type, "task.succeeded");
  assert.notEqual(succeeded.id, unfinished.id);
  assert.equal(succeeded.data.task.unfinished, undefined);
});

test("the backend is notified of a task that the service no longer has", async (t) => {
  const { upstream, id, webhook } = await start(t, {});
  upstream.respond = () => ({
    status: 404,
    json: { code: 12, message: "no such task" },
  });
  const { type, data } = await webhook(0);
  assert.deepEqual([type, data.task.id], ["task.unfinished", id]);
});
