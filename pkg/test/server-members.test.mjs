// Members that are inherited, hidden or computed: each of them counts, and a limit that can't be read is never "no limit".
import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { decodeJwt } from "jose";
import { SETTINGS } from "../../tests/support/gateway.mjs";
import { delivery, SECRET } from "./support/deliveries.mjs";
import { FRAMEWORKS } from "./support/frameworks.mjs";
import { rejection, server } from "./support/server.mjs";

const secret = SETTINGS.SESSION_SECRET;
const LIMITS = { creates: 3, generate: 2, process: 0, in_flight: 1 };

/** An object with non-enumerable members. */
const hidden = (members) =>
  Object.defineProperties(
    {},
    Object.fromEntries(
      Object.entries(members).map(([name, value]) => [name, { value }]),
    ),
  );

/** The instance of a class with a getter for each member, and with a method. */
function instance(members) {
  class Row {
    save() {}
  }
  for (const name of Object.keys(members)) {
    Object.defineProperty(Row.prototype, name, {
      get: () => members[name],
      configurable: true,
    });
  }
  return new Row();
}

/** The instance of a class as compilers for ES5 write it: its method is enumerable. */
function old(members) {
  function Row() {}
  Object.assign(Row.prototype, members, { save: () => {} });
  return Reflect.construct(Row, []);
}

/** A proxy that has each member, and lists none. */
const proxy = (members) =>
  new Proxy(
    {},
    {
      get: (target, name) =>
        Object.hasOwn(members, name) ? members[name] : target[name],
    },
  );

/** @type {Record<string, (members: object) => any>} */
const SHAPES = {
  "a plain object": (members) => members,
  "a frozen object": (members) => Object.freeze({ ...members }),
  "an object without a prototype": (members) =>
    Object.assign(Object.create(null), members),
  "an object that inherits": (members) => Object.create(members),
  "an object that inherits twice": (members) =>
    Object.create(Object.create(members)),
  "hidden members": hidden,
  "an instance with getters": instance,
  "an instance of ES5": old,
  "a proxy": (members) => new Proxy(members, {}),
  "a proxy that lists nothing": proxy,
};

/** The claims of the tokens that each way to issue one makes. */
async function claimsOf(t, session, options = {}) {
  const { token } = await server.mintSession(
    Object.assign(Object.create(session), { secret }),
  );
  const all = [token];
  for (const { start } of Object.values(FRAMEWORKS)) {
    const { send } = await start(
      server,
      { secret, authenticate: async () => session, ...options },
      t,
    );
    const response = await send("POST");
    assert.equal(response.status, 200);
    all.push((await response.json()).data.session.token);
  }
  return all.map((jwt) => decodeJwt(jwt));
}

for (const [name, shaped] of Object.entries(SHAPES)) {
  test(`${name}: no member of a session, a budget or an asset is lost`, async (t) => {
    const assets = [shaped({ id: "v", category: "voice" })];
    const session = {
      subject: "alice",
      scope: "upload",
      budget: shaped(LIMITS),
      assets,
      tokenId: "t-1",
      expiresIn: 60,
    };
    for (const claims of await claimsOf(t, shaped(session))) {
      const { sub, scope, budget, assets: listed, jti, iat, exp } = claims;
      assert.deepEqual(
        [sub, scope, budget, jti, exp - iat],
        ["alice", "upload", LIMITS, "t-1", 60],
      );
      assert.deepEqual(listed, [{ id: "v", category: "voice" }]);
    }
  });

  test(`${name}: no option of a handler is lost`, async (t) => {
    for (const { start } of Object.values(FRAMEWORKS)) {
      const authenticate = async () => ({ subject: "alice" });
      const { send } = await start(
        server,
        shaped({ secret, authenticate, budget: LIMITS, issuer: "app" }),
        t,
      );
      const { data } = await (await send("POST")).json();
      const { budget, iss } = decodeJwt(data.session.token);
      assert.deepEqual([budget, iss], [LIMITS, "app"]);
    }
  });

  test(`${name}: the headers of a webhook are found`, async () => {
    const { headers, body } = delivery();
    assert.equal(
      (
        await server.verifyWebhook(
          shaped({ headers: shaped(headers), body }),
          SECRET,
        )
      ).id,
      "msg_1",
    );
  });
}

