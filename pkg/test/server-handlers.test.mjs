// The session handlers of `mediagate/server`, in their frameworks: who gets a token, and that no one else does.
import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { jwtVerify } from "jose";
import { SETTINGS } from "../../tests/support/gateway.mjs";
import { FRAMEWORKS } from "./support/frameworks.mjs";
import { server } from "./support/server.mjs";

const secret = SETTINGS.SESSION_SECRET;

const claims = async (jwt) => {
  const { payload } = await jwtVerify(jwt, new TextEncoder().encode(secret), {
    audience: "mediagate",
  });
  return payload;
};

/** Asserts that a response has neither a token nor anything of these. */
function assertNothing(text, ...others) {
  for (const it of ["eyJ", "token", secret, ...others])
    assert.ok(!text.includes(it), `${it} in ${text}`);
}

/** What the server has logged during a test. */
function logOf(t) {
  const { mock } = t.mock.method(console, "error", () => {});
  return () =>
    mock.calls
      .map((it) => it.arguments.map((part) => inspect(part)).join(" "))
      .join("\n");
}

for (const [name, { start, header }] of Object.entries(FRAMEWORKS)) {
  /** A handler that signs in whom the header `x-user` names, and its requests. */
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
      ["content-type", "cache-control"].map((it) => response.headers.get(it)),
      ["application/json", "no-store"],
    );
    const { data, ...others } = await response.json();
    assert.deepEqual(
      [others, data.session.expires_in],
      [{ code: 0, message: "ok" }, 900],
    );
    assert.deepEqual(Object.keys(data.session), ["token", "expires_in"]);
    const { sub, scope, iat, exp, jti } = await claims(data.session.token);
    assert.deepEqual([sub, scope, exp - iat], ["alice", "upload", 900]);
    const again = await (await send("POST", { "x-user": "alice" })).json();
    assert.notEqual(
      (await claims(again.data.session.token)).jti,
      jti,
      "each token has an id of its own",
    );
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

  test(`${name}: an authenticate that throws is a 500 that says nothing`, async (t) => {
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
        // The app's own error handler has it in place of the log.
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

  test(`${name}: without a secret there is no token, and the log says what to set`, async (t) => {
    const short = "canary-of-31-bytes-canary-of-31";
    for (const value of [
      undefined,
      null,
      "",
      " ",
      ",",
      short,
      `${secret},${short}`,
      7,
    ]) {
      for (const option of [value, () => value, async () => value]) {
        const log = logOf(t);
        const { send, errors } = await app(t, { secret: option });
        const response = await send("POST", { "x-user": "alice" });
        const text = await response.text();
        assert.deepEqual(
          [response.status, JSON.parse(text).data.reason, errors],
          [500, "misconfigured", []],
        );
        assertNothing(text, "SESSION_SECRET", "canary");
        assert.match(log(), /SESSION_SECRET/, inspect(value));
        assert.doesNotMatch(log(), /canary|session-secret/);
        t.mock.restoreAll();
      }
    }
  });

  test(`${name}: what authenticate returns is a session, or an error`, async (t) => {
    const log = logOf(t);
    const sessions = [
      {},
      true,
      7,
      "alice",
      [],
      ["alice"],
      () => {},
      { subject: "" },
      { subject: 7 },
      { subject: "anon:x" },
    ];
    const members = {
      secret: "s".repeat(32),
      issuer: "i",
      audience: "a",
      user: "alice",
      budgets: {},
      expiresIn: 3601,
    };
    const others = Object.entries(members).map(([it, value]) => ({
      subject: "alice",
      [it]: value,
    }));
    for (const session of [...sessions, ...others]) {
      const { send, errors } = await app(t, { authenticate: () => session });
      const response = await send("POST");
      assert.equal(response.status, 500, inspect(session));
      assertNothing(await response.text());
      assert.equal(errors.length, name === "Express" ? 1 : 0);
    }
    const reasons = [
      /returned no object/,
      /unknown member budgets/,
      /subject is missing/,
      /begins with anon/,
    ];
    if (name !== "Express")
      for (const reason of reasons) assert.match(log(), reason);
  });

  test(`${name}: a session has its own members, and the defaults of those that it leaves out`, async (t) => {
    const defaults = {
      scope: "upload",
      budget: { creates: 3 },
      expiresIn: 60,
      issuer: "app",
    };
    const of = async (session) => {
      const { send } = await app(t, {
        ...defaults,
        authenticate: async () => ({ subject: "alice", ...session }),
      });
      const { data } = await (await send("POST")).json();
      const { iss, scope, budget, iat, exp, jti } = await claims(
        data.session.token,
      );
      const id = session.tokenId ? [jti] : [];
      return [iss, scope, budget, exp - iat, data.session.expires_in, ...id];
    };
    assert.deepEqual(await of({}), ["app", "upload", { creates: 3 }, 60, 60]);
    const unset = {
      budget: undefined,
      expiresIn: undefined,
      tokenId: undefined,
    };
    assert.deepEqual(await of(unset), [
      "app",
      "upload",
      { creates: 3 },
      60,
      60,
    ]);
    const own = {
      scope: ["process:*"],
      budget: { in_flight: 1 },
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

  test(`${name}: a function as secret receives what authenticate receives`, async (t) => {
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
    for (const [index, it] of first.entries()) assert.equal(it, second[index]);
    assert.equal(header("x-user", ...first), "alice");
  });
}
