// The gateway's OpenAPI document: who may read it, its caching, and its completeness.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startGateway } from "../support/gateway.mjs";
import { token } from "../support/token.mjs";
import { startUpstream } from "../support/upstream.mjs";

const ORIGIN = "https://app.example.com";
const PATH = "/openapi.json";

let upstream, gateway, document;
before(async () => {
  upstream = await startUpstream(() => ({
    json: { code: 0, message: "ok", data: { task: { id: "task-1" } } },
  }));
  gateway = await startGateway({
    UPSTREAM_BASE_URL: upstream.url,
    ALLOWED_ORIGINS: ORIGIN,
  });
  document = await (await fetch(gateway.url + PATH)).json();
});
after(() => Promise.all([gateway?.stop(), upstream?.stop()]));

const get = (headers = {}, method = "GET") =>
  fetch(gateway.url + PATH, { method, headers });

test("anyone but a page of another origin may read the document, and the upstream gets no request for it", async () => {
  const response = await get();
  assert.deepEqual(
    [response.status, response.headers.get("content-type")],
    [200, "application/json"],
  );
  assert.equal((await response.json()).openapi, "3.1.1");
  assert.ok(
    response.headers.get("x-request-id") &&
      response.headers.get("server-timing"),
  );
  assert.equal(
    (await get({ origin: ORIGIN })).headers.get("access-control-allow-origin"),
    ORIGIN,
  );
  const other = await get({ origin: "https://evil.example.com" });
  assert.deepEqual(
    [other.status, other.headers.get("cache-control")],
    [403, "no-store"],
  );
  const wrong = await get({}, "POST");
  assert.deepEqual([wrong.status, wrong.headers.get("allow")], [405, "GET"]);
  assert.equal(upstream.seen.length, 0);
});

test("a client that has the current version gets a 304", async () => {
  const first = await get();
  const etag = first.headers.get("etag");
  assert.match(etag, /^"[0-9a-f]{32}"$/);
  assert.match(first.headers.get("cache-control"), /^public, max-age=\d+$/);
  assert.equal(first.headers.get("vary"), "origin");
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
    const response = await get({ "if-none-match": known });
    assert.deepEqual(
      [response.status, await response.text(), response.headers.get("etag")],
      [304, "", etag],
      known,
    );
  }
  for (const unknown of ['"other"', etag.slice(1, -1)])
    assert.equal(
      (await get({ "if-none-match": unknown })).status,
      200,
      unknown,
    );
});

test("every operation exists, and needs a token if the document says so", async () => {
  const reasons = {};
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, { operationId, security }] of Object.entries(methods)) {
      const response = await fetch(gateway.url + path.replace(/\{.*\}/, "x"), {
        method: method.toUpperCase(),
      });
      const body =
        response.headers.get("content-type") === "application/json"
          ? await response.json()
          : {};
      // A JSON-RPC response has its data in `error`.
      reasons[operationId] = (body.error ?? body).data?.reason;
      assert.equal(
        reasons[operationId] === "no_token",
        security === undefined,
        operationId,
      );
    }
  }
  const withoutToken = Object.entries(reasons).filter(
    ([, reason]) => reason !== "no_token",
  );
  // This gateway has no anonymous sessions, no authorization server and no playground.
  const off = [
    "mcpTokenIssuers",
    "openSession",
    "playground",
    "tokenIssuers",
  ].map((operationId) => [operationId, "unknown_path"]);
  assert.deepEqual(
    withoutToken.sort(),
    [
      ["health", undefined],
      ["openapi", undefined],
      ["readOutput", "unknown_output"],
      ["readResult", "unknown_output"],
      ...off,
    ].sort(),
  );
});

test("refusals have the shape that the document describes", async () => {
  const path = "/api/app/v1/process/asset/merge_pdf";
  const { responses } = document.paths[path].post;
  const assertRefused = async (status, reason, headers, body) => {
    const response = await fetch(gateway.url + path, {
      method: "POST",
      headers,
      body,
    });
    const { data } = await response.json();
    assert.deepEqual([response.status, data.reason], [status, reason]);
    const name = responses[status].$ref.split("/").at(-1);
    const described = document.components.responses[name];
    const reasons =
      described.content["application/json"].schema.allOf[1].properties.data
        .properties.reason.enum;
    assert.ok(reasons.includes(reason), `${name}: ${reasons}`);
  };
  const bearer = (scope) => ({
    authorization: `Bearer ${token("alice", scope)}`,
  });
  await assertRefused(401, "invalid_token", { authorization: "Bearer x" });
  await assertRefused(403, "scope", bearer("upload"));
  await assertRefused(403, "origin_not_allowed", {
    origin: "https://evil.example.com",
  });
  await assertRefused(400, "malformed_json", bearer(), "{");
  await assertRefused(400, "invalid_fields", bearer(), "{}");
  await assertRefused(
    400,
    "idempotency_key",
    { ...bearer(), "idempotency-key": "é" },
    "{}",
  );
  await assertRefused(
    413,
    "body_too_large",
    bearer(),
    " ".repeat((1 << 20) + 1),
  );
});