test("the methods of a class find a user by the instance's own fields", async (t) => {
  class Handler {
    #user = "alice";
    #secret = secret;
    authenticate() {
      return { subject: this.#user };
    }
    secret() {
      return this.#secret;
    }
  }
  for (const { start } of Object.values(FRAMEWORKS)) {
    const { send } = await start(server, new Handler(), t);
    assert.equal((await send("POST")).status, 200);
  }
});

// --- what is not a limit ---

class Query {
  #rows = [{ creates: 3 }];
  // biome-ignore lint/suspicious/noThenProperty: queries of databases have one
  then(resolve) {
    resolve(this.#rows[0]);
  }
}
const LOST = /** @type {any[]} */ ([
  null,
  Number.NaN,
  3n,
  "20",
  true,
  Symbol("budget"),
  () => LIMITS,
  [],
  [LIMITS],
  Object.assign([], LIMITS),
  new Map(Object.entries(LIMITS)),
  new Proxy(new Map(Object.entries(LIMITS)), {}),
  new Set(),
  new URLSearchParams({ creates: "3" }),
  Promise.resolve(LIMITS),
  new Query(),
  instance({}),
  Object.create({}),
  new Number(3),
  new Date(),
  JSON.stringify(LIMITS),
]);
const ODD = [
  null,
  undefined,
  Number.NaN,
  "3",
  3n,
  -1,
  1.5,
  true,
  [3],
  new Number(3),
  Promise.resolve(3),
  () => 3,
];
const BUDGETS = [
  ...LOST,
  ...ODD.flatMap((value) => [
    Object.create({ creates: value }),
    instance({ in_flight: value, creates: 3 }),
  ]),
  proxy({ creates: "3" }),
  // Misspelt, and not found by the names of own members.
  Object.create({ create: 3 }),
  Object.create({ creates: 3, inFlight: 2 }),
  instance({ creates: 3, inflight: 2 }),
];

test("a budget that can't be read is an error, and never no limit", async (t) => {
  t.mock.method(console, "error", () => {});
  for (const budget of BUDGETS) {
    const what = inspect(budget);
    const error = await rejection(
      server.mintSession({ secret, subject: "alice", budget }),
      what,
    );
    assert.equal(error.code, "invalid_argument", what);
    assert.match(error.message, /^budget/, what);
    // Neither a session without a readable budget gets a token, nor do the defaults make up for it.
    const authenticate = async () => instance({ subject: "alice", budget });
    const handler = server.nextSessionHandler({
      secret,
      authenticate,
      budget: LIMITS,
    });
    const response = await handler(
      new Request("https://app.example.com/", { method: "POST" }),
      {},
    );
    assert.equal(response.status, 500, what);
    assert.throws(
      () =>
        server.nextSessionHandler(
          Object.create({ secret, authenticate, budget }),
        ),
      /^.*budget/,
      what,
    );
  }
});

test("a misspelt member is found in prototypes too, and if it is a getter", async (t) => {
  t.mock.method(console, "error", () => {});
  const misspelt = { subject: "alice", budgets: LIMITS };
  const twice = Object.create(Object.create(misspelt));
  for (const session of [
    misspelt,
    Object.create(misspelt),
    twice,
    instance(misspelt),
    old(misspelt),
  ]) {
    const options = Object.assign(Object.create(session), { secret });
    const error = await rejection(
      server.mintSession(options),
      inspect(session),
    );
    assert.match(error.message, / budgets /);
    const handler = server.nextSessionHandler({
      secret,
      authenticate: () => session,
    });
    const response = await handler(
      new Request("https://app.example.com/", { method: "POST" }),
      {},
    );
    assert.equal(response.status, 500, inspect(session));
  }
});

test("a budget without limits is as if it was left out, if it was written as such", async () => {
  for (const budget of [{}, Object.create(null), Object.freeze({})]) {
    const { token } = await server.mintSession({
      secret,
      subject: "alice",
      budget,
    });
    assert.deepEqual(decodeJwt(token).budget, {});
  }
});
