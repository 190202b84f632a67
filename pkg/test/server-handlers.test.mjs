// The session handlers of `mediagate/server` in their frameworks. Only a user who is signed in gets
// a token.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import { inspect } from "node:util";
import express from "express";
import { HTTPException } from "hono/http-exception";
import { decodeJwt } from "jose";
import { SETTINGS } from "../../tests/support/gateway.mjs";
import { listen } from "../../tests/support/listen.mjs";
import { FRAMEWORKS } from "./support/frameworks.mjs";
import { instance, rejection, server } from "./support/server.mjs";

const secret = SETTINGS.SESSION_SECRET;

const claimsIn = async (response) =>
  decodeJwt((await response.json()).data.session.token);

/** Asserts that a response has neither a token nor any of these texts. */
function assertNothing(text, ...others) {
  for (const secretPart of ["eyJ", "token", secret, ...others])
    assert.ok(!text.includes(secretPart), `${secretPart} in ${text}`);
}

function logOf(t) {
  const { mock } = t.mock.method(console, "error", () => {});
  return () =>
    mock.calls
      .map((call) => call.arguments.map((part) => inspect(part)).join(" "))
      .join("\n");
}

for (const [name, { start, header }] of Object.entries(FRAMEWORKS)) {
  /**
   * Starts a handler that signs in the user of the header `x-user`. Returns the handler and its
   * requests.
   */
  const app = (t, options = {}) => {
    const authenticate = (...args) => {
      const user = header("x-user", ...args);
      return user && { subject: user };
    };
    return start(server, { secret, authenticate, ...options }, t);
  };

  test(`${name}: a user who is signed in gets a token, which no one may store`, async (t) => {
    const { send } = await app(t, { scope: "upload", expiresIn: 900 });
    const response = await send("POST", { "x-user": "alice" });
    assert.equal(response.status, 200);
    assert.deepEqual(
      ["content-type", "cache-control"].map((header) =>
        response.headers.get(header),
      ),
      ["application/json", "no-store"],
    );
    const { data, ...others } = await response.json();
    assert.deepEqual(
      [others, Object.keys(data.session), data.session.expires_in],
      [{ code: 0, message: "ok" }, ["token", "expires_in"], 900],
    );
    const { sub, scope, iat, exp, jti } = decodeJwt(data.session.token);
    assert.deepEqual([sub, scope, exp - iat], ["alice", "upload", 900]);
    const again = await claimsIn(await send("POST", { "x-user": "alice" }));
    assert.notEqual(again.jti, jti, "each token has an id of its own");
  });

  test(`${name}: a user who is not signed in gets a 401`, async (t) => {
    for (const result of [undefined, null, false, "", 0]) {
      for (const authenticate of [() => result, async () => result]) {
        const { send, errors } = await app(t, { authenticate });
        const response = await send("POST");
        const text = await response.text();
        assert.equal(response.status, 401, inspect(result));
        assert.equal(response.headers.get("cache-control"), "no-store");
        const { code, data } = JSON.parse(text);
        assert.deepEqual(
          [code, data, errors],
          [13, { reason: "not_signed_in" }, []],
        );
        assertNothing(text);
      }
    }
  });

  test(`${name}: no other method than POST gets a token, or is authenticated`, async (t) => {
    const authenticate = () => assert.fail("authenticated");
    const { send } = await app(t, { authenticate });
    for (const method of ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
      const response = await send(method, { "x-user": "alice" });
      assert.deepEqual(
        [response.status, response.headers.get("allow")],
        [405, "POST"],
        method,
      );
      const text = await response.text();
      if (method !== "HEAD")
        assert.equal(JSON.parse(text).data.reason, "unknown_method");
      assertNothing(text);
    }
  });

  test(`${name}: if authenticate throws, the response is a 500 without details`, async (t) => {
    const log = logOf(t);
    const failures = [
      new TypeError("canary in a message"),
      Object.assign(new Error("canary"), { status: 403 }),
    ];
    for (const thrown of [...failures, "route", undefined, null]) {
      const throws = () => {
        throw thrown;
      };
      for (const options of [
        { authenticate: throws },
        { authenticate: () => Promise.reject(thrown) },
        { secret: throws },
      ]) {
        const { send, errors } = await app(t, options);
        const response = await send("POST", { "x-user": "alice" });
        assert.equal(response.status, 500, inspect(thrown));
        assertNothing(await response.text(), "canary", "route");
        // The app's own error handler receives the error instead of the log.
        if (name === "Express")
          assert.ok(
            errors[0] instanceof Error && errors.length === 1,
            inspect(errors),
          );
        if (name === "Express" && thrown instanceof Error)
          assert.equal(errors[0], thrown);
      }
    }
    if (name === "Express") assert.equal(log(), "");
    else
      assert.match(
        log(),
        /mediagate\/server: no session token was issued.*canary/,
      );
  });

  test(`${name}: a function as secret receives the arguments of authenticate`, async (t) => {
    const seen = [];
    const note =
      (result) =>
      (...args) => {
        seen.push(args);
        return result;
      };
    const { send } = await app(t, {
      secret: note(Promise.resolve(secret)),
      authenticate: note({ subject: "alice" }),
    });
    assert.equal((await send("POST", { "x-user": "alice" })).status, 200);
    const [first, second] = seen;
    assert.deepEqual(
      [first.length, second.length],
      name === "Next.js" ? [2, 2] : [1, 1],
    );
    for (const [index, handler] of first.entries())
      assert.equal(handler, second[index]);
    assert.equal(header("x-user", ...first), "alice");
  });
}

