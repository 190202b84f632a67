// Webhooks. The app's backend gets the end of each task by Standard Webhooks, and failed deliveries
// are retried.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Webhook } from "standardwebhooks";
import { verifyWebhook } from "../../pkg/dist/server.js";
import { startUpstream } from "../support/upstream.mjs";
import { startRestartable, taskResponse } from "../support/world.mjs";

const CURRENT = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const OLD = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
/**
 * Starts an upstream, the app's backend, and a gateway between them. The backend returns
 * `responses` in order, and repeats the last one.
 *
 * @param {import("node:test").TestContext} t
 * @param {{ states: string[], responses?: import("../support/upstream.mjs").Scripted[] }} options
 */
async function start(t, { states, responses = [{ status: 204 }] }) {
  const next = (list) => (list.length > 1 ? list.shift() : list[0]);
  const backend = await startUpstream(() => next(responses));
  t.after(() => backend.stop());
  const { upstream, client, restart } = await startRestartable(
    t,
    ({ method }) =>
      taskResponse(method === "POST" ? "QUEUED" : next(states), "t", {
        output_url: "https://h/a.png",
      }),
    {
      WEBHOOK_URLS: `${backend.url}/hook`,
      WEBHOOK_SECRET: `${CURRENT},${OLD}`,
    },
  );
  const create = async () => (await client().create()).data.task.id;
  const delivered = async (count) => {
    while (backend.seen.length < count) await sleep(50);
    return backend.seen;
  };
  return { upstream, backend, create, delivered, restart };
}

/** @returns {any} the message */
const verified = (secret, { body, headers }) =>
  new Webhook(secret).verify(body, headers);

test("without a subscriber, the backend gets a task's end, signed with each key", async (t) => {
  const { upstream, backend, create, delivered } = await start(t, {
    states: ["RUNNING", "SUCCEEDED"],
  });
  const id = await create();
  const [delivery] = await delivered(1);
  assert.deepEqual([delivery.method, delivery.path], ["POST", "/hook"]);
  for (const secret of [CURRENT, OLD]) {
    const { type, timestamp, data } = verified(secret, delivery);
    assert.equal(type, "task.succeeded");
    assert.equal(delivery.headers["user-agent"], "Mediagate-Webhook/1");
    assert.ok(Math.abs(Date.now() - Date.parse(timestamp)) < 60_000);
    assert.deepEqual([data.task.id, data.task.state], [id, "SUCCEEDED"]);
    assert.equal(data.task.outputs[0].url, "https://h/a.png");
    assert.deepEqual(data.subject, {
      source: "hs256",
      issuer: "",
      name: "alice",
    });
    assert.deepEqual(await verifyWebhook(delivery, secret), {
      id: delivery.headers["webhook-id"],
      type,
      timestamp,
      data,
    });
  }
  assert.throws(() =>
    new Webhook("whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA").verify(
      delivery.body,
      delivery.headers,
    ),
  );
  assert.equal(
    delivery.headers.authorization,
    undefined,
    "the API key goes to the upstream only",
  );
  assert.equal(
    upstream.seen.filter(({ method }) => method === "GET").length,
    2,
  );
  assert.equal(backend.seen.length, 1);
});

test("a failed delivery is repeated with the same id and body, also after the gateway was killed", async (t) => {
  const responses = [
    { status: 302, headers: { location: "http://127.0.0.1:9/" } },
    { status: 200, body: "ok" },
  ];
  const { create, delivered, restart } = await start(t, {
    states: ["FAILED"],
    responses,
  });
  await create();
  await delivered(1);
  // Waits until the response is stored and another second has begun.
  await sleep(1_100);
  await restart();
  const [first, second] = await delivered(2);
  assert.equal(first.headers["webhook-id"], second.headers["webhook-id"]);
  assert.equal(first.body, second.body);
  assert.ok(
    Number(second.headers["webhook-timestamp"]) >
      Number(first.headers["webhook-timestamp"]),
  );
  assert.equal(verified(CURRENT, second).type, "task.failed");
});
