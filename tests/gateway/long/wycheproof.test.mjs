// Wycheproof's attack vectors for signed tokens. Each is sent to a gateway with the vector's key
// published. Their payloads are no claims: a token with an accepted signature is refused as
// `invalid_claims`, any other as `invalid_token`. Vectors with binary shared keys, which a setting
// can't contain, are in crates/worker/src/auth/hs256.rs.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { startGateway } from "../../support/gateway.mjs";
import { startUpstream } from "../../support/upstream.mjs";

/**
 * The supported algorithms. Valid vectors of others are refused like invalid ones, including those
 * with a shared key in a published set.
 */
const SUPPORTED = ["ES256", "EdDSA", "RS256"];

/** Returns the folder of the crate with the vectors, in the version of Cargo.lock. */
function folder() {
  const cwd = fileURLToPath(new URL("../../../", import.meta.url));
  const args = ["metadata", "--format-version=1", "--locked"];
  const text = execFileSync("cargo", args, { cwd, maxBuffer: 1 << 28 });
  const { manifest_path } = JSON.parse(String(text)).packages.find(
    (entry) => entry.name === "wycheproof-ng-kdf-jose",
  );
  return join(dirname(manifest_path), "src/data");
}

const vectorsFolder = folder();
const groups = [
  "json_web_signature",
  "json_web_crypto",
  "json_web_key",
].flatMap((file) => {
  const path = join(vectorsFolder, `${file}_test.json`);
  const { testGroups } = JSON.parse(readFileSync(path, "utf8"));
  return testGroups.map((group) => ({ ...group, file }));
});

let upstream;
before(
  async () =>
    (upstream = await startUpstream(() => ({ json: { code: 0, data: {} } }))),
);
after(() => upstream?.stop());

/** Resolves to the reason why the gateway refuses a vector. */
async function reason(gateway, jws) {
  const token = typeof jws === "string" ? jws : JSON.stringify(jws);
  const response = await fetch(`${gateway.url}/api/app/v1/models`, {
    headers: { authorization: `Bearer ${token}` },
  });
  assert.equal(response.status, 401);
  return (await response.json()).data.reason;
}

for (const {
  file,
  comment,
  public: published,
  private: ownKey,
  tests,
} of groups) {
  const vectors = tests.filter((vector) => vector.jws !== undefined);
  if (vectors.length === 0) {
    test(`${file}, ${comment}`, {
      skip: "encrypted tokens (JWE), which no code here reads",
    }, () => {});
    continue;
  }
  const numbers = `${vectors[0].tcId} to ${vectors.at(-1).tcId}`;
  test(`${file} ${numbers}: ${comment}`, async (t) => {
    const key = published ?? ownKey;
    const provider = await startUpstream(() => ({
      json: key.keys ? key : { keys: [key] },
    }));
    const gateway = await startGateway({
      UPSTREAM_BASE_URL: upstream.url,
      SESSION_JWKS_URL: provider.url,
    });
    t.after(() => Promise.all([gateway.stop(), provider.stop()]));
    for (const { tcId, comment: description, jws, result } of vectors) {
      const accepted = result === "valid" && SUPPORTED.includes(algorithm(jws));
      const refused = jws === "" ? "no_token" : "invalid_token";
      assert.equal(
        await reason(gateway, jws),
        accepted ? "invalid_claims" : refused,
        `${tcId}, ${description}`,
      );
    }
    assert.equal(upstream.seen.length, 0, "no request reaches the upstream");
    assert.ok(provider.seen.length <= 1, "the keys are fetched once at most");
  });
}

/** Returns the algorithm in a token's header, if it has one. */
function algorithm(jws) {
  try {
    return JSON.parse(
      Buffer.from(String(jws).split(".")[0], "base64url").toString(),
    ).alg;
  } catch {
    return undefined;
  }
}