const respond = (options) =>
  server.nextSessionHandler(options)(
    new Request("https://app.example.com/media/session", { method: "POST" }),
    {},
  );
const alice = () => ({ subject: "alice" });

test("without a secret there is no token, and the log says what to set", async (t) => {
  const short = "canary-of-31-bytes-canary-of-31";
  for (const value of [undefined, "", short, `${secret},${short}`]) {
    for (const option of [value, () => value, async () => value]) {
      const log = logOf(t);
      const response = await respond({ secret: option, authenticate: alice });
      const text = await response.text();
      assert.deepEqual(
        [response.status, JSON.parse(text).data.reason],
        [500, "misconfigured"],
      );
      assertNothing(text, "SESSION_SECRET", "canary");
      assert.match(log(), /SESSION_SECRET/, inspect(value));
      assert.doesNotMatch(log(), /canary|session-secret/);
      t.mock.restoreAll();
    }
  }
});

test("authenticate must return a session, or the response is an error", async (t) => {
  const log = logOf(t);
  const sessions = [
    {},
    true,
    7,
    "alice",
    ["alice"],
    () => {},
    { subject: "" },
    { subject: "anon:x" },
    // Options of the handler, and misspelt members.
    { ...alice(), secret: "s".repeat(32) },
    { ...alice(), issuer: "i" },
    { ...alice(), audience: "a" },
    { ...alice(), budgets: {} },
    Object.create({ ...alice(), budgets: {} }),
    instance({ ...alice(), budgets: {} }),
    // The default of a limit does not replace an invalid one.
    { ...alice(), expiresIn: 3601 },
    { ...alice(), budget: Promise.resolve({ creates: 3 }) },
  ];
  for (const session of sessions) {
    const authenticate = () => session;
    const response = await respond({
      secret,
      authenticate,
      budget: { creates: 3 },
    });
    assert.equal(response.status, 500, inspect(session));
    assertNothing(await response.text());
  }
  for (const reason of [
    /returned no object/,
    /unknown member budgets/,
    /subject is missing/,
    /begins with anon/,
    /budget is not an object/,
  ])
    assert.match(log(), reason);
});

