// Session tokens of `mediagate/server`: their claims as jose reads them, and the options that
// `mintSession` refuses.
import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { decodeJwt, decodeProtectedHeader, jwtVerify } from "jose";
import { SETTINGS } from "../../tests/support/gateway.mjs";
import { instance, rejection, server } from "./support/server.mjs";

const SECRET = SETTINGS.SESSION_SECRET;
const BASE = { secret: SECRET, subject: "alice" };
const LIMITS = { creates: 20, generate: 5, process: 0, inFlight: 2 };
/** The limits with the names of the token's claim. */
const CLAIMED = { creates: 20, generate: 5, process: 0, in_flight: 2 };
const VALUES = {
  models: ["veo-3"],
  maxSeconds: 5,
  clarities: ["480P", "720P"],
  maxPixels: 1_048_576,
  maxPromptChars: 500,
};
const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

const mint = async (options = {}) =>
  (await server.mintSession({ ...BASE, ...options })).token;
const verified = async (jwt, secret = SECRET) => {
  const key = new TextEncoder().encode(secret);
  const { payload } = await jwtVerify(jwt, key, {
    audience: "mediagate",
    algorithms: ["HS256"],
  });
  return payload;
};

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

test("jose verifies a token, and finds the claims of the options in it", async () => {
  const options = {
    subject: "Zoë 🎬",
    scope: ["upload", "image_to_video", "process:*"],
    budget: LIMITS,
    limits: VALUES,
    assets: ["a", { id: "b", category: "voice" }, { id: "c" }],
    watch: true,
    tokenId: "session-7",
    expiresIn: 900,
    issuer: "https://app.example.com",
  };
  const before = Math.floor(Date.now() / 1000);
  const jwt = await mint(options);
  const { iat, ...others } = await verified(jwt);
  assert.deepEqual(decodeProtectedHeader(jwt), { alg: "HS256", typ: "JWT" });
  assert.ok(iat >= before && iat <= Date.now() / 1000, `${iat}`);
  assert.deepEqual(others, {
    jti: "session-7",
    sub: "Zoë 🎬",
    aud: "mediagate",
    iss: "https://app.example.com",
    exp: iat + 900,
    scope: "upload image_to_video process:*",
    budget: CLAIMED,
    limits: {
      models: ["veo-3"],
      max_seconds: 5,
      clarities: ["480P", "720P"],
      max_pixels: 1_048_576,
      max_prompt_chars: 500,
    },
    assets: options.assets,
    watch: true,
  });
});

test("the smallest token has only the required claims, and lives for ten minutes", async () => {
  const { iat, jti, ...claims } = await verified(await mint());
  assert.match(jti, UUID);
  assert.deepEqual(claims, { sub: "alice", aud: "mediagate", exp: iat + 600 });
});

test("each token has its own id and end", async () => {
  const minted = await Promise.all(
    Array.from({ length: 50 }, () => server.mintSession(BASE)),
  );
  assert.equal(new Set(minted.map(({ tokenId }) => tokenId)).size, 50);
  for (const { token, tokenId, expiresAt, ...others } of minted) {
    const { jti, exp } = decodeJwt(token);
    assert.deepEqual(
      [tokenId, expiresAt, others],
      [jti, new Date(exp * 1000), {}],
    );
  }
});

test("the first of several secrets signs, and white space around them does not count", async () => {
  const old = "old-secret-old-secret-old-secret-old";
  const jwt = await mint({ secret: ` ${SECRET}\u0085,\n ${old} ,` });
  await verified(jwt);
  await assert.rejects(verified(jwt, old));
});

test("a list of words and a string of them are equal scopes, and no words are no scope", async () => {
  const scope = async (words) => decodeJwt(await mint({ scope: words })).scope;
  assert.equal(await scope(["upload", "mcp"]), "upload mcp");
  assert.equal(await scope(" upload\t\n mcp\r\f"), "upload mcp");
  for (const none of ["", " ", [], undefined])
    assert.equal(await scope(none), undefined);
});

