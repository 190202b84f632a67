// Session tokens of `mediagate/server`: beside those of jose, and at the gateway that they are for.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { decodeProtectedHeader, jwtVerify, SignJWT } from "jose";
import { SETTINGS, startGateway } from "../../tests/support/gateway.mjs";
import { request } from "../../tests/support/request.mjs";
import { startUpstream } from "../../tests/support/upstream.mjs";
import { server } from "./support/server.mjs";

const SECRET = SETTINGS.SESSION_SECRET;
const BASE = { secret: SECRET, subject: "alice" };
const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
/** The token of a session with these options. */
const mint = async (options = {}) =>
  (await server.mintSession({ ...BASE, ...options })).token;
const bytes = (text) => new TextEncoder().encode(text);
const verified = (jwt, secret = SECRET) =>
  jwtVerify(jwt, bytes(secret), {
    audience: "mediagate",
    algorithms: ["HS256"],
  });

let upstream;
let gateway;
before(async () => {
  const json = { code: 0, data: { task: { id: "t", status: "RUNNING" } } };
  upstream = await startUpstream(() => ({ json }));
  gateway = await startGateway({ UPSTREAM_BASE_URL: upstream.url });
});
after(() => Promise.all([gateway.stop(), upstream.stop()]));

/** The reason to refuse a token, "" where the gateway accepts it. */
async function reason(bearer, url = gateway.url) {
  const { status, data } = await request(`${url}/api/app/v1/models`, {
    bearer,
  });
  return status === 200 ? "" : data.reason;
}

/**
 * @param {string} bearer
 * @param {string} [path]
 * @param {object} [body]
 */
const create = (
  bearer,
  path = "generate/image/text_to_image_turbo",
  body = { prompt: "p" },
) => request(`${gateway.url}/api/app/v1/${path}`, { bearer, body });

// --- what is signed ---

test("jose verifies a token, and finds the claims of the options in it", async () => {
  const options = {
    scope: ["upload", "image_to_video", "process:*"],
    budget: { creates: 20, generate: 5, process: 0, in_flight: 2 },
    assets: ["a", { id: "b", category: "voice" }, { id: "c" }],
    watch: true,
    tokenId: "session-7",
    expiresIn: 900,
    issuer: "https://app.example.com",
  };
  const before = Math.floor(Date.now() / 1000);
  const jwt = await mint(options);
  const { payload } = await verified(jwt);
  assert.deepEqual(decodeProtectedHeader(jwt), { alg: "HS256", typ: "JWT" });
  assert.ok(
    payload.iat >= before && payload.iat <= Date.now() / 1000,
    `${payload.iat}`,
  );
  const { expiresIn, issuer, scope, tokenId, ...claims } = options;
  const { iat, ...others } = payload;
  assert.deepEqual(others, {
    jti: tokenId,
    sub: "alice",
    aud: "mediagate",
    iss: issuer,
    exp: iat + 900,
    scope: scope.join(" "),
    ...claims,
  });
});

test("the smallest token has what is required, and lives for ten minutes", async () => {
  const { iat, jti, ...claims } = (await verified(await mint())).payload;
  assert.match(jti, UUID);
  assert.deepEqual(claims, { sub: "alice", aud: "mediagate", exp: iat + 600 });
});

test("jose, with the same claims, signs the same token but for the order of the claims", async () => {
  const jwt = await mint({
    subject: "Zoë 🎬",
    scope: "upload process:*",
    expiresIn: 60,
  });
  const { payload } = await verified(jwt);
  const other = await new SignJWT({ scope: "upload process:*" })
    .setProtectedHeader({ alg: "HS256" })
    .setSubject("Zoë 🎬")
    .setJti(payload.jti)
    .setAudience("mediagate")
    .setIssuedAt(payload.iat)
    .setExpirationTime(payload.iat + 60)
    .sign(bytes(SECRET));
  assert.deepEqual((await verified(other)).payload, payload);
  assert.deepEqual([await reason(jwt), await reason(other)], ["", ""]);
});

test("each token has an id of its own, and its end", async () => {
  const minted = await Promise.all(
    Array.from({ length: 50 }, () => server.mintSession(BASE)),
  );
  assert.equal(new Set(minted.map(({ tokenId }) => tokenId)).size, 50);
  for (const { token, tokenId, expiresAt, ...others } of minted) {
    const { jti, exp } = (await verified(token)).payload;
    assert.deepEqual(
      [tokenId, expiresAt, others],
      [jti, new Date(exp * 1000), {}],
    );
  }
  assert.equal(
    (await server.mintSession({ ...BASE, tokenId: "session-7" })).tokenId,
    "session-7",
  );
});

