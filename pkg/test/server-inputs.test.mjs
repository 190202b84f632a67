// What `mintSession` refuses: each refusal names the member and what to do, never the secret, and agrees with the gateway.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { inspect } from "node:util";
import { SETTINGS, startGateway } from "../../tests/support/gateway.mjs";
import { request } from "../../tests/support/request.mjs";
import { token } from "../../tests/support/token.mjs";
import { startUpstream } from "../../tests/support/upstream.mjs";
import { rejection, server } from "./support/server.mjs";

const SECRET = SETTINGS.SESSION_SECRET;
const BASE = { secret: SECRET, subject: "alice" };

let upstream;
let gateway;
before(async () => {
  upstream = await startUpstream(() => ({ json: { code: 0, data: {} } }));
  gateway = await startGateway({ UPSTREAM_BASE_URL: upstream.url });
});
after(() => Promise.all([gateway.stop(), upstream.stop()]));

/** The error of a session that is refused. */
async function refused(options, what = inspect(options)) {
  const error = await rejection(
    server.mintSession(options),
    `${what} is signed`,
  );
  assert.deepEqual(
    [error.name, error.code],
    ["MediagateError", "invalid_argument"],
    `${what}: ${error.stack}`,
  );
  assert.match(
    error.message,
    /; (give|set|leave|use|list|put|there|it|a session)\b/,
    "it says what to do",
  );
  return error.message;
}

// --- secrets ---

const SECRETS = /** @type {[string, any][]} */ ([
  ["none", undefined],
  ["an empty one", ""],
  ["white space", " \n"],
  ["commas", " , ,"],
  ["31 bytes", "s".repeat(31)],
  ["31 bytes and white space", `${"s".repeat(31)}\u0085`],
  ["a short one after a long one", `${SECRET},${"s".repeat(31)}`],
  ["the word undefined", "undefined"],
  ["null", null],
  ["a number", 7],
  ["bytes", new TextEncoder().encode(SECRET)],
  ["an object that becomes a string", { toString: () => SECRET }],
  ["a list", [SECRET]],
]);

for (const [name, secret] of SECRETS) {
  test(`a token is not signed with ${name}`, async () => {
    const message = await refused({ ...BASE, secret }, name);
    assert.match(message, /^secret /);
    assert.match(message, /SESSION_SECRET/);
    assert.doesNotMatch(message, /sss|session-secret/);
  });
}

test("32 bytes are enough, and bytes are counted, not characters", async () => {
  for (const secret of ["s".repeat(32), "ß".repeat(16)])
    await server.mintSession({ ...BASE, secret });
});

// --- members ---

const NUMBERS = [
  0,
  -1,
  3601,
  1.5,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  "600",
  null,
  600n,
  [600],
  new Date(),
];
const MEMBERS = /** @type {[string, any[]][]} */ ([
  [
    "subject",
    [
      undefined,
      null,
      "",
      "  ",
      "\u0085",
      7,
      {},
      ["alice"],
      "anon:x",
      "anon:",
      "\ud800",
      "a\udc00b",
    ],
  ],
  ["expiresIn", NUMBERS],
  ["audience", ["", " ", null, 7, ["mediagate"], "\ud800"]],
  ["issuer", ["", " ", null, 7, {}]],
  ["watch", ["true", 1, 0, null]],
  [
    "tokenId",
    [
      null,
      7,
      "",
      " ",
      "a b",
      "a,b",
      "é",
      "a\n",
      "x".repeat(129),
      ["a"],
      {},
      Symbol("a"),
    ],
  ],
  [
    "scope",
    [
      "*",
      "process",
      "upload,mcp",
      "generate:",
      "upload\u00a0mcp",
      null,
      7,
      {},
      [7],
      ["upload mcp"],
      [""],
      [undefined],
      ["upload", null],
    ],
  ],
  [
    "budget",
    [
      null,
      7,
      "20",
      [],
      [20],
      { creates: -1 },
      { creates: 1.5 },
      { creates: "3" },
      { creates: null },
      { creates: undefined },
    ],
  ],
  [
    "budget",
    [
      { creates: Number.NaN },
      { creates: 2 ** 32 },
      { create: 3 },
      { inFlight: 2 },
      { in_flight: true },
      new Map(),
      Object.create({ creates: "3" }),
      { creates: 3n },
    ],
  ],
  [
    "assets",
    [
      null,
      "a",
      {},
      [7],
      [""],
      [" "],
      [null],
      Array(1),
      [{}],
      [{ id: 7 }],
      [{ id: "a", category: "logo" }],
      [{ id: "a", category: null }],
    ],
  ],
]);

for (const [member, values] of MEMBERS) {
  test(`${member}: none of ${values.length} wrong values is signed, such as ${inspect(values.at(-1))}`, async () => {
    for (const value of values) {
      // A Map has no members of its own, so it would be a budget without limits.
      assert.match(
        await refused({ ...BASE, [member]: value }, member),
        new RegExp(`^${member}\\b`),
      );
    }
  });
}

test("a secret that is passed as something else is not repeated", async () => {
  for (const member of ["scope", "budget", "assets", "expiresIn", "watch"]) {
    assert.doesNotMatch(
      await refused({ ...BASE, [member]: SECRET }),
      /session-secret/,
      member,
    );
  }
});

test("an unknown member is refused, since it may be a misspelt limit", async () => {
  for (const member of [
    "budgets",
    "scopes",
    "exp",
    "sub",
    "user",
    "jti",
    "id",
  ]) {
    assert.match(
      await refused({ ...BASE, [member]: 1 }),
      new RegExp(` ${member} `),
    );
  }
  for (const options of [undefined, null, "alice", 7, [BASE]])
    await refused(options);
});

test("a token that is too long for the gateway is refused", async () => {
  const assets = (count) =>
    Array.from({ length: count }, (_, index) => `asset-${index}`);
  const { token: jwt } = await server.mintSession({
    ...BASE,
    assets: assets(400),
  });
  assert.equal(
    (await request(`${gateway.url}/api/app/v1/models`, { bearer: jwt })).status,
    200,
  );
  for (const count of [600, 200_000])
    assert.match(await refused({ ...BASE, assets: assets(count) }), /8192/);
  // The gateway does not read what is longer.
  const long = token("alice", "", { assets: assets(600) });
  assert.equal(
    (await request(`${gateway.url}/api/app/v1/models`, { bearer: long })).data
      .reason,
    "invalid_token",
  );
});

test("only the id and the category of an asset are in the token", async () => {
  const asset = {
    id: "a",
    category: undefined,
    name: "of a row in a database",
  };
  const [, payload] = (
    await server.mintSession({ ...BASE, assets: [asset] })
  ).token.split(".");
  assert.deepEqual(
    JSON.parse(Buffer.from(payload, "base64url").toString()).assets,
    [{ id: "a" }],
  );
});
