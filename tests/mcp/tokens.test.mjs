// Agents' tokens, which live longer, are valid only at /mcp and can be revoked, and tokens of
// authorization servers.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, beforeEach, test } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { startGateway } from "../support/gateway.mjs";
import { listen } from "../support/listen.mjs";
import { request } from "../support/request.mjs";
import { token } from "../support/token.mjs";
import { startUpstream } from "../support/upstream.mjs";
import { call, legacy, refusal } from "./support/client.mjs";

const DAY = 86_400;
const running = [];
after(() => Promise.all(running.map((server) => server.stop())));

const respond = () => ({
  json: {
    code: 0,
    data: {
      task: { id: "t", status: "QUEUED" },
      upload_url: `${upstream?.url}/put`,
      file_id: "f",
    },
  },
});
const upstream = await startUpstream(respond);
running.push(upstream);
beforeEach(() => (upstream.respond = respond));
const start = async (settings = {}) => {
  const gateway = await startGateway({
    UPSTREAM_BASE_URL: upstream.url,
    ...settings,
  });
  running.push(gateway);
  return gateway.url;
};

/**
 * Signs an agent's token that was issued `age` days ago for `life` days.
 *
 * @param {{ scope?: string, life?: number, age?: number, jti?: unknown, [claim: string]: unknown }}
 *   [claims]
 */
const agent = ({
  scope = "mcp generate:* upload",
  life = 90,
  age = 30,
  jti = "agent-1",
  ...claims
} = {}) => {
  const iat = Math.floor(Date.now() / 1000) - age * DAY;
  return token("alice", scope, {
    iat,
    exp: iat + life * DAY,
    ...(jti && { jti }),
    ...claims,
  });
};
const ping = async (url, bearer) => {
  const { status, headers, last } = await legacy(url, "ping", undefined, {
    bearer,
  });
  return [status, last.error?.data.reason, headers.get("www-authenticate")];
};
const REFUSED = /^Bearer error="invalid_token", error_description="[^"]+"/;

/** The gateway of tests that need no other settings. */
const url = await start({
  UPLOAD_MODE: "relay",
  MCP_REVOKED_TOKENS: "stolen, agent-9",
});

test("an agent's token lives for months, and is valid only at /mcp", async () => {
  assert.deepEqual(await ping(url, agent()), [200, undefined, null]);
  assert.equal(
    (
      await call(
        url,
        "text_to_image_turbo",
        { prompt: "p" },
        { bearer: agent() },
      )
    ).isError,
    false,
  );
  const models = `${url}/api/app/v1/models`;
  const page = await request(models, { bearer: agent() });
  assert.deepEqual([page.status, page.data.reason], [401, "long_token"]);
  const shortLived = token("alice", "mcp generate:*");
  assert.equal((await ping(url, shortLived))[0], 200);
  const refused = await request(models, { bearer: shortLived });
  assert.equal(refused.data.reason, "agent_token", "however short it lives");
  const { upload_url } = (
    await call(
      url,
      "request_upload",
      { file_name: "a", content_type: "image/png", size: 3 },
      { bearer: agent() },
    )
  ).structuredContent;
  upstream.respond = () => ({ json: {} });
  const put = await fetch(upload_url, {
    method: "PUT",
    body: "abc",
    headers: { authorization: `Bearer ${agent()}` },
  });
  assert.equal(put.status, 200, "its own upload");
});

test("a token without the scope, without an id, with too long a lifetime or revoked is refused", async () => {
  const cases = [
    [agent({ scope: "generate:* upload" }), "long_token"],
    [agent({ age: 91 }), "expired_token"],
    [agent({ jti: null }), "invalid_id"],
    [agent({ jti: "stolen" }), "revoked_token"],
    [agent({ aud: "another" }), "wrong_audience"],
    ["no.token.atall", "invalid_token"],
  ];
  for (const [bearer, expected] of cases) {
    const [status, reason, challenge] = await ping(url, bearer);
    assert.deepEqual([status, reason], [401, expected]);
    assert.match(challenge, REFUSED);
  }
  assert.deepEqual(await ping(url, ""), [401, "no_token", "Bearer"]);
});

test("a client that looks for an authorization server gets the source of tokens", async () => {
  /** @type {[method: string, path: string, status: number][]} */
  const asked = [
    ["POST", "/register", 400],
    ["GET", "/.well-known/oauth-protected-resource/mcp", 404],
  ];
  for (const [method, path, status] of asked) {
    const body = method === "POST" ? "{}" : undefined;
    const response = await fetch(url + path, { method, body });
    const { error, error_description } = await response.json();
    assert.deepEqual([response.status, error], [status, "access_denied"], path);
    assert.match(error_description, /expired.*from the backend of the app/);
  }
  // The error that a published client shows for an expired token.
  const client = new Client({ name: "test", version: "1.0.0" });
  const headers = { authorization: `Bearer ${agent({ age: 91 })}` };
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
    requestInit: { headers },
    authProvider: {
      redirectUrl: "http://localhost/callback",
      clientMetadata: { redirect_uris: ["http://localhost/callback"] },
      clientInformation: () => undefined,
      saveClientInformation: () => {},
      tokens: () => undefined,
      saveTokens: () => {},
      redirectToAuthorization: () => {},
      saveCodeVerifier: () => {},
      codeVerifier: () => "",
    },
  });
  await assert.rejects(client.connect(transport), /get one from the backend/);
});