test("the words of a scope are those of the catalogue, the groups, upload and mcp", async () => {
  assert.notEqual(server.names.length, 0);
  const words = [...server.names, "generate:*", "process:*", "upload", "mcp"];
  for (const word of words) await mint({ scope: [word] });
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

test("only the id and the category of an asset are in the token", async () => {
  const asset = {
    id: "a",
    category: undefined,
    name: "of a row in a database",
  };
  assert.deepEqual(decodeJwt(await mint({ assets: [asset] })).assets, [
    { id: "a" },
  ]);
});

test("members of a session, a budget and an asset count if they are inherited, or getters of a class", async () => {
  for (const shaped of [Object.create, instance]) {
    const options = shaped({
      ...BASE,
      budget: shaped(LIMITS),
      assets: [shaped({ id: "v", category: "voice" })],
    });
    const { token } = await server.mintSession(options);
    const { sub, budget, assets } = decodeJwt(token);
    assert.deepEqual(
      [sub, budget, assets],
      ["alice", CLAIMED, [{ id: "v", category: "voice" }]],
    );
  }
});

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
  for (const secret of ["s".repeat(32), "ß".repeat(16)]) await mint({ secret });
});

/** A query of a database, whose rows are only there once it is awaited. */
class Query {
  #row = LIMITS;
  // biome-ignore lint/suspicious/noThenProperty: queries of databases have one
  then(resolve) {
    resolve(this.#row);
  }
}

const MEMBERS = {
  subject: [undefined, null, "", "  ", "\u0085", 7, {}, "anon:x", "\ud800"],
  expiresIn: [0, -1, 3601, 1.5, Number.NaN, "600", null, 600n, new Date()],
  audience: ["", " ", null, 7, ["mediagate"]],
  issuer: ["", " ", null, 7, {}],
  watch: ["true", 1, 0, null],
  tokenId: [null, 7, "", " ", "a b", "a,b", "é", "a\n", "x".repeat(129), {}],
  scope: [
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
  ],
  assets: [
    null,
    "a",
    {},
    [7],
    [""],
    [null],
    [{}],
    [{ id: 7 }],
    [{ id: "a", category: "logo" }],
    [{ id: "a", category: null }],
  ],
  // A budget that cannot be read would be a token without limits.
  budget: [
    null,
    7,
    "20",
    [],
    [LIMITS],
    new Map(Object.entries(LIMITS)),
    Promise.resolve(LIMITS),
    new Query(),
    instance({}),
    JSON.stringify(LIMITS),
    () => LIMITS,
    { creates: -1 },
    { creates: 1.5 },
    { creates: 2 ** 32 },
    { creates: "3" },
    { creates: null },
    { creates: undefined },
    { creates: 3n },
    { inFlight: true },
    { creates: Promise.resolve(3) },
    { create: 3 },
    { creates: 3, in_flight: 2 },
    Object.create({ creates: "3" }),
    Object.create({ create: 3 }),
    instance({ creates: 3, inflight: 2 }),
  ],
  limits: [
    null,
    [],
    new Query(),
    { maxSeconds: 2.5 },
    { maxSeconds: "5" },
    { maxSeconds: undefined },
    { max_seconds: 5 },
    { maxSecond: 5 },
    { creates: 5 },
    { models: "veo-3" },
    { models: ["veo-3", null] },
    { clarities: 720 },
    { clarities: undefined },
  ],
};

for (const [member, values] of Object.entries(MEMBERS)) {
  test(`${member}: ${values.length} wrong values are refused, such as ${inspect(values[0])}`, async () => {
    for (const value of values) {
      const options = { ...BASE, [member]: value };
      assert.match(await refused(options), new RegExp(`^${member}\\b`));
    }
  });
}

test("an empty budget has no limits", async () => {
  assert.deepEqual(decodeJwt(await mint({ budget: {} })).budget, {});
});

test("a secret that is passed as another option is not repeated", async () => {
  for (const member of [
    "scope",
    "budget",
    "limits",
    "assets",
    "expiresIn",
    "watch",
  ]) {
    assert.doesNotMatch(
      await refused({ ...BASE, [member]: SECRET }),
      /session-secret/,
      member,
    );
  }
});

test("an unknown member is refused, since it may be a misspelt limit", async () => {
  for (const member of ["budgets", "scopes", "exp", "sub", "user", "jti"]) {
    const misspelt = { ...BASE, [member]: 1 };
    for (const options of [
      misspelt,
      Object.create(misspelt),
      instance(misspelt),
    ])
      assert.match(await refused(options), new RegExp(` ${member} `));
  }
  for (const options of [undefined, null, "alice", 7, [BASE]])
    await refused(options);
});

test("a token that is longer than the gateway reads is refused", async () => {
  const assets = Array.from({ length: 600 }, (_, index) => `asset-${index}`);
  assert.match(await refused({ ...BASE, assets }), /8192/);
});
