// Tokens for agents that stay configured: longer lives, at one door, and revocable; and who else issues tokens.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, beforeEach, test } from "node:test";
import { SignJWT, exportJWK, generateKeyPair } from "jose";
import { startGateway } from "../support/gateway.mjs";
import { startUpstream } from "../support/upstream.mjs";
import { token } from "../support/token.mjs";
import { call, legacy, refusal } from "./support/client.mjs";

const DAY = 86_400;
const running = [];
after(() => Promise.all(running.map((it) => it.stop())));

const answer = () => ({ json: { code: 0, data: { task: { id: "t", status: "QUEUED" }, upload_url: `${upstream?.url}/put`, file_id: "f" } } });
const upstream = await startUpstream(answer);
running.push(upstream);
beforeEach(() => (upstream.answer = answer));
const start = async (settings = {}) => {
  const gateway = await startGateway({ UPSTREAM_BASE_URL: upstream.url, ...settings });
  running.push(gateway);
  return gateway.url;
};

/** An agent's token: it was issued `age` days ago for `life` days. */
const agent = ({ scope = "mcp generate:* upload", life = 90, age = 30, jti = "agent-1", ...claims } = {}) => {
  const iat = Math.floor(Date.now() / 1000) - age * DAY;
  return token("alice", scope, { iat, exp: iat + life * DAY, ...(jti && { jti }), ...claims });
};
const knock = async (url, bearer) => {
  const { status, headers, last } = await legacy(url, "ping", undefined, { bearer });
  return [status, last.error?.data.reason, headers.get("www-authenticate")];
};
const REFUSED = 'Bearer error="invalid_token"';

test("an agent's token lives for months, at /mcp alone", async () => {
  const url = await start({ UPLOAD_MODE: "relay" });
  assert.deepEqual(await knock(url, agent()), [200, undefined, null]);
  assert.equal((await call(url, "text_to_image_turbo", { prompt: "p" }, { bearer: agent() })).isError, false);
  const page = await fetch(`${url}/api/app/v1/models`, { headers: { authorization: `Bearer ${agent()}` } });
  assert.deepEqual([page.status, (await page.json()).data.reason], [401, "long_token"]);
  const { upload_url } = (await call(url, "request_upload", { file_name: "a", content_type: "image/png", size: 3 }, { bearer: agent() })).structuredContent;
  upstream.answer = () => ({ json: {} });
  const put = await fetch(upload_url, { method: "PUT", body: "abc", headers: { authorization: `Bearer ${agent()}` } });
  assert.equal(put.status, 200, "the bytes that it asked to send");
});

test("without the scope, without an id, too long or revoked it is no token", async () => {
  const url = await start({ MCP_REVOKED_TOKENS: "stolen, agent-9" });
  const cases = [
    [agent({ scope: "generate:* upload" }), "long_token"],
    [agent({ scope: "MCP mcp:* xmcp" }), "long_token"],
    [agent({ life: 91 }), "long_token"],
    [agent({ age: 91 }), "expired_token"],
    [agent({ jti: null }), "invalid_id"],
    [agent({ jti: "a,b" }), "invalid_id"],
    [agent({ jti: " " }), "invalid_id"],
    [agent({ jti: "x".repeat(129) }), "invalid_id"],
    [agent({ jti: 5 }), "invalid_claims"],
    [agent({ jti: "stolen" }), "revoked_token"],
    [token("alice", "generate:*", { jti: "stolen" }), "revoked_token"],
    [agent({ aud: "another" }), "wrong_audience"],
    ["no.token.atall", "invalid_token"],
  ];
  for (const [bearer, reason] of cases) assert.deepEqual(await knock(url, bearer), [401, reason, REFUSED], reason);
  assert.deepEqual(await knock(url, ""), [401, "no_token", "Bearer"]);
  for (const good of [agent({ jti: "agent-2" }), token("alice", "generate:*", { jti: "fine" }), token("alice", "")]) assert.equal((await knock(url, good))[0], 200);
});