test("of several secrets the first one signs, and white space around them is no part of them", async () => {
  const old = "old-secret-old-secret-old-secret-old";
  const jwt = await mint({ secret: ` ${SECRET}\u0085,\n ${old} ,` });
  await verified(jwt);
  await assert.rejects(verified(jwt, old));
  const rotated = await startGateway({
    UPSTREAM_BASE_URL: upstream.url,
    SESSION_SECRET: `new-${SECRET}, ${SECRET}`,
  });
  try {
    assert.equal(await reason(jwt, rotated.url), "");
    assert.equal(
      await reason(await mint({ secret: `new-${SECRET},${old}` }), rotated.url),
      "",
    );
    assert.equal(
      await reason(await mint({ secret: `${old},${SECRET}` }), rotated.url),
      "invalid_token",
    );
  } finally {
    await rotated.stop();
  }
});

test("a list of words and a string of them are the same scope; without words there is none", async () => {
  const scope = async (it) =>
    (await verified(await mint({ scope: it }))).payload.scope;
  assert.equal(await scope(["upload", "mcp"]), "upload mcp");
  assert.equal(await scope(" upload\t\n mcp\r\f"), "upload mcp");
  assert.deepEqual(await Promise.all(["", " ", [], undefined].map(scope)), [
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test("the words of a scope are those of the catalogue, the groups, upload and mcp", async () => {
  assert.notEqual(server.names.length, 0);
  for (const word of [
    ...server.names,
    "generate:*",
    "process:*",
    "upload",
    "mcp",
  ]) {
    await mint({ scope: [word] });
  }
  for (const word of server.names) {
    for (const other of [
      word.slice(1),
      `${word}s`,
      word.toUpperCase(),
      word.replace("_", "-"),
      `${word}:*`,
    ]) {
      await assert.rejects(mint({ scope: other }), /scope/, other);
    }
  }
});

// --- at the gateway ---

test("the gateway allows what the scope allows", async () => {
  const bearer = await mint({ scope: ["text_to_image_turbo"] });
  assert.equal((await create(bearer)).status, 200);
  const other = await create(bearer, "generate/image/text_to_image");
  assert.deepEqual([other.status, other.data.reason], [403, "scope"]);
  const none = await create(await mint());
  assert.deepEqual([none.status, none.data.reason], [403, "scope"]);
  assert.equal(await reason(await mint({ scope: "mcp" })), "agent_token");
});

test("the gateway counts the budget, for the subject", async () => {
  const mintForBob = () =>
    mint({ subject: "bob", scope: "generate:*", budget: { creates: 1 } });
  const first = await create(await mintForBob());
  assert.match(first.headers.get("ratelimit-policy"), /"creates";q=1;w=86400/);
  const second = await create(await mintForBob());
  assert.deepEqual(
    [second.status, second.data.reason, second.data.limit],
    [429, "budget", "creates"],
  );
});

test("the gateway knows the assets, with their categories", async () => {
  const assets = ["a", { id: "v", category: "voice" }];
  const bearer = await mint({ scope: "text_driven", assets });
  const path = "generate/video/text_driven";
  const body = { avatar_asset_id: "a", voice_asset_id: "v", text: "Hello" };
  assert.equal((await create(bearer, path, body)).status, 200);
  const swapped = await create(bearer, path, { ...body, avatar_asset_id: "v" });
  assert.equal(swapped.data.reason, "asset_category_mismatch");
  const other = await create(bearer, path, { ...body, voice_asset_id: "w" });
  assert.equal(other.data.reason, "invalid_fields");
});

test("the gateway rejects one token by its id, and no other", async () => {
  const stolen = await server.mintSession(BASE);
  // Every character that an id may have, and the longest id.
  const visible = String.fromCharCode(
    ...Array.from({ length: 94 }, (_, index) => index + 33),
  ).replace(",", "");
  const longest = visible.padEnd(128, "x");
  const strict = await startGateway({
    UPSTREAM_BASE_URL: upstream.url,
    MCP_REVOKED_TOKENS: `other, ${stolen.tokenId},${longest}`,
  });
  try {
    for (const revoked of [
      stolen.token,
      await mint({ tokenId: longest }),
      await mint({ tokenId: "other" }),
    ]) {
      assert.equal(await reason(revoked, strict.url), "revoked_token");
      assert.equal(await reason(revoked), "");
    }
    for (const tokenId of [undefined, visible, `${stolen.tokenId}x`]) {
      assert.equal(await reason(await mint({ tokenId }), strict.url), "");
    }
  } finally {
    await strict.stop();
  }
});

test("issuer and audience are those that the gateway is set to", async () => {
  const settings = { SESSION_ISSUER: "app", SESSION_AUDIENCE: "media" };
  const strict = await startGateway({
    UPSTREAM_BASE_URL: upstream.url,
    ...settings,
  });
  const at = async (options) => reason(await mint(options), strict.url);
  try {
    assert.equal(await at({ issuer: "app", audience: "media" }), "");
    assert.equal(await at({ issuer: "app" }), "wrong_audience");
    assert.equal(await at({ audience: "media" }), "wrong_issuer");
  } finally {
    await strict.stop();
  }
});