/** Starts a server that publishes a key, and returns a function that signs tokens with it. */
async function authorizationServer() {
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  const keys = {
    keys: [{ ...(await exportJWK(publicKey)), kid: "1", alg: "ES256" }],
  };
  const server = createServer((_, response) =>
    response
      .setHeader("content-type", "application/json")
      .end(JSON.stringify(keys)),
  );
  const url = await listen(server);
  running.push({ stop: () => new Promise((stopped) => server.close(stopped)) });
  const sign = (claims, typ = "at+jwt") =>
    new SignJWT({ sub: "alice", scope: "generate:*", ...claims })
      .setProtectedHeader({ alg: "ES256", kid: "1", ...(typ && { typ }) })
      .setIssuedAt()
      .setExpirationTime("10m")
      .sign(privateKey);
  return { keys: url, sign };
}

test("an authorization server's tokens are accepted, and the metadata names the server", async () => {
  const { keys, sign } = await authorizationServer();
  const issuer = "https://as.example";
  const resource = "https://media.example/mcp";
  const url = await start({
    SESSION_JWKS_URL: keys,
    SESSION_ISSUER: issuer,
    MCP_RESOURCE: resource,
    MCP_AUTHORIZATION_SERVERS: issuer,
  });
  const issued = (aud, typ) =>
    sign(
      { iss: issuer, aud, scope: 'openid generate:* "odd" generate:*' },
      typ,
    );
  assert.equal((await ping(url, await issued(resource)))[0], 200);
  assert.equal(
    (await ping(url, await issued(resource, "JWT")))[1],
    "wrong_type",
  );
  assert.equal(
    (await ping(url, await issued("https://other.example/mcp")))[1],
    "wrong_audience",
  );
  const bearer = await issued(resource);
  const page = await request(`${url}/api/app/v1/models`, { bearer });
  assert.equal(page.data.reason, "wrong_audience", "it was issued for /mcp");

  assert.equal(
    (await call(url, "text_to_image_turbo", { prompt: "p" }, { bearer }))
      .isError,
    false,
  );
  const narrow = await legacy(
    url,
    "tools/call",
    { name: "mediagate_split_pdf", arguments: {} },
    { bearer, id: "n-1" },
  );
  assert.deepEqual(
    [
      narrow.status,
      narrow.last.id,
      narrow.last.error.code,
      narrow.last.error.data.reason,
    ],
    [403, "n-1", 13, "scope"],
  );
  assert.match(
    narrow.headers.get("www-authenticate"),
    /^Bearer error="insufficient_scope", scope="generate:\* split_pdf", resource_metadata="/,
  );
  const backends = await call(
    url,
    "split_pdf",
    {},
    { bearer: token("alice", "generate:*", { iss: issuer }) },
  );
  assert.equal(
    refusal(backends).data.reason,
    "scope",
    "a token of the app's backend has no authorization server to get a wider scope from",
  );

  const metadata =
    "https://media.example/.well-known/oauth-protected-resource/mcp";
  assert.deepEqual(await ping(url, ""), [
    401,
    "no_token",
    `Bearer resource_metadata="${metadata}"`,
  ]);
  for (const path of [
    "/.well-known/oauth-protected-resource/mcp",
    "/.well-known/oauth-protected-resource",
  ]) {
    const response = await fetch(url + path);
    const {
      resource: named,
      authorization_servers,
      bearer_methods_supported,
      scopes_supported,
    } = await response.json();
    assert.deepEqual(
      [response.status, named, authorization_servers, bearer_methods_supported],
      [200, resource, [issuer], ["header"]],
    );
    assert.deepEqual(scopes_supported, [
      "generate:*",
      "process:*",
      "upload",
      "mcp",
    ]);
  }
});

test("an agent has the limits of its subject", async () => {
  const limited = await start({ RATE_LIMIT_PER_MINUTE: "2" });
  await ping(limited, agent());
  await ping(limited, agent());
  const { status, headers, last } = await legacy(limited, "ping", undefined, {
    bearer: agent(),
  });
  assert.deepEqual(
    [
      status,
      last.error.code,
      last.error.data.reason,
      Number(headers.get("retry-after")) > 0,
    ],
    [429, 16, "rate_limit", true],
  );
});