test("how long is a setting, and 0 is no longer than any other", async () => {
  const week = await start({ MCP_TOKEN_DAYS: "7" });
  assert.deepEqual([(await knock(week, agent({ life: 7, age: 1 })))[0], (await knock(week, agent({ life: 8, age: 1 })))[1]], [200, "long_token"]);
  const none = await start({ MCP_TOKEN_DAYS: "0" });
  assert.deepEqual([(await knock(none, agent({ life: 1, age: 0 })))[1], (await knock(none, token()))[0]], ["long_token", 200]);
  const cut = await start({ SESSION_NOT_BEFORE: String(Math.floor(Date.now() / 1000) - 10 * DAY) });
  assert.deepEqual([(await knock(cut, agent({ age: 30 })))[1], (await knock(cut, agent({ age: 1 })))[0]], ["revoked_token", 200]);
});

test("an authorization server's tokens are taken, and clients are led to it", async () => {
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: "1", alg: "ES256" }] };
  const server = createServer((_, response) => response.setHeader("content-type", "application/json").end(JSON.stringify(keys)));
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  running.push({ stop: () => new Promise((stopped) => server.close(stopped)) });
  const issuer = "https://as.example";
  const resource = "https://media.example/mcp";
  const url = await start({ SESSION_JWKS_URL: `http://127.0.0.1:${server.address().port}`, SESSION_ISSUER: issuer, MCP_RESOURCE: resource, MCP_AUTHORIZATION_SERVERS: issuer });
  const issued = (aud) => new SignJWT({ scope: "generate:*" }).setProtectedHeader({ alg: "ES256", kid: "1" }).setSubject("alice").setIssuer(issuer).setAudience(aud).setIssuedAt().setExpirationTime("10m").sign(privateKey);

  assert.deepEqual((await knock(url, await issued(resource)))[0], 200);
  assert.deepEqual((await knock(url, await issued("https://other.example/mcp")))[1], "wrong_audience");
  const page = await fetch(`${url}/api/app/v1/models`, { headers: { authorization: `Bearer ${await issued(resource)}` } });
  assert.equal((await page.json()).data.reason, "wrong_audience", "it was issued for /mcp");

  const bearer = await issued(resource);
  assert.equal((await call(url, "text_to_image_turbo", { prompt: "p" }, { bearer })).isError, false);
  const narrow = await legacy(url, "tools/call", { name: "mediagate_split_pdf", arguments: {} }, { bearer });
  assert.deepEqual([narrow.status, narrow.last.error.code], [403, 13]);
  assert.match(narrow.headers.get("www-authenticate"), /^Bearer error="insufficient_scope", scope="split_pdf", resource_metadata="/);

  const metadata = "https://media.example/.well-known/oauth-protected-resource/mcp";
  assert.deepEqual(await knock(url, ""), [401, "no_token", `Bearer resource_metadata="${metadata}"`]);
  for (const path of ["/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource"]) {
    const response = await fetch(url + path);
    const { resource: named, authorization_servers, bearer_methods_supported } = await response.json();
    assert.deepEqual([response.status, named, authorization_servers, bearer_methods_supported], [200, resource, [issuer], ["header"]]);
  }
});

test("without one there is no metadata", async () => {
  const url = await start();
  const response = await fetch(`${url}/.well-known/oauth-protected-resource`);
  assert.deepEqual([response.status, (await response.json()).data.reason], [404, "unknown_path"]);
});

test("an agent is bound by the limits of its subject", async () => {
  const url = await start({ RATE_LIMIT_PER_MINUTE: "2" });
  await knock(url, agent());
  await knock(url, agent());
  const { status, headers, last } = await legacy(url, "ping", undefined, { bearer: agent() });
  assert.deepEqual([status, last.error.code, last.error.data.reason, headers.get("retry-after") > 0], [429, 16, "rate_limit", true]);
  const result = await call(await start(), "text_to_image_turbo", { prompt: "p" }, { bearer: agent({ budget: { creates: 0 } }) });
  assert.equal(refusal(result).data.reason, "budget");
});