test("a session has its own members, and the defaults of those that it leaves out", async () => {
  const defaults = {
    scope: "upload",
    budget: { creates: 3 },
    expiresIn: 60,
    issuer: "app",
  };
  const of = async (session) => {
    const authenticate = async () => ({ ...alice(), ...session });
    const response = await respond({ secret, ...defaults, authenticate });
    const { token, expires_in } = (await response.json()).data.session;
    const { iss, scope, budget, iat, exp, jti } = decodeJwt(token);
    const id = session.tokenId ? [jti] : [];
    return [iss, scope, budget, exp - iat, expires_in, ...id];
  };
  const unset = { budget: undefined, expiresIn: undefined, tokenId: undefined };
  for (const session of [{}, unset])
    assert.deepEqual(await of(session), [
      "app",
      "upload",
      { creates: 3 },
      60,
      60,
    ]);
  const own = {
    scope: ["process:*"],
    budget: { inFlight: 1 },
    expiresIn: 120,
    tokenId: "session-7",
  };
  assert.deepEqual(await of(own), [
    "app",
    "process:*",
    { in_flight: 1 },
    120,
    120,
    "session-7",
  ]);
});

test("options and members count if they are inherited, or getters of a class", async () => {
  const budget = { creates: 3 };
  for (const shaped of [Object.create, instance]) {
    const authenticate = () => shaped({ ...alice(), scope: "upload" });
    const options = shaped({ secret, authenticate, budget, issuer: "app" });
    const claims = await claimsIn(await respond(options));
    assert.deepEqual(
      [claims.sub, claims.scope, claims.budget, claims.iss],
      ["alice", "upload", budget, "app"],
    );
  }
});

test("the methods of a class find a user by the instance's own fields", async () => {
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
  assert.equal((await respond(new Handler())).status, 200);
});

test("options that are not valid are an error before any request", () => {
  const authenticate = () => undefined;
  const wrong = [
    undefined,
    {},
    { secret },
    { secret, authenticate: "alice" },
    { secret, authenticate, budgets: {} },
    { secret, authenticate, subject: "alice" },
    { secret, authenticate, tokenId: "session-7" },
    { secret, authenticate, expiresIn: 7200 },
    { secret, authenticate, scope: "image-to-video" },
    { secret, authenticate, budget: { create: 1 } },
    Object.create({ secret, authenticate, budget: { creates: "3" } }),
  ];
  const handlers = Object.entries(server).filter(([name]) =>
    name.endsWith("SessionHandler"),
  );
  assert.equal(handlers.length, 4);
  for (const [name, make] of handlers) {
    for (const options of wrong)
      assert.throws(() => make(options), { code: "invalid_argument" }, name);
    // The environment of a build has no secrets.
    assert.equal(typeof make({ secret: undefined, authenticate }), "function");
  }
});

test("Hono itself responds to an HTTPException in authenticate", async (t) => {
  const authenticate = () => {
    throw new HTTPException(403, { message: "blocked" });
  };
  const { send } = await FRAMEWORKS.Hono.start(
    server,
    { secret, authenticate },
    t,
  );
  const response = await send("POST");
  assert.deepEqual([response.status, await response.text()], [403, "blocked"]);
});

test("SvelteKit itself responds to the objects that error and redirect throw", async (t) => {
  for (const thrown of [
    { status: 403, body: { message: "blocked" } },
    { status: 303, location: "/sign-in" },
  ]) {
    const authenticate = () => Promise.reject(thrown);
    const { send } = await FRAMEWORKS.SvelteKit.start(
      server,
      { secret, authenticate },
      t,
    );
    assert.equal(await rejection(send("POST")), thrown);
  }
});

test("Express: nothing is sent if a middleware has responded meanwhile", async (t) => {
  const app = express();
  const handler = server.expressSessionHandler({ secret, authenticate: alice });
  let ended;
  app.post("/", (incoming, response, next) => {
    ended = handler(incoming, response, next);
    response.status(503).end("late");
  });
  const listener = createServer(app);
  t.after(async () => {
    listener.closeAllConnections();
    listener.close();
    await once(listener, "close");
  });
  const response = await fetch(await listen(listener), { method: "POST" });
  assert.deepEqual([response.status, await response.text()], [503, "late"]);
  await ended;
});
