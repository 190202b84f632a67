// Session tokens of an identity provider: jose signs them, and the provider's published keys verify
// them.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { startGateway } from "../support/gateway.mjs";
import { token } from "../support/token.mjs";
import { startUpstream } from "../support/upstream.mjs";
import { clientOf, taskResponse } from "../support/world.mjs";

const ALGORITHMS = ["ES256", "EdDSA", "RS256"];
const pairs = {};

let upstream, provider, shared;
before(async () => {
  for (const algorithm of [...ALGORITHMS, "PS256", "ES384"])
    pairs[algorithm] = await generateKeyPair(algorithm, { extractable: true });
  upstream = await startUpstream(() => taskResponse("QUEUED"));
  provider = await startUpstream(async () => ({ json: await published() }));
  shared = await startGateway(settings());
});
after(() =>
  Promise.all([shared, upstream, provider].map((server) => server?.stop())),
);
beforeEach(() => {
  upstream.seen.length = 0;
  provider.seen.length = 0;
});

const settings = () => ({
  UPSTREAM_BASE_URL: upstream.url,
  SESSION_JWKS_URL: `${provider.url}/keys`,
});

/** Starts a gateway, which has fetched no keys. */
async function start(t, changes = {}) {
  const gateway = await startGateway({ ...settings(), ...changes });
  t.after(() => gateway.stop());
  return gateway;
}

const published = async () => ({
  keys: await Promise.all(
    ALGORITHMS.map(async (alg) => ({
      ...(await exportJWK(pairs[alg].publicKey)),
      kid: alg,
      use: "sig",
    })),
  ),
});
const sign = (alg, header = {}, claims = {}, key = pairs[alg].privateKey) =>
  new SignJWT({ scope: "generate:*", ...claims })
    .setProtectedHeader({ alg, kid: alg, ...header })
    .setSubject("alice")
    .setAudience("mediagate")
    .setIssuedAt()
    .setExpirationTime("10m")
    .sign(key);
const create = (bearer, gateway = shared) => clientOf(gateway, bearer).create();
const assertRefused = (response, reason = "invalid_token") => {
  assert.deepEqual(
    [response.status, response.code, response.data.reason],
    [401, 13, reason],
  );
  assert.equal(upstream.seen.length, 0);
};

test("each algorithm is accepted, with and without a key id, and the keys are fetched once", async (t) => {
  const gateway = await start(t);
  for (const alg of ALGORITHMS) {
    assert.equal((await create(await sign(alg), gateway)).code, 0);
    const unnamed = await sign(alg, { kid: undefined });
    assert.equal((await create(unnamed, gateway)).code, 0);
  }
  assert.equal(provider.seen.length, 1);
  const { authorization, cookie } = provider.seen[0].headers;
  assert.deepEqual(
    [authorization, cookie],
    [undefined, undefined],
    "the API key goes to the upstream only",
  );
});

describe("refused tokens", () => {
  test("a token whose type is not that of an access token is refused", async () => {
    for (const typ of ["id+jwt", "secevent+jwt"]) {
      assertRefused(await create(await sign("ES256", { typ })), "wrong_type");
    }
    for (const typ of ["JWT", "application/at+jwt"]) {
      assert.equal((await create(await sign("ES256", { typ }))).code, 0, typ);
    }
    upstream.seen.length = 0;
  });

  test("a token of another key, another algorithm or another key's id is refused", async () => {
    const stranger = await generateKeyPair("ES256");
    assertRefused(
      await create(await sign("ES256", {}, {}, stranger.privateKey)),
    );
    assertRefused(await create(await sign("ES256", { kid: "EdDSA" })));
    assertRefused(await create(await sign("PS256", { kid: "RS256" })));
    assertRefused(await create(await sign("ES384", { kid: "ES256" })));
  });

  test("a token signed with the public key as a shared secret is refused", async () => {
    for (const alg of ALGORITHMS) {
      const secret = new TextEncoder().encode(
        JSON.stringify(await exportJWK(pairs[alg].publicKey)),
      );
      assertRefused(
        await create(await sign("HS256", { kid: alg }, {}, secret)),
      );
    }
  });

  test("a token without a signature, or with a header that would change the verification, is refused without fetching keys", async () => {
    const [, claims, signature] = (await sign("ES256")).split(".");
    const header = (value) =>
      Buffer.from(JSON.stringify(value)).toString("base64url");
    const jwk = await exportJWK(pairs.ES256.publicKey);
    for (const bad of [
      { alg: "none" },
      { alg: "ES256", jwk },
      { alg: "ES256", jku: provider.url },
      { alg: "ES256", crit: ["exp"] },
    ]) {
      assertRefused(await create(`${header(bad)}.${claims}.${signature}`));
      assertRefused(await create(`${header(bad)}.${claims}.`));
    }
    assert.equal(provider.seen.length, 0);
  });
});

test("fifty first callers at once fetch the keys once", async (t) => {
  const gateway = await start(t);
  const bearer = await sign("ES256");
  const responses = await Promise.all(
    Array.from({ length: 50 }, () => create(bearer, gateway)),
  );
  assert.ok(responses.every((response) => response.code === 0));
  assert.equal(provider.seen.length, 1);
});

test("without keys only tokens of the shared secret are accepted, and no other request reaches the upstream", async (t) => {
  for (const failure of [
    { status: 500, body: "down" },
    { json: { keys: 1 } },
    { status: 302, headers: { location: upstream.url }, body: "" },
  ]) {
    provider.respond = () => failure;
    const gateway = await start(t);
    const { status, data } = await create(await sign("ES256"), gateway);
    assert.deepEqual([status, data.reason], [503, "keys_unavailable"]);
    assert.equal(upstream.seen.length, 0);
    assert.equal((await create(token(), gateway)).code, 0);
    upstream.seen.length = 0;
  }
  provider.respond = async () => ({ json: await published() });
});

test("SESSION_SECRET is optional with published keys", async (t) => {
  const gateway = await start(t, { SESSION_SECRET: "" });
  assert.equal((await create(await sign("RS256"), gateway)).code, 0);
  upstream.seen.length = 0;
  assertRefused(await create(token(), gateway));
});
