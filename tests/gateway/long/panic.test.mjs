// Panics, forced in a gateway of its own (tests/panicking-gateway). workerd discards the wasm
// instance with all its work, and the next request gets a new instance.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { openEvents } from "../../support/events.mjs";
import { PANICKING, SETTINGS, startGateway } from "../../support/gateway.mjs";
import { request } from "../../support/request.mjs";
import { startWorld, taskResponse } from "../../support/world.mjs";

const CREATE = "/api/app/v1/generate/image/text_to_image_turbo";
const TASK = taskResponse("QUEUED");

const { upstream, gateway } = await startWorld(
  () => TASK,
  { UPSTREAM_TIMEOUT_MS: "500" },
  { build: PANICKING },
);
beforeEach(() => {
  upstream.seen.length = 0;
  upstream.respond = () => TASK;
});
afterEach(() =>
  assert.ok(
    !gateway.logs.join("\n").includes(SETTINGS.UPSTREAM_API_KEY),
    "the panic's message contains the key, the log does not",
  ),
);

const send = async (path, headers) => {
  const response = await request(gateway.url + path, {
    headers,
    ...(path === CREATE && { body: { prompt: "p" } }),
  });
  assert.ok(!response.text.includes(SETTINGS.UPSTREAM_API_KEY), response.text);
  return response;
};

/**
 * Sends a request, and resolves once it has reached the upstream. The upstream responds when
 * `respond` is called.
 */
async function inFlight(path, headers) {
  const received = new Promise((resolve) => {
    upstream.respond = () =>
      new Promise((fulfil) => resolve(() => fulfil(TASK)));
  });
  const pending = send(path, headers);
  const respond = await received;
  return { pending, respond };
}

for (const when of ["now", "late"]) {
  test(`one request panics (${when}), the next is served`, async () => {
    const logged = gateway.logs.length;
    assert.equal((await send(CREATE, { "x-panic": when })).status, 500);
    assert.equal((await send(CREATE)).code, 0);
    assert.equal(upstream.seen.length, 1, "only the request that was served");
    assert.match(
      gateway.logs.slice(logged).join("\n"),
      /panicked at tests\/panicking-gateway\/src\/lib\.rs:\d+/,
    );
  });
}

test("a create in flight during a panic is not sent twice", async () => {
  const key = { "idempotency-key": "once" };
  const { pending, respond } = await inFlight(CREATE, key);
  assert.equal((await send("/healthz", { "x-panic": "now" })).status, 500);
  upstream.respond = () => TASK;
  respond();
  const again = await send(CREATE, key);
  assert.deepEqual(
    [again.status, again.data.reason, again.data.outcome],
    [502, "outcome_unknown", "unknown"],
  );
  assert.equal((await pending).status, 500);
  assert.equal(
    upstream.seen.length,
    1,
    "its outcome is unknown, so it is not repeated",
  );
});

test("a subscriber to a task can reconnect after a panic, and misses nothing", async () => {
  const { id } = (await send(CREATE)).data.task;
  const subscribe = async () => {
    const { body } = await openEvents(gateway.url, `tasks/${id}`);
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    const readUntil = async (text) => {
      for (let received = ""; !received.includes(text); ) {
        const { value, done } = await reader.read();
        assert.ok(!done, `the stream ended before ${text}`);
        received += value;
      }
    };
    return { readUntil, stop: () => reader.cancel() };
  };
  const first = await subscribe();
  await first.readUntil("QUEUED");
  assert.equal((await send("/healthz", { "x-panic": "now" })).status, 500);
  upstream.respond = () => taskResponse("SUCCEEDED");
  const second = await subscribe();
  await second.readUntil("SUCCEEDED");
  await Promise.all([first.stop(), second.stop()]);
});

test("requests are served beside panics", async () => {
  const mixed = Array.from({ length: 40 }, (_, index) =>
    send(
      CREATE,
      index % 4 === 0 ? { "x-panic": index % 8 ? "late" : "now" } : {},
    ),
  );
  for (const { status, code } of await Promise.all(mixed))
    assert.ok(status === 500 || code === 0, String(status));
  for (let index = 0; index < 5; index++)
    assert.equal((await send(CREATE)).code, 0);
});

test("the published build has no forced panic", async () => {
  const shipped = await startGateway({ UPSTREAM_BASE_URL: upstream.url });
  const response = await fetch(`${shipped.url}/healthz`, {
    headers: { "x-panic": "now" },
  });
  assert.equal(response.status, 200);
  await shipped.stop();
});
