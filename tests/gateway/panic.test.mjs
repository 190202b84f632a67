// A panic, made on purpose in a build that can: crates/worker/src/entry.rs, feature `forced-panic`. workerd stops the
// instance of the wasm, and whatever it was doing; the next request gets a new one.
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { PANICKING, SETTINGS, startGateway } from "../support/gateway.mjs";
import { token } from "../support/token.mjs";
import { startUpstream } from "../support/upstream.mjs";

const CREATE = "/api/app/v1/generate/image/text_to_image_turbo";
const TASK = { json: { code: 0, data: { task: { id: "t", status: "QUEUED" } } } };

let upstream, gateway;
before(async () => {
  upstream = await startUpstream(() => TASK);
  gateway = await startGateway({ UPSTREAM_BASE_URL: upstream.url, UPSTREAM_TIMEOUT_MS: "500" }, { build: PANICKING });
});
after(() => Promise.all([gateway?.stop(), upstream?.stop()]));
beforeEach(() => {
  upstream.seen.length = 0;
  upstream.answer = () => TASK;
});
afterEach(() => assert.ok(!gateway.logs.join("\n").includes(SETTINGS.UPSTREAM_API_KEY), "the panic's message holds the key, the log does not"));

const ask = async (path, headers = {}) => {
  const method = path === CREATE ? "POST" : "GET";
  const response = await fetch(gateway.url + path, { method, headers: { authorization: `Bearer ${token()}`, ...headers }, ...(method === "POST" && { body: '{"prompt":"p"}' }) });
  const text = await response.text();
  assert.ok(!text.includes(SETTINGS.UPSTREAM_API_KEY), text);
  return { status: response.status, headers: response.headers, ...(text.startsWith("{") && JSON.parse(text)) };
};

/** Asks for something of the service, and resolves once the service has heard of it and waits for `answer`. */
async function inFlight(path, headers) {
  let answer;
  const heard = new Promise((resolve) => {
    upstream.answer = () => new Promise((give) => resolve((answer = () => give(TASK))));
  });
  const asked = ask(path, headers);
  await heard;
  return { asked, answer };
}

for (const when of ["now", "late"]) {
  test(`one request panics (${when}), the next is served`, async () => {
    const logged = gateway.logs.length;
    assert.equal((await ask(CREATE, { "x-panic": when })).status, 500);
    assert.equal((await ask(CREATE)).code, 0);
    assert.equal(upstream.seen.length, 1, "the one that was served");
    assert.match(gateway.logs.slice(logged).join("\n"), /panicked at crates\/worker\/src\/entry\.rs:\d+/);
  });
}

test("what was in flight beside a panic is answered, with an error, and not asked for again", async () => {
  const { asked, answer } = await inFlight("/api/app/v1/models");
  assert.equal((await ask(CREATE, { "x-panic": "now" })).status, 500);
  upstream.answer = () => TASK;
  assert.equal((await ask(CREATE)).code, 0);
  answer();
  assert.equal((await asked).status, 500);
  assert.equal(upstream.seen.length, 2);
});

test("a create that was in flight beside a panic is not made twice", async () => {
  const key = { "idempotency-key": "once" };
  const { asked, answer } = await inFlight(CREATE, key);
  assert.equal((await ask("/healthz", { "x-panic": "now" })).status, 500);
  upstream.answer = () => TASK;
  answer();
  const again = await ask(CREATE, key);
  assert.deepEqual([again.status, again.data.reason, again.data.outcome], [502, "outcome_unknown", "unknown"]);
  assert.equal((await asked).status, 500);
  assert.equal(upstream.seen.length, 1, "nobody knows whether it was charged, so nobody repeats it");
});

test("who listens to a task beside a panic can listen anew, and misses nothing", async () => {
  const { id } = (await ask(CREATE)).data.task;
  const listen = async () => {
    const { body } = await fetch(`${gateway.url}/api/app/v1/tasks/${id}/events`, { headers: { authorization: `Bearer ${token()}` } });
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    const hear = async (text) => {
      for (let heard = ""; !heard.includes(text); ) {
        const { value, done } = await reader.read();
        assert.ok(!done, `the stream ended before ${text}`);
        heard += value;
      }
    };
    return { hear, stop: () => reader.cancel() };
  };
  const before = await listen();
  await before.hear("QUEUED");
  assert.equal((await ask("/healthz", { "x-panic": "now" })).status, 500);
  upstream.answer = () => ({ json: { code: 0, data: { task: { id: "t", status: "SUCCEEDED" } } } });
  const anew = await listen();
  await anew.hear("SUCCEEDED");
  await Promise.all([before.stop(), anew.stop()]);
});

test("panics and requests all at once", async () => {
  const mixed = Array.from({ length: 40 }, (_, i) => ask(CREATE, i % 4 === 0 ? { "x-panic": i % 8 ? "late" : "now" } : {}));
  for (const { status, code } of await Promise.all(mixed)) assert.ok(status === 500 || code === 0, String(status));
  for (let i = 0; i < 5; i++) assert.equal((await ask(CREATE)).code, 0);
});

test("the build that ships cannot be asked for one", async () => {
  const shipped = await startGateway({ UPSTREAM_BASE_URL: upstream.url });
  const response = await fetch(`${shipped.url}/healthz`, { headers: { "x-panic": "now" } });
  assert.equal(response.status, 200);
  await shipped.stop();
});
