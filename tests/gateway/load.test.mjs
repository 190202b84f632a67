// Callers over the rate limit, an upstream that fails, and Turnstile before anonymous sessions.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openSession } from "../support/session.mjs";
import { token } from "../support/token.mjs";
import { startUpstream } from "../support/upstream.mjs";
import { startWorld, taskResponse } from "../support/world.mjs";

const TASK = taskResponse("QUEUED");

test("a subject over its rate limit is refused with Retry-After; others are not refused", async () => {
  const { upstream, create } = await startWorld(() => TASK, {
    RATE_LIMIT_PER_MINUTE: "5",
  });
  const responses = [];
  for (let index = 0; index < 8; index++) responses.push(await create());
  assert.deepEqual(
    responses.map((response) => response.status),
    [200, 200, 200, 200, 200, 429, 429, 429],
  );
  const last = responses.at(-1);
  assert.deepEqual([last.code, last.data.reason], [16, "rate_limit"]);
  assert.ok(Number(last.headers.get("retry-after")) >= 1);
  assert.equal(upstream.seen.length, 5);
  assert.equal((await create(undefined, { bearer: token("bob") })).status, 200);
});

test("one address may send as many requests as twenty subjects, whatever its tokens are", async () => {
  const { upstream, send } = await startWorld(() => TASK, {
    RATE_LIMIT_PER_MINUTE: "2",
  });
  const from = (address, bearer) =>
    send("/api/app/v1/models", {
      bearer,
      headers: { "cf-connecting-ip": address },
    });
  const responses = [];
  const started = Date.now();
  for (let index = 0; index < 60; index++)
    responses.push(await from("192.0.2.1", "guess"));
  assert.deepEqual(
    [...new Set(responses.map((response) => response.status))],
    [401, 429],
  );
  // Another request is allowed every 1.5 seconds, and a busy machine may take that long.
  const regained = Math.floor((Date.now() - started) / 1500);
  const allowed = responses.filter(
    (response) => response.status === 401,
  ).length;
  assert.ok(
    allowed >= 40 && allowed <= 40 + regained,
    `${allowed} of 60, with ${regained} regained`,
  );
  const own = [];
  for (let index = 0; index < 4; index++)
    own.push((await from("192.0.2.1", token())).status);
  assert.ok(own.includes(429), `${own}`);
  assert.equal((await from("192.0.2.2", "guess")).status, 401);
  assert.ok(
    upstream.seen.length <= own.filter((status) => status !== 429).length,
  );
});

test("a failing upstream gets no more requests for a while, and a create never probes it", async () => {
  const { upstream, send, create } = await startWorld(
    () => ({ status: 503, body: "<html>" }),
    { BREAKER_FAILURES: "3" },
  );
  for (let index = 0; index < 3; index++)
    assert.equal((await create()).status, 502);
  upstream.respond = () => TASK;
  for (let index = 0; index < 5; index++) {
    const response = await create();
    assert.deepEqual(
      [
        response.status,
        response.code,
        response.data.reason,
        response.data.outcome,
      ],
      [503, 99, "upstream_unavailable", "not_sent"],
    );
    assert.ok(Number(response.headers.get("retry-after")) >= 1);
  }
  assert.equal((await send("/api/app/v1/models")).status, 503);
  assert.equal(upstream.seen.length, 3);
});

const ADDRESS = "2001:db8:1:2:3:4:5:6";

test("an anonymous session needs a valid Turnstile response, and a failing Turnstile refuses it", async (t) => {
  const origin = "https://app.example.com";
  const verdict = {
    success: true,
    hostname: "app.example.com",
    action: "session",
  };
  const turnstile = await startUpstream(({ body }) => ({
    json: { ...verdict, success: JSON.parse(body).response === "person" },
  }));
  t.after(() => turnstile.stop());
  const settings = {
    ANONYMOUS_SESSIONS: "on",
    ALLOWED_ORIGINS: origin,
    TURNSTILE_SECRET: "turnstile-secret",
    TURNSTILE_URL: turnstile.url,
    TURNSTILE_ACTION: "session",
  };
  const { url } = await startWorld(() => TASK, settings);
  const session = (turnstileResponse) =>
    openSession(url, origin, {
      "cf-connecting-ip": ADDRESS,
      ...(turnstileResponse && { "x-turnstile-response": turnstileResponse }),
    });
  assert.equal((await session("person")).code, 0);
  const { secret, remoteip } = JSON.parse(turnstile.seen[0].body);
  assert.deepEqual(
    [secret, remoteip],
    ["turnstile-secret", ADDRESS],
    "the address, not its network",
  );
  for (const [turnstileResponse, requestCount] of [
    [undefined, 1],
    ["robot", 2],
    ["x".repeat(3000), 2],
  ]) {
    const response = await session(turnstileResponse);
    assert.deepEqual(
      [response.status, response.data.reason],
      [403, "turnstile"],
    );
    assert.equal(turnstile.seen.length, requestCount);
  }
  for (const failure of [
    { body: "<html>" },
    { json: { ...verdict, success: "true" } },
    { json: { ...verdict, hostname: "evil.example.com" } },
    { reset: true },
  ]) {
    turnstile.respond = () => failure;
    assert.equal((await session("person")).status, 403);
  }
});
