// Session tokens of an identity provider: made by jose, checked with the keys that it publishes.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { CompactSign, SignJWT, exportJWK, generateKeyPair } from "jose";
import { startGateway } from "../support/gateway.mjs";
import { token } from "../support/token.mjs";
import { startUpstream } from "../support/upstream.mjs";

const ALGORITHMS = ["ES256", "EdDSA", "RS256"];
const TASK = { code: 0, data: { task: { id: "t" } } };
const pairs = {};

let upstream, provider, gateway;
before(async () => {
  for (const algorithm of [...ALGORITHMS, "PS256", "ES384"]) pairs[algorithm] = await generateKeyPair(algorithm, { extractable: true });
  upstream = await startUpstream(() => ({ json: TASK }));
  provider = await startUpstream(async () => ({ json: await published() }));
});
after(() => Promise.all([upstream?.stop(), provider?.stop()]));
beforeEach(async (context) => {
  upstream.seen.length = 0;
  provider.seen.length = 0;
  gateway = await startGateway({ UPSTREAM_BASE_URL: upstream.url, SESSION_JWKS_URL: `${provider.url}/keys` });
  context.after(() => gateway.stop());
});

const published = async () => ({
  keys: await Promise.all(ALGORITHMS.map(async (alg) => ({ ...(await exportJWK(pairs[alg].publicKey)), kid: alg, use: "sig" }))),
});
const make = (alg, header = {}, claims = {}, key = pairs[alg].privateKey) =>
  new SignJWT({ scope: "generate:*", ...claims }).setProtectedHeader({ alg, kid: alg, ...header }).setSubject("alice").setAudience("mediagate").setIssuedAt().setExpirationTime("10m").sign(key);
const create = async (bearer) => {
  const response = await fetch(`${gateway.url}/api/app/v1/generate/image/text_to_image_turbo`, { method: "POST", headers: { authorization: `Bearer ${bearer}` }, body: '{"prompt":"p"}' });
  return { status: response.status, ...(await response.json()) };
};
const refused = (answer, reason = "invalid_token") => {
  assert.deepEqual([answer.status, answer.code, answer.data.reason], [401, 13, reason]);
  assert.equal(upstream.seen.length, 0);
};

for (const alg of ALGORITHMS) {
  test(`${alg} is let in, with and without a key id, and the keys are fetched once`, async () => {
    assert.equal((await create(await make(alg))).code, 0);
    assert.equal((await create(await make(alg, { kid: undefined }))).code, 0);
    assert.equal(provider.seen.length, 1);
    const { authorization, cookie } = provider.seen[0].headers;
    assert.deepEqual([authorization, cookie], [undefined, undefined], "the service's key goes to the service alone");
  });
}

describe("what is refused", () => {
  test("another key, another algorithm, another key's id", async () => {
    const stranger = await generateKeyPair("ES256");
    refused(await create(await make("ES256", {}, {}, stranger.privateKey)));
    refused(await create(await make("ES256", { kid: "EdDSA" })));
    refused(await create(await make("PS256", { kid: "RS256" })));
    refused(await create(await make("ES384", { kid: "ES256" })));
  });

  test("a public key used as a shared secret", async () => {
    for (const alg of ALGORITHMS) {
      const secret = new TextEncoder().encode(JSON.stringify(await exportJWK(pairs[alg].publicKey)));
      refused(await create(await make("HS256", { kid: alg }, {}, secret)));
    }
  });

  test("no signature, and a header that would change what verifying means; nothing is fetched for them", async () => {
    const [, claims, signature] = (await make("ES256")).split(".");
    const header = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const jwk = await exportJWK(pairs.ES256.publicKey);
    for (const bad of [{ alg: "none" }, { alg: "None" }, { alg: "es256" }, { alg: "ES256", jwk }, { alg: "ES256", jku: provider.url }, { alg: "ES256", x5u: provider.url }, { alg: "ES256", crit: ["exp"] }, { alg: "ES256", kid: 7 }]) {
      refused(await create(`${header(bad)}.${claims}.${signature}`));
      refused(await create(`${header(bad)}.${claims}.`));
    }
    assert.equal(provider.seen.length, 0);
  });

  test("wrong claims under a good signature", async () => {
    const now = Math.floor(Date.now() / 1000);
    const good = { aud: "mediagate", iat: now, exp: now + 60, sub: "alice" };
    const sign = (claims) => new CompactSign(new TextEncoder().encode(JSON.stringify(claims))).setProtectedHeader({ alg: "EdDSA", kid: "EdDSA" }).sign(pairs.EdDSA.privateKey);
    refused(await create(await sign({ ...good, aud: "other" })), "wrong_audience");
    refused(await create(await sign({ ...good, sub: "anon:x" })), "invalid_subject");
    refused(await create(await sign({ ...good, exp: now + 7200 })), "long_token");
  });
});

test("a flood of unknown key ids fetches the keys once", async () => {
  await create(await make("ES256"));
  const flood = await Promise.all(Array.from({ length: 50 }, async (_, i) => create(await make("ES256", { kid: `unknown-${i}` }))));
  for (const answer of flood) assert.deepEqual([answer.status, answer.data.reason], [401, "invalid_token"]);
  assert.equal(upstream.seen.length, 1, "the first, known one alone");
  assert.equal(provider.seen.length, 1);
});

test("fifty first callers at once fetch the keys once", async () => {
  const bearer = await make("ES256");
  const answers = await Promise.all(Array.from({ length: 50 }, () => create(bearer)));
  assert.ok(answers.every((it) => it.code === 0));
  assert.equal(provider.seen.length, 1);
});

test("without keys nobody is let in but by the shared secret, and the service is not called", async () => {
  const answers = [{ status: 500, body: "down" }, { body: "<html>" }, { json: { keys: 1 } }, { status: 302, headers: { location: upstream.url }, body: "" }];
  for (const answer of answers) {
    const silent = await startUpstream(() => answer);
    await gateway.stop();
    gateway = await startGateway({ UPSTREAM_BASE_URL: upstream.url, SESSION_JWKS_URL: silent.url });
    const got = await create(await make("ES256"));
    assert.deepEqual([got.status, got.data.reason], [503, "keys_unavailable"]);
    assert.equal(upstream.seen.length, 0);
    assert.equal((await create(token())).code, 0);
    upstream.seen.length = 0;
    await silent.stop();
  }
});

test("SESSION_SECRET may be left out where keys are published", async () => {
  await gateway.stop();
  gateway = await startGateway({ UPSTREAM_BASE_URL: upstream.url, SESSION_JWKS_URL: `${provider.url}/keys`, SESSION_SECRET: "" });
  assert.equal((await create(await make("RS256"))).code, 0);
  upstream.seen.length = 0;
  refused(await create(token()));
});
