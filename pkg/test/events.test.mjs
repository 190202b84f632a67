// What the client reads of responses beside their bodies: server-sent events, and when to come back.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { failure, mediagate, shown } from "./support/client.mjs";

// --- server-sent events (HTML standard, 9.2.6), as the reader of the core has them ---

const event = (id, name, data) => ({ id, name, data });

/** Texts of streams, and the events in them: their data is JSON, or `undefined`. */
const STREAMS = [
  ["id: 2\nevent: task\ndata: {}\n\n", [event("2", "task", {})]],
  [":\n\nretry: 1000\n\n", []],
  [
    "data: a\ndata: b\n\ndata\n\n",
    [event("", "", undefined), event("", "", undefined)],
  ],
  [
    "data: [1,\ndata: 2]\n\ndata\n\n",
    [event("", "", [1, 2]), event("", "", undefined)],
  ],
  // A line break is between two lines of data: this is not 12.
  ["data: 1\ndata: 2\n\n", [event("", "", undefined)]],
  [
    "id: 1\r\ndata:  x\r\n\r\ndata:y\r\r",
    [event("1", "", undefined), event("1", "", undefined)],
  ],
  [
    "id: 1\r\ndata:  3\r\n\r\ndata:4\r\r",
    [event("1", "", 3), event("1", "", 4)],
  ],
  ["event: a\r\ndata: [1,\r\ndata: 2]\r\n\r\n", [event("", "a", [1, 2])]],
  ["event: gone\n\ndata: kept: whole\n\n", [event("", "", undefined)]],
  [
    'event: gone\n\ndata: {"kept": "whole: all"}\n\n',
    [event("", "", { kept: "whole: all" })],
  ],
  ["data: 5\n", []],
  ["data: 5\n\ndata: 6", [event("", "", 5)]],
  ['id: a\0b\nid\ndata: "é€😀"\n\n', [event("", "", "é€😀")]],
  ["id: 1\nid: a\0b\ndata\n\n", [event("1", "", undefined)]],
  ["other: x\ndata\ndata\n\n", [event("", "", undefined)]],
  // One space after the colon is not part of the value.
  [
    "id:  1 \nevent:x : y\ndata:7\n\ndata: 8\n\n",
    [event(" 1 ", "x : y", 7), event(" 1 ", "", 8)],
  ],
  ["DATA: 1\n data: 1\ndata : 1\n: data: 1\n\n", []],
  ["event: one\nevent: two\nevent\ndata: null\n\n", [event("", "", null)]],
  [
    "\r\n\n\r\rdata: 1\r\n\ndata: 2\n\r\n",
    [event("", "", 1), event("", "", 2)],
  ],
  ["data: 1\u2028\u0085\n\n", [event("", "", undefined)]],
];

/** All events that a reader returns for the chunks. */
function eventsIn(chunks) {
  const read = mediagate.eventReader();
  return chunks.flatMap((it) => read(it));
}

for (const [text, events] of /** @type {[string, object[]][]} */ (STREAMS)) {
  test(`the events in ${shown(text)}, in chunks of any length`, () => {
    assert.deepEqual(eventsIn([text]), events);
    assert.deepEqual(eventsIn([...text]), events, "in chunks of one character");
    assert.deepEqual(
      eventsIn(text.split("")),
      events,
      "in chunks of half a character",
    );
    for (let end = 0; end <= text.length; end++) {
      const [start, rest] = [text.slice(0, end), text.slice(end)];
      assert.deepEqual(
        eventsIn([start, rest]),
        events,
        `in chunks of ${end} and more`,
      );
      assert.deepEqual(
        eventsIn([start, "", "", rest]),
        events,
        `with empty chunks after ${end}`,
      );
    }
  });
}

test("each chunk returns the events that it completes", () => {
  const read = mediagate.eventReader();
  const chunks = [
    "data: 1\n\ndata: 2\n\nda",
    "ta: 3",
    "\n",
    "\n",
    "data: 4\r",
    "\r",
    "\n",
    "data: 5\r\r",
  ];
  const data = chunks.map((it) => read(it).map((event) => event.data));
  assert.deepEqual(data, [[1, 2], [], [], [3], [], [4], [], [5]]);
});

for (const start of ["data: x", "data: x\ndata: ", ":", "id", "event: "]) {
  test(`an endless event is not buffered (${shown(start)})`, () => {
    const megabyte = "x".repeat(1 << 20);
    const read = mediagate.eventReader();
    assert.deepEqual(read(start), []);
    let count = 0;
    while (count < 100 && read(megabyte)) count += 1;
    assert.equal(count, 15);
  });
}

test("an event of many lines is not buffered without an end, and many events are", () => {
  const line = `data: ${"x".repeat((1 << 20) - 7)}\n`;
  const read = mediagate.eventReader();
  let count = 0;
  while (count < 100 && read(line)) count += 1;
  assert.equal(count, 16);
  const other = mediagate.eventReader();
  for (count = 0; count < 40; count++)
    assert.equal(other(`${line}\n`)?.length, 1);
});

test("a task is over with the event that says so, whatever the chunks of its stream", async () => {
  const record = mediagate.record("SUCCEEDED");
  record.data.task.note = "ö€😀";
  const bytes = new TextEncoder().encode(
    `id: 1\nevent: task\ndata: ${JSON.stringify(record)}\n\n`,
  );
  for (const size of [1, 2, 3, 7, bytes.length]) {
    const seen = mediagate.gateway();
    const done = (await mediagate.connect(seen.options))
      .task(mediagate.SAVED)
      .done({ timeout: 60_000 });
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

test("a task that is no longer in use is followed for as long as its end is awaited", async () => {
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc");
  const seen = mediagate.gateway();
  const media = await mediagate.connect(seen.options);
  const done = media.task(mediagate.SAVED).done({ timeout: 60_000 });
  while (!seen.open) await new Promise(setImmediate);
  for (let round = 0; round < 5; round++) {
    gc();
    await new Promise(setImmediate);
  }
  assert.equal(seen.open, 1);
  seen.streams[0].write(mediagate.event("SUCCEEDED"));
  assert.equal((await done).state, "SUCCEEDED");
});

test("a task whose stream has an endless event is polled, and the stream is closed", async () => {
  const seen = mediagate.gateway({
    "GET process/tasks": () => Response.json(mediagate.record("SUCCEEDED")),
  });
  const done = (await mediagate.connect(seen.options))
    .task(mediagate.SAVED)
    .done({ timeout: 60_000 });
  while (!seen.streams.length) await new Promise(setImmediate);
  for (let count = 0; count < 17; count++)
    seen.streams[0].write("x".repeat(1 << 20));
  assert.equal((await done).state, "SUCCEEDED");
  assert.deepEqual([seen.lines.length, seen.open], [2, 0]);
});

// --- Retry-After ---

const ahead = (seconds) => new Date(Date.now() + seconds * 1000).toUTCString();

/** The error of a call that is refused with this header, and not repeated. */
async function refused(retryAfter) {
  const headers = retryAfter === undefined ? {} : { "retry-after": retryAfter };
  const body = { code: 16, message: "m", data: { reason: "budget" } };
  const seen = mediagate.gateway({
    "GET models": () => Response.json(body, { status: 429, headers }),
  });
  const error = await failure((await mediagate.connect(seen.options)).models());
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

test("a Retry-After that is a date is the seconds until then; none for one that has passed", async () => {
  // A date has whole seconds.
  const { retryAfter } = await refused(ahead(600));
  assert.ok(retryAfter > 540 && retryAfter <= 600, String(retryAfter));
  assert.equal((await refused(ahead(-60))).retryAfter, undefined);
});
