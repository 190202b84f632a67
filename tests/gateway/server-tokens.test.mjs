// Session tokens of `mediagate/server` at the gateway. It accepts them with their scope and their
// limits, and refuses whatever the package refuses.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { rejection, server } from "../../pkg/test/support/server.mjs";
import { SETTINGS, startGateway } from "../support/gateway.mjs";
import { request } from "../support/request.mjs";
import { token } from "../support/token.mjs";
import { startUpstream } from "../support/upstream.mjs";

const SECRET = SETTINGS.SESSION_SECRET;
const BASE = { secret: SECRET, subject: "alice" };
const ORIGIN = "https://app.example.com";

/** A token's id of the greatest length, with every character that is allowed. */
const LONGEST_ID = String.fromCharCode(
  ...Array.from({ length: 94 }, (_, index) => index + 33),
)
  .replace(",", "")
  .padEnd(128, "x");
/** The settings of a gateway that rotates its secret and revokes tokens. */
const STRICT = {
  SESSION_SECRET: `new-${SECRET}, ${SECRET}`,
  SESSION_ISSUER: "app",
  SESSION_AUDIENCE: "media",
  MCP_REVOKED_TOKENS: `other, stolen,${LONGEST_ID}`,
};

const mint = async (options = {}) =>
  (await server.mintSession({ ...BASE, ...options })).token;
/** Mints a token that names the issuer and the audience of the strict gateway. */
const mintStrict = (options) =>
  mint({ issuer: "app", audience: "media", ...options });

let upstream, gateway, strict;
before(async () => {
  const json = { code: 0, data: { task: { id: "t", status: "RUNNING" } } };
  upstream = await startUpstream(() => ({ json }));
  const settings = { UPSTREAM_BASE_URL: upstream.url };
  [gateway, strict] = await Promise.all([
    startGateway({
      ...settings,
      ALLOWED_ORIGINS: ORIGIN,
      ANONYMOUS_SESSIONS: "on",
    }),
    startGateway({ ...settings, ...STRICT }),
  ]);
});
after(() => Promise.all([gateway?.stop(), strict?.stop(), upstream?.stop()]));

