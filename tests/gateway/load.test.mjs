// Load: a caller who asks too much, a service that does not answer, and people behind anonymous sessions.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startGateway } from "../support/gateway.mjs";
import { token } from "../support/token.mjs";
import { startUpstream } from "../support/upstream.mjs";

const TASK = { code: 0, data: { task: { id: "t", status: "QUEUED" } } };

/** Runs a test against a gateway with these settings and a service that answers so. */
async function withGateway(settings, answer, run) {
  const upstream = await startUpstream(answer);
  const gateway = await startGateway({ UPSTREAM_BASE_URL: upstream.url, UPSTREAM_TIMEOUT_MS: "2000", ...settings });
  const ask = async (path, { bearer = token(), ...init } = {}) => {
    const response = await fetch(gateway.url + path, { ...init, headers: { ...(bearer && { authorization: `Bearer ${bearer}` }), ...init.headers } });
    return { ...(await response.json()), status: response.status, headers: response.headers };
  };
  const create = (bearer) => ask("/api/app/v1/generate/image/text_to_image_turbo", { method: "POST", body: '{"prompt":"p"}', bearer });
  try {
    await run({ upstream, ask, create });
  } finally {
    await Promise.all([gateway.stop(), upstream.stop()]);
  }
}

test("a subject that asks too much is told when to come back; others are not", () =>
  withGateway({ RATE_LIMIT_PER_MINUTE: "5" }, () => ({ json: TASK }), async ({ upstream, create }) => {
    const answers = [];
    for (let i = 0; i < 8; i++) answers.push(await create());
    assert.deepEqual(answers.map((it) => it.status), [200, 200, 200, 200, 200, 429, 429, 429]);
    const last = answers.at(-1);
    assert.deepEqual([last.code, last.data.reason], [16, "rate_limit"]);
    assert.ok(Number(last.headers.get("retry-after")) >= 1);
    assert.equal(upstream.seen.length, 5);
    assert.equal((await create(token("bob"))).status, 200);
  }));

test("one address may ask for twenty subjects, whoever it says it is", () =>
  withGateway({ RATE_LIMIT_PER_MINUTE: "2" }, () => ({ json: TASK }), async ({ upstream, ask }) => {
    const from = (address, bearer) => ask("/api/app/v1/models", { bearer, headers: { "cf-connecting-ip": address } });
    const answers = [];
    for (let i = 0; i < 44; i++) answers.push(await from("192.0.2.1", "guess"));
    assert.deepEqual([...new Set(answers.map((it) => it.status))], [401, 429]);
    assert.equal(answers.filter((it) => it.status === 401).length, 40);
    assert.equal((await from("192.0.2.1", token())).status, 429);
    assert.equal((await from("192.0.2.2", "guess")).status, 401);
    assert.equal(upstream.seen.length, 0);
  }));

test("a service that fails is left alone, and no create is its probe", () =>
  withGateway({ BREAKER_FAILURES: "3" }, () => ({ status: 503, body: "<html>" }), async ({ upstream, ask, create }) => {
    for (let i = 0; i < 3; i++) assert.equal((await create()).status, 502);
    upstream.answer = () => ({ json: TASK });
    for (let i = 0; i < 5; i++) {
      const answer = await create();
      assert.deepEqual([answer.status, answer.code, answer.data.reason, answer.data.outcome], [503, 99, "upstream_unavailable", "not_sent"]);
      assert.ok(Number(answer.headers.get("retry-after")) >= 1);
    }
    assert.equal((await ask("/api/app/v1/models")).status, 503);
    assert.equal(upstream.seen.length, 3);
  }));

test("what the service itself refuses does not count as failure", () =>
  withGateway({ BREAKER_FAILURES: "2" }, () => ({ status: 500, json: { code: 1401, message: "insufficient credits" } }), async ({ upstream, create }) => {
    for (let i = 0; i < 6; i++) assert.equal((await create()).status, 402);
    assert.equal(upstream.seen.length, 6);
  }));

test("Turnstile has its word before an anonymous session, and silence is a no", async () => {
  const origin = "https://app.example.com";
  const turnstile = await startUpstream((it) => ({ json: { success: JSON.parse(it.body).response === "person" } }));
  const settings = { ANONYMOUS_SESSIONS: "on", ALLOWED_ORIGINS: origin, TURNSTILE_SECRET: "turnstile-secret", TURNSTILE_URL: turnstile.url };
  await withGateway(settings, () => ({ json: TASK }), async ({ ask }) => {
    const session = (response) => ask("/session", { method: "POST", bearer: null, headers: { origin, "x-mediagate": "1", ...(response && { "x-turnstile-response": response }) } });
    assert.equal((await session("person")).code, 0);
    assert.equal(JSON.parse(turnstile.seen[0].body).secret, "turnstile-secret");
    for (const [response, asked] of [[undefined, 1], ["robot", 2], ["x".repeat(3000), 2]]) {
      const answer = await session(response);
      assert.deepEqual([answer.status, answer.data.reason], [403, "turnstile"]);
      assert.equal(turnstile.seen.length, asked);
    }
    for (const answer of [{ body: "<html>" }, { status: 500, json: { success: true } }, { json: { success: "true" } }, { reset: true }]) {
      turnstile.answer = () => answer;
      assert.equal((await session("person")).status, 403);
    }
  });
  await turnstile.stop();
});
