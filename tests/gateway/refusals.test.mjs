// The parts of a refusal that a page can read, and its line in the log.
import assert from "node:assert/strict";
import { test } from "node:test";
import { logged, SETTINGS } from "../support/gateway.mjs";
import { openSession, sessionToken } from "../support/session.mjs";
import { token } from "../support/token.mjs";
import { startWorld, taskResponse } from "../support/world.mjs";

const ORIGIN = "https://app.example.com";
const FOREIGN = "https://other.example.com";
const CREATE = "/api/app/v1/generate/image/text_to_image_turbo";

/** Starts a gateway with these settings. */
async function start(settings) {
  const world = await startWorld(() => taskResponse("QUEUED"), {
    ALLOWED_ORIGINS: ORIGIN,
    ...settings,
  });
  // The log has only this test's requests.
  world.gateway.logs.length = 0;
  const preflight = (path, origin) =>
    world.send(path, {
      method: "OPTIONS",
      bearer: null,
      headers: {
        origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,content-type",
      },
    });
  return { ...world, preflight };
}

const lines = (gateway) => logged(gateway.logs);

/**
 * Returns true if a browser would let a page of this origin read the response to a request with a
 * token and JSON.
 */
function isReadable(preflight, response, origin) {
  const names = preflight.headers.get("access-control-allow-headers") ?? "";
  return (
    preflight.status === 204 &&
    preflight.headers.get("access-control-allow-origin") === origin &&
    names.includes("authorization") &&
    names.includes("content-type") &&
    response.headers.get("access-control-allow-origin") === origin
  );
}

test("a page reads which setting is wrong", async () => {
  const setting = "ALLOWED_ORIGINS";
  const { upstream, gateway, send, preflight } = await start({
    [setting]: `${ORIGIN}/`,
  });
  const allowed = await preflight(CREATE, ORIGIN);
  assert.equal(allowed.headers.get("access-control-max-age"), "0");
  for (const origin of [ORIGIN, FOREIGN]) {
    const response = await send(CREATE, {
      headers: { origin },
      body: { prompt: "p" },
    });
    assert.deepEqual(
      [response.status, response.data.reason],
      [500, "misconfigured"],
    );
    assert.equal(response.data.setting, setting);
    assert.ok(isReadable(await preflight(CREATE, origin), response, origin));
  }
  const line = lines(gateway).find(({ status }) => status === 500);
  assert.deepEqual([line.reason, line.setting], ["misconfigured", setting]);
  assert.ok(!gateway.logs.some((text) => text.includes(SETTINGS.SEAL_SECRET)));
  assert.deepEqual(upstream.seen, []);
});

test("a page of an unlisted origin can read that refusal, and nothing else", async () => {
  const { upstream, gateway, send, preflight } = await start({
    ANONYMOUS_SESSIONS: "on",
  });
  const own = await preflight(CREATE, ORIGIN);
  assert.ok(Number(own.headers.get("access-control-max-age")) > 0);
  const foreign = await preflight(CREATE, FOREIGN);
  assert.deepEqual(
    [foreign.status, foreign.headers.get("access-control-max-age")],
    [204, "0"],
  );
  for (const [path, method] of [
    [CREATE, "POST"],
    ["/api/app/v1/models", "GET"],
    ["/session", "POST"],
    ["/mcp", "POST"],
    ["/healthz", "GET"],
    ["/openapi.json", "GET"],
    ["/", "GET"],
    ["/nothing", "DELETE"],
  ]) {
    const response = await send(path, {
      method,
      headers: { origin: FOREIGN, "x-mediagate": "1" },
    });
    assert.equal(response.status, 403, path);
    assert.ok(
      isReadable(await preflight(path, FOREIGN), response, FOREIGN),
      path,
    );
    const reason =
      path === "/mcp"
        ? JSON.parse(response.text).error.data.reason
        : response.data.reason;
    assert.equal(reason, "origin_not_allowed", path);
  }
  assert.deepEqual(upstream.seen, []);
  const line = lines(gateway).find(({ status }) => status === 403);
  assert.deepEqual([line.reason, line.origin], ["origin_not_allowed", FOREIGN]);
});

test("the log shortens and escapes an origin, and contains no token", async () => {
  const { gateway, send } = await start({});
  const bearer = token("alice");
  const origin = `https://${"a".repeat(5000)}.example`;
  assert.equal(
    (await send("/healthz", { bearer, headers: { origin } })).status,
    403,
  );
  assert.equal(
    (
      await send("/healthz", {
        bearer,
        headers: { origin: '"},{"status":"200' },
      })
    ).status,
    403,
  );
  assert.equal(
    (await send("/api/app/v1/models", { bearer: `${bearer}x` })).status,
    401,
  );
  const entries = lines(gateway);
  const origins = entries.map((entry) => entry.origin).filter(Boolean);
  assert.deepEqual([origins[0].length, origins[1]], [256, '"},{"status":"200']);
  assert.equal(
    entries.find((entry) => entry.status === 401).reason,
    "invalid_token",
  );
  assert.ok(!gateway.logs.some((text) => text.includes(bearer.split(".")[2])));
});

test("without anonymous sessions, a session is refused with the message that a token is needed", async () => {
  const { url } = await start({});
  const response = await openSession(url, ORIGIN);
  assert.equal(response.status, 404);
  assert.match(response.message, /token is needed/);
  assert.match(response.message, /ANONYMOUS_SESSIONS/);
});

test("DEFAULT_BUDGET applies to every token without a budget, on every route", async () => {
  const { upstream, url, send } = await start({
    DEFAULT_BUDGET: '{"creates": 2}',
    ANONYMOUS_SESSIONS: "on",
  });
  const create = (bearer) => send(CREATE, { bearer, body: { prompt: "p" } });
  const all = "generate:* process:* upload";
  for (const bearer of [
    token("alice"),
    token("ben", all, { budget: {} }),
    await sessionToken(url, ORIGIN),
  ]) {
    const replies = [
      await create(bearer),
      await create(bearer),
      await create(bearer),
    ];
    assert.deepEqual(
      replies.map((reply) => reply.status),
      [200, 200, 429],
    );
    assert.equal(replies[2].data.limit, "creates");
  }
  const own = token("carol", all, { budget: { creates: 1 } });
  assert.deepEqual(
    [(await create(own)).status, (await create(own)).status],
    [200, 429],
  );
  const generous = token("dan", all, { budget: { creates: 9 } });
  for (let count = 0; count < 4; count++)
    assert.equal((await create(generous)).status, 200, "its own budget counts");
  assert.equal(upstream.seen.length, 11);
});
