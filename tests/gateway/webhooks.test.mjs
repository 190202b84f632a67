// Webhooks: the app's backend is told how each task ends, in the form of Standard Webhooks, until it takes it.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { startGateway } from "../support/gateway.mjs";
import { token } from "../support/token.mjs";
import { startUpstream } from "../support/upstream.mjs";

const CURRENT = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const OLD = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
const say = (id, status) => ({ json: { code: 0, data: { task: { id, status, output_url: "https://h/a.png" } } } });

/** A service, the app's backend, and a gateway between; `answers` are the backend's, the last one for good. */
async function withBackend({ states, answers = [{ status: 204 }], state, settings }, run) {
  const upstream = await startUpstream(({ method }) => say("t", method === "POST" ? "QUEUED" : states.length > 1 ? states.shift() : states[0]));
  const backend = await startUpstream(() => (answers.length > 1 ? answers.shift() : answers[0]));
  const start = () =>
    startGateway({
      UPSTREAM_BASE_URL: upstream.url, WEBHOOK_URLS: `${backend.url}/hook`, WEBHOOK_LOOPBACK: "on", WEBHOOK_SECRET: `${CURRENT},${OLD}`, ...settings,
    }, { state });
  const create = async (gateway) => {
    const init = { method: "POST", body: '{"prompt":"p"}', headers: { authorization: `Bearer ${token()}` } };
    return (await (await fetch(`${gateway.url}/api/app/v1/generate/image/text_to_image_turbo`, init)).json()).data.task.id;
  };
  const told = async (count) => {
    while (backend.seen.length < count) await new Promise((resolve) => setTimeout(resolve, 50));
    return backend.seen;
  };
  let gateway = await start();
  const restart = async () => {
    await gateway.stop();
    gateway = await start();
  };
  try {
    await run({ upstream, backend, create: () => create(gateway), told, restart });
  } finally {
    await Promise.all([gateway.stop(), upstream.stop(), backend.stop()]);
  }
}

test("nobody listens, and the backend is told the end, signed with each key", () =>
  withBackend({ states: ["RUNNING", "SUCCEEDED"] }, async ({ upstream, backend, create, told }) => {
    const id = await create();
    const [hook] = await told(1);
    assert.deepEqual([hook.method, hook.path], ["POST", "/hook"]);
    for (const secret of [CURRENT, OLD]) {
      const { type, timestamp, data } = new Webhook(secret).verify(hook.body, hook.headers);
      assert.equal(type, "task.succeeded");
      assert.ok(Math.abs(Date.now() - Date.parse(timestamp)) < 60_000);
      assert.deepEqual([data.task.id, data.task.state], [id, "SUCCEEDED"]);
      assert.equal(data.task.outputs[0].url, "https://h/a.png");
      assert.deepEqual(data.subject, { source: "hs256", issuer: "", name: "alice" });
    }
    assert.throws(() => new Webhook("whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA").verify(hook.body, hook.headers));
    assert.equal(hook.headers.authorization, undefined, "the service's key goes to the service");
    assert.equal(upstream.seen.filter((it) => it.method === "GET").length, 2);
    assert.equal(backend.seen.length, 1);
  }));

test("what is not taken is told again, under the same id and to the byte, also after the gateway was killed", async () => {
  const state = await mkdtemp(join(tmpdir(), "mediagate-webhooks-"));
  try {
    const answers = [{ status: 302, headers: { location: "http://127.0.0.1:9/" } }, { status: 200, body: "ok" }];
    await withBackend({ states: ["FAILED"], answers, state }, async ({ create, told, restart }) => {
      await create();
      await told(1);
      await restart();
      const [first, second] = await told(2);
      assert.equal(first.headers["webhook-id"], second.headers["webhook-id"]);
      assert.equal(first.body, second.body);
      assert.ok(Number(second.headers["webhook-timestamp"]) > Number(first.headers["webhook-timestamp"]));
      assert.equal(new Webhook(CURRENT).verify(second.body, second.headers).type, "task.failed");
    });
  } finally {
    await rm(state, { recursive: true, force: true });
  }
});

test("targets need a key, and one that is one", async () => {
  for (const secret of ["", "short", "whsec_AAAA"]) {
    const gateway = await startGateway({ UPSTREAM_BASE_URL: "http://127.0.0.1:9", WEBHOOK_URLS: "https://hooks.example.com/", WEBHOOK_SECRET: secret });
    try {
      assert.match((await (await fetch(`${gateway.url}/healthz`)).json()).message, /WEBHOOK_SECRET/);
    } finally {
      await gateway.stop();
    }
  }
});
