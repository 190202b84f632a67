// A request without a connection has cost nothing. An error of the caller's functions does not
// prove that.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { before, test } from "node:test";
import { listen } from "../../tests/support/listen.mjs";
import { Instance, Platform } from "../dist/platform.js";
import * as wasm from "../dist/wasm/mediagate.js";
import { connect, failure, serve } from "./support/client.mjs";

const TASK = { code: 0, data: { task: { id: "k", state: "RUNNING" } } };
let closed = "";

before(async () => {
  const server = createServer();
  closed = await listen(server);
  server.close();
});

/** Starts a gateway that makes a task of each create, and counts them. */
async function gateway(t) {
  const seen = { creates: 0, url: "" };
  seen.url = await serve(t, (request, response) => {
    seen.creates += 1;
    request.resume().on("end", () => response.end(JSON.stringify(TASK)));
  });
  return seen;
}

/** Returns the error of a create, which has no response and this outcome. */
async function create(outcome, options) {
  const media = await connect({ maxRetries: 0, ...options });
  const created = media.textToImage({ prompt: "p" });
  return failure(created, "network", outcome);
}

for (const [through, hooks] of Object.entries({
  "": {},
  ", also through a middleware and a logger": {
    middleware: (_, next) => next(),
    logger: { debug() {}, warn() {} },
  },
}))
  test(`a create without a connection was not sent${through}`, async () => {
    const error = await create("not_sent", { url: closed, ...hooks });
    assert.equal(error.cause.cause.code, "ECONNREFUSED");
  });

test("a create whose middleware gets no connection of its own may have cost credits", async (t) => {
  const seen = await gateway(t);
  const error = await create("unknown", {
    url: seen.url,
    middleware: async (_, next) => {
      const response = await next();
      await fetch(closed);
      return response;
    },
  });
  assert.equal(error.cause.cause.code, "ECONNREFUSED");
  assert.equal(seen.creates, 1);
});

test("a create whose caller's fetch gets no connection may have cost credits", async (t) => {
  const seen = await gateway(t);
  await create("unknown", {
    url: seen.url,
    fetch: async (url, init) => {
      await fetch(url, init);
      return fetch(closed);
    },
  });
  assert.equal(seen.creates, 1);
});

test("a create that a middleware sends twice, and whose server goes away in between, may have cost credits", async (t) => {
  let isAway = false;
  const { fetch } = globalThis;
  t.after(() => Object.assign(globalThis, { fetch }));
  globalThis.fetch = async () => {
    if (isAway) return fetch(closed);
    isAway = true;
    return Response.json(TASK);
  };
  const error = await create("unknown", {
    middleware: async (_, next) => {
      await next();
      return next();
    },
  });
  assert.equal(error.cause.cause.code, "ECONNREFUSED");
});

for (const [name, cause] of [
  ["null", null],
  ["a string", "ECONNREFUSED"],
  ["a code that is no text", { code: Object.create(null) }],
  ["a cause without a prototype", { cause: Object.create(null) }],
]) {
  test(`a cause that is ${name} does not crash the client`, async (t) => {
    await create("unknown", { fetch: () => Promise.reject(cause) });
    // A test may also replace the platform's own function.
    const { fetch } = globalThis;
    t.after(() => Object.assign(globalThis, { fetch }));
    globalThis.fetch = () => Promise.reject(cause);
    await create("unknown", {});
  });
}

test("no function of the platform throws into the wasm", async (t) => {
  const platform = new Platform(new Instance(wasm));
  const names = ["performance", "localStorage"];
  for (const name of names) {
    const present = Object.getOwnPropertyDescriptor(globalThis, name);
    t.after(() => {
      if (present) Object.defineProperty(globalThis, name, present);
      else Reflect.deleteProperty(globalThis, name);
    });
  }
  const replace = (name, value) =>
    Object.defineProperty(globalThis, name, { value, configurable: true });
  replace("performance", undefined);
  assert.equal(platform.isMultiplexed("https://gateway.test/"), false);
  replace("performance", { getEntriesByType: () => ({}) });
  assert.equal(platform.isMultiplexed("https://gateway.test/"), false);
  // A polyfill may be asynchronous.
  replace("localStorage", { getItem: async () => "text" });
  assert.equal(platform.load("name"), undefined);
  platform.store("name", "text");
  replace("localStorage", undefined);
  assert.equal(platform.load("name"), undefined);
  platform.store("name", "text");
  // In browsers, the members of a file cannot be read through a proxy.
  for (const file of [Object.create(Blob.prototype), {}]) {
    const info = platform.fileInfo(/** @type {any} */ (file));
    assert.deepEqual(info, {
      name: "file.bin",
      type: "application/octet-stream",
      size: 0,
    });
  }
  for (const record of [undefined, null, 1, "text", [], [null]])
    for (const capability of [undefined, "text_to_image"])
      platform.snapshot("k", capability, undefined, undefined, record);
  const { done } = platform.diagnose({
    method: "POST",
    url: "https://gateway.test",
    headers: {},
    token: "no\nheader",
    hasSubscriber: false,
    isStream: false,
  });
  await assert.rejects(done, TypeError);
});
