// The gateway's OpenAPI document: who may read it, its caching, and its completeness.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startWorld, taskResponse } from "../support/world.mjs";

const ORIGIN = "https://app.example.com";
const PATH = "/openapi.json";

const { upstream, gateway } = await startWorld(
  () => taskResponse("QUEUED", "task-1"),
  { ALLOWED_ORIGINS: ORIGIN },
);
const document = await (await fetch(gateway.url + PATH)).json();

const get = (headers = {}, method = "GET") =>
  fetch(gateway.url + PATH, { method, headers });

test("anyone may read the document, and the upstream gets no request for it", async () => {
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
  const response = await get({ "if-none-match": `"other", ${etag}` });
  assert.deepEqual(
    [response.status, await response.text(), response.headers.get("etag")],
    [304, "", etag],
  );
  assert.equal((await get({ "if-none-match": '"other"' })).status, 200);
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
  // This gateway has no anonymous sessions and no playground.
  const off = ["openSession", "playground"].map((operationId) => [
    operationId,
    "unknown_path",
  ]);
  assert.deepEqual(
    withoutToken.sort(),
    [
      ["health", undefined],
      // An OAuth error, since there is no authorization server.
      ["mcpTokenIssuers", undefined],
      ["tokenIssuers", undefined],
      ["openapi", undefined],
      ["readOutput", "unknown_output"],
      ["readResult", "unknown_output"],
      ["ready", undefined],
      ...off,
    ].sort(),
  );
});
