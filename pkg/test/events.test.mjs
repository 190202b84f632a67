// The parts of responses that the client reads beside their bodies: server-sent events, and the
// time to retry.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { client, failure, mediagate, shown } from "./support/client.mjs";

test("a task ends with the event of its end, however its stream is cut into chunks", async () => {
  const record = mediagate.record("SUCCEEDED");
  record.data.task.note = "ö€😀";
  const bytes = new TextEncoder().encode(
    `id: 1\nevent: task\ndata: ${JSON.stringify(record)}\n\n`,
  );
  for (const size of [1, 3, bytes.length]) {
    const { seen, media } = await client();
    const done = media.tasks.restore(mediagate.SAVED).done({ timeout: 60_000 });
    while (!seen.streams.length) await new Promise(setImmediate);
    for (let start = 0; start < bytes.length; start += size)
      seen.streams[0].write(bytes.slice(start, start + size));
    const { state, raw } = await done;
    assert.deepEqual(
      [state, raw.note],
      ["SUCCEEDED", "ö€😀"],
      `in chunks of ${size} bytes`,
    );
    assert.deepEqual(
      [seen.lines, seen.open],
      [["GET tasks/k/events"], 0],
      "the task was polled, or its stream is open",
    );
  }
});

test("a task that is no longer in use is followed while its end is awaited", async () => {
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc");
  const { seen, media } = await client();
  const done = media.tasks.restore(mediagate.SAVED).done({ timeout: 60_000 });
  while (!seen.open) await new Promise(setImmediate);
  for (let round = 0; round < 5; round++) {
    gc();
    await new Promise(setImmediate);
  }
  assert.equal(seen.open, 1);
  seen.streams[0].write(mediagate.event("SUCCEEDED"));
  assert.equal((await done).state, "SUCCEEDED");
});

const ahead = (seconds) => new Date(Date.now() + seconds * 1000).toUTCString();

/** Returns the error of a call that is refused with this header, and not repeated. */
async function refused(retryAfter) {
  const headers = retryAfter === undefined ? {} : { "retry-after": retryAfter };
  const body = { code: 16, message: "m", data: { reason: "budget" } };
  const { seen, media } = await client({
    "GET models": () => Response.json(body, { status: 429, headers }),
  });
  const error = await failure(media.models());
  assert.deepEqual([error.status, seen.lines.length], [429, 1]);
  return error;
}

for (const [
  value,
  seconds,
] of /** @type {[string | undefined, number | undefined][]} */ ([
  ["5", 5],
  ["05", 5],
  ["0", 0],
  ["3600", 3600],
  ["1.5", 1.5],
  ["-5", undefined],
  ["+5", undefined],
  ["soon", undefined],
  ["", undefined],
  ["NaN", undefined],
  ["Infinity", undefined],
  ["5 apples", undefined],
  [new Date(0).toUTCString(), undefined],
  [undefined, undefined],
])) {
  test(`Retry-After ${shown(value)} is ${seconds}`, async () => {
    const error = await refused(value);
    assert.equal(error.retryAfter, seconds);
  });
}

test("a Retry-After that is a date gives the seconds until then, and none if it has passed", async () => {
  // A date has whole seconds.
  const { retryAfter } = await refused(ahead(600));
  assert.ok(retryAfter > 540 && retryAfter <= 600, String(retryAfter));
  assert.equal((await refused(ahead(-60))).retryAfter, undefined);
});