/** Resolves to the reason why a gateway refuses a token; "" if it accepts the token. */
async function reason(bearer, { url } = gateway) {
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

test("the gateway allows what the scope allows", async () => {
  const bearer = await mint({ scope: ["text_to_image_turbo"] });
  assert.equal((await create(bearer)).status, 200);
  const other = await create(bearer, "generate/image/text_to_image");
  assert.deepEqual([other.status, other.data.reason], [403, "scope"]);
  const none = await create(await mint());
  assert.deepEqual([none.status, none.data.reason], [403, "scope"]);
  assert.equal(await reason(await mint({ scope: "mcp" })), "agent_token");
});

test("the gateway counts the budget for the subject", async () => {
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

test("the gateway allows the token's assets, with their categories", async () => {
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

test("issuer and audience must be those of the gateway's settings", async () => {
  const at = async (options) => reason(await mint(options), strict);
  assert.equal(await at({ issuer: "app", audience: "media" }), "");
  assert.equal(await at({ issuer: "app" }), "wrong_audience");
  assert.equal(await at({ audience: "media" }), "wrong_issuer");
});

test("during a rotation, tokens of both secrets are accepted", async () => {
  const old = "old-secret-old-secret-old-secret-old";
  const at = async (secret) => reason(await mintStrict({ secret }), strict);
  assert.equal(await at(SECRET), "");
  assert.equal(await at(`new-${SECRET},${old}`), "");
  assert.equal(await at(`${old},${SECRET}`), "invalid_token");
});

test("the gateway rejects one token by its id, and no other", async () => {
  const at = async (tokenId) => reason(await mintStrict({ tokenId }), strict);
  for (const tokenId of ["stolen", "other", LONGEST_ID])
    assert.equal(await at(tokenId), "revoked_token");
  for (const tokenId of [undefined, LONGEST_ID.slice(1), "stolenx"])
    assert.equal(await at(tokenId), "");
});

// --- refusals ---

const ODD = [
  undefined,
  null,
  true,
  0,
  1,
  -1,
  1.5,
  2 ** 32 - 1,
  2 ** 32,
  "",
  " ",
  "a",
  "7",
  "voice",
  "avatar",
  [],
  {},
];
const SUBJECTS = [
  "alice",
  "anon:x",
  "ANON:x",
  " anon:x",
  "",
  "\t",
  "\u0085",
  "\ufeff",
  "\u200b",
  "\0",
  "é",
  "\ud83c",
  "🎬",
  7,
  null,
];
const LIMITS = ["creates", "generate", "process", "inFlight", "other"];
/** Returns permissions as claims, in which a limit may have another name. */
const claimsOf = (permissions) => {
  const { budget } = permissions;
  if (!Object.hasOwn(Object(budget), "inFlight")) return permissions;
  const { inFlight, ...limits } = budget;
  return { ...permissions, budget: { ...limits, in_flight: inFlight } };
};
/**
 * Permissions with values that both the package and the gateway refuse, and values that both
 * accept.
 *
 * @type {Record<string, any>[]}
 */
const PERMISSIONS = [
  ...SUBJECTS.map((subject) => ({ subject })),
  ...ODD.flatMap((odd) => [
    { watch: odd },
    { budget: odd },
    { assets: odd },
    { assets: [odd] },
    { assets: [{ id: odd }] },
    { assets: ["a", { id: "a", category: odd }] },
  ]),
  // JSON has no `undefined`, so the gateway sees no limit there.
  ...ODD.filter((odd) => odd !== undefined).flatMap((odd) =>
    LIMITS.map((limit) => ({ budget: { creates: 1, [limit]: odd } })),
  ),
];

test("mintSession accepts exactly the claims that the gateway accepts from another signer", async () => {
  const counts = { accepted: 0, refused: 0 };
  for (const { subject = "alice", ...permissions } of PERMISSIONS) {
    const foreign = token(subject, "", claimsOf(permissions));
    const isAccepted = (await reason(foreign)) === "";
    const minted = await server
      .mintSession({ ...BASE, subject, ...permissions })
      .catch((error) => error);
    const what = `${JSON.stringify({ subject, ...permissions })}: ${minted.message ?? "signed"}`;
    assert.equal(minted.token !== undefined, isAccepted, what);
    if (minted.token) assert.equal(await reason(minted.token), "", what);
    counts[isAccepted ? "accepted" : "refused"] += 1;
  }
  assert.ok(
    counts.accepted > 30 && counts.refused > 30,
    JSON.stringify(counts),
  );
});

test("a token that is too long for mintSession is too long for the gateway", async () => {
  const assets = Array.from({ length: 600 }, (_, index) => `asset-${index}`);
  assert.equal(await reason(await mint({ assets: assets.slice(200) })), "");
  assert.match((await rejection(mint({ assets }))).message, /8192/);
  assert.equal(await reason(token("alice", "", { assets })), "invalid_token");
});

// --- session handlers ---

/** Returns the names of members and the types of their values. */
const shapeOf = (value) =>
  value && typeof value === "object"
    ? Object.fromEntries(
        Object.entries(value).map(([name, member]) => [name, shapeOf(member)]),
      )
    : typeof value;

test("a session handler responds as the gateway's own /session does", async () => {
  const own = (method) =>
    request(`${gateway.url}/session`, {
      method,
      bearer: null,
      headers: { origin: ORIGIN, "x-mediagate": "1" },
    });
  const handler = server.nextSessionHandler({
    secret: SECRET,
    authenticate: () => ({ subject: "alice" }),
  });
  const bodyOf = async (method) =>
    (await handler(new Request(`${ORIGIN}/session`, { method }), {})).json();
  assert.deepEqual(
    shapeOf(await bodyOf("POST")),
    shapeOf(JSON.parse((await own("POST")).text)),
  );
  const { code, message, data } = await own("PUT");
  const { request_id, ...details } = data;
  assert.deepEqual(await bodyOf("PUT"), { code, message, data: details });
});
