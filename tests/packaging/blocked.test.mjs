// A gateway that a page can't reach. The client finds the cause, and the outcome of the create.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { listen } from "../support/listen.mjs";
import { suite } from "./support/suite.mjs";

const suited = suite();

/** Starts a server with these responses. Returns its URL, and the requests that it has received. */
async function server(t, respond) {
  const received = [];
  const started = createServer((request, response) => {
    received.push(`${request.method} ${request.url}`);
    respond(request, response);
  });
  const url = await listen(started);
  t.after(() => {
    started.closeAllConnections();
    started.close();
  });
  return { url, received };
}

/**
 * Creates through a gateway at this URL, from a page with this policy, and resolves to the outcome.
 *
 * @param {import("node:test").TestContext} t
 * @param {string} gateway
 * @param {{ policy?: string, query?: Record<string, string> }} [options]
 */
async function create(t, gateway, { policy, query } = {}) {
  const folder = await suited.project(t, "page", "plain");
  const { outcome } = await suited.visit(t, folder, {
    path: "/blocked.html",
    policy,
    query: { ...query, target: gateway },
  });
  return outcome;
}

const SOURCES =
  "default-src 'none'; img-src data:; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'";
const creates = (received) =>
  received.filter((request) => request.startsWith("POST"));

test("a server that allows no other origin does not get the create", async (t) => {
  const other = await server(t, (_, response) =>
    response.writeHead(404).end("not here"),
  );
  const { code, outcome, message, hint, retries } = await create(t, other.url);
  assert.deepEqual(
    [code, outcome, retries],
    ["network", "not_sent", [[1, "network"]]],
  );
  assert.match(message, /browser blocked/);
  assert.doesNotMatch(message, /credits/);
  assert.match(hint, /CORS.*ALLOWED_ORIGINS/);
  assert.deepEqual(creates(other.received), []);
});

test("a header that a preflight refuses is reported as a cause", async (t) => {
  const other = await server(t, (request, response) => {
    const headers = {
      "access-control-allow-origin": "*",
      "access-control-allow-headers":
        "authorization, content-type, idempotency-key",
    };
    response.writeHead(request.method === "OPTIONS" ? 204 : 500, headers).end();
  });
  const { code, outcome, hint } = await create(t, other.url, {
    query: { header: "x-own" },
  });
  assert.deepEqual([code, outcome], ["network", "not_sent"]);
  assert.match(hint, /each header that a middleware adds/);
  assert.deepEqual(creates(other.received), []);
});

test("the page's own policy is reported as the cause", async (t) => {
  const other = await server(t, (_, response) => response.writeHead(404).end());
  const { code, outcome, hint } = await create(t, other.url, {
    policy: `${SOURCES}; connect-src 'self'`,
  });
  assert.deepEqual([code, outcome], ["network", "not_sent"]);
  assert.match(hint, /connect-src/);
  assert.deepEqual(other.received, []);
});

test("an upload that the page's own policy blocks names the storage, and is not repeated", async (t) => {
  const storage = await server(t, (_, response) => response.end());
  const headers = {
    "access-control-allow-origin": "*",
    "access-control-allow-headers": "authorization, *",
  };
  const upload = { file_id: "f", upload_url: `${storage.url}/1?secret` };
  const gateway = await server(t, (request, response) => {
    const isPreflight = request.method === "OPTIONS";
    response.writeHead(isPreflight ? 204 : 200, headers);
    response.end(isPreflight ? "" : JSON.stringify({ code: 0, data: upload }));
  });
  const { code, message, hint, retries } = await create(t, gateway.url, {
    policy: `${SOURCES}; connect-src 'self' ${gateway.url}`,
    query: { upload: "1" },
  });
  assert.deepEqual([code, retries], ["upload_failed", []]);
  assert.ok(message.endsWith(` ${new URL(storage.url).host}`), message);
  assert.match(hint, /connect-src/);
  assert.deepEqual(storage.received, []);
});

test("if nothing blocks it, the create may have cost credits, and all possible causes are listed in order", async (t) => {
  const other = await server(t, (request, response) => {
    const headers = {
      "access-control-allow-origin": "*",
      "access-control-allow-headers": "authorization, *",
    };
    response.writeHead(request.method === "OPTIONS" ? 204 : 200, headers);
    if (request.method !== "POST") return void response.end();
    // The response breaks off.
    response.write("{", () => request.socket.destroy());
  });
  const { code, outcome, message, hint } = await create(t, other.url);
  assert.deepEqual([code, outcome], ["network", "unknown"]);
  assert.match(message, /no response.*may have cost credits/);
  assert.match(hint, /connect-src.*ALLOWED_ORIGINS.*header.*idempotencyKey/);
  assert.equal(creates(other.received).length, 2);
});
