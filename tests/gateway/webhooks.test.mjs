// Webhooks. The app's backend gets the end of each task by Standard Webhooks, and failed deliveries
// are retried.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { verifyWebhook } from "../../pkg/dist/server.js";
import { startGateway } from "../support/gateway.mjs";
import { request } from "../support/request.mjs";
import { startUpstream } from "../support/upstream.mjs";

const CURRENT = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const OLD = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
const taskResponse = (id, status) => ({
  json: {
    code: 0,
    data: { task: { id, status, output_url: "https://h/a.png" } },
  },
});

/**
 * Starts an upstream, the app's backend, and a gateway between them. The backend returns
 * `responses` in order, and repeats the last one.
 *
 * @param {{ states: string[], responses?: import("../support/upstream.mjs").Scripted[], state?: string, settings?: Record<string, string> }}
 *   options
 */
async function withBackend(
  { states, responses = [{ status: 204 }], state, settings },
  run,
) {
  const upstream = await startUpstream(({ method }) =>
    taskResponse(
      "t",
      method === "POST"
        ? "QUEUED"
        : states.length > 1
          ? states.shift()
          : states[0],
    ),
  );
  const backend = await startUpstream(() =>
    responses.length > 1 ? responses.shift() : responses[0],
  );
  const start = () =>
    startGateway(
      {
        UPSTREAM_BASE_URL: upstream.url,
        WEBHOOK_URLS: `${backend.url}/hook`,
        WEBHOOK_LOOPBACK: "on",
        WEBHOOK_SECRET: `${CURRENT},${OLD}`,
        ...settings,
      },
      { state },
    );
  const create = async () =>
    (
      await request(
        `${gateway.url}/api/app/v1/generate/image/text_to_image_turbo`,
        { body: { prompt: "p" } },
      )
    ).data.task.id;
  const delivered = async (count) => {
    while (backend.seen.length < count)
      await new Promise((resolve) => setTimeout(resolve, 50));
    return backend.seen;
  };
  let gateway = await start();
  const restart = async () => {
    await gateway.stop();
    gateway = await start();
  };
  try {
    await run({ upstream, backend, create, delivered, restart });
  } finally {
    await Promise.all([gateway.stop(), upstream.stop(), backend.stop()]);
  }
}

/** @returns {any} the message */
const verified = (secret, { body, headers }) =>
  new Webhook(secret).verify(body, headers);

test("without a subscriber, the backend gets a task's end, signed with each key", () =>
  withBackend(
    { states: ["RUNNING", "SUCCEEDED"] },
    async ({ upstream, backend, create, delivered }) => {
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
    },
  ));

test("a failed delivery is repeated with the same id and body, also after the gateway was killed", async () => {
  const state = await mkdtemp(join(tmpdir(), "mediagate-webhooks-"));
  try {
    const responses = [
      { status: 302, headers: { location: "http://127.0.0.1:9/" } },
      { status: 200, body: "ok" },
    ];
    await withBackend(
      { states: ["FAILED"], responses, state },
      async ({ create, delivered, restart }) => {
        await create();
        await delivered(1);
        // Waits until the response is stored and another second has begun.
        await new Promise((resolve) => setTimeout(resolve, 1_100));
        await restart();
        const [first, second] = await delivered(2);
        assert.equal(first.headers["webhook-id"], second.headers["webhook-id"]);
        assert.equal(first.body, second.body);
        assert.ok(
          Number(second.headers["webhook-timestamp"]) >
            Number(first.headers["webhook-timestamp"]),
        );
        assert.equal(verified(CURRENT, second).type, "task.failed");
      },
    );
  } finally {
    await rm(state, { recursive: true, force: true });
  }
});

test("webhook URLs need a valid secret", async () => {
  for (const secret of ["", "short", "whsec_AAAA"]) {
    const gateway = await startGateway({
      UPSTREAM_BASE_URL: "http://127.0.0.1:9",
      WEBHOOK_URLS: "https://hooks.example.com/",
      WEBHOOK_SECRET: secret,
    });
    try {
      assert.match(
        (await (await fetch(`${gateway.url}/healthz`)).json()).message,
        /WEBHOOK_SECRET/,
      );
    } finally {
      await gateway.stop();
    }
  }
});
