// Session tokens of `mediagate/server` at the gateway. It accepts them with their scope and their
// limits, and refuses whatever the package refuses.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { rejection, server } from "../../pkg/test/support/server.mjs";
import { SETTINGS, startGateway } from "../support/gateway.mjs";
import { request } from "../support/request.mjs";
import { token } from "../support/token.mjs";
import { startUpstream } from "../support/upstream.mjs";
import { taskResponse } from "../support/world.mjs";

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
  upstream = await startUpstream(() => taskResponse("RUNNING"));
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
  assert.equal(await reason(await mint({ scope: "mcp" })), "agent_token");
});

test("the gateway reads the token's limits, assets, issuer, audience and id", async () => {
  const permissions = {
    subject: "bob",
    scope: "text_driven",
    budget: { creates: 1 },
    assets: ["a", { id: "v", category: "voice" }],
  };
  const bearer = await mint(permissions);
  const path = "generate/video/text_driven";
  const body = { avatar_asset_id: "a", voice_asset_id: "v", text: "Hello" };
  const swapped = await create(bearer, path, { ...body, avatar_asset_id: "v" });
  assert.equal(swapped.data.reason, "asset_category_mismatch");
  assert.equal((await create(bearer, path, body)).status, 200);
  const over = await create(await mint(permissions), path, body);
  assert.deepEqual([over.data.reason, over.data.limit], ["budget", "creates"]);
  const at = async (options) => reason(await mintStrict(options), strict);
  for (const [options, expected] of /** @type {[object, string][]} */ ([
    [{}, ""],
    [{ secret: `new-${SECRET}` }, ""],
    [{ issuer: "other" }, "wrong_issuer"],
    [{ audience: "other" }, "wrong_audience"],
    [{ tokenId: LONGEST_ID }, "revoked_token"],
    [{ tokenId: LONGEST_ID.slice(1) }, ""],
  ]))
    assert.equal(await at(options), expected, JSON.stringify(options));
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
const LIMITS = [
  "creates",
  "generate",
  "process",
  "inFlight",
  "credits",
  "other",
];
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
