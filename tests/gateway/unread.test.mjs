// Event streams whose clients do not read: their memory, and their number for each subject.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { openEvents, readAll } from "../support/events.mjs";
import { openUnread } from "../support/raw.mjs";
import { token } from "../support/token.mjs";
import { NO_PROC, residentBytes } from "../support/workerd-process.mjs";
import { startWorld, taskResponse } from "../support/world.mjs";

const STREAMS = 150;
const RECORD_BYTES = 900_000;
/** Half of the bytes that a stream with a queue of events takes for such a record. */
const MAX_BYTES_PER_STREAM = 700_000;
/** Milliseconds in which a stream has more than two heartbeats. */
const ENDS_WITHIN_MS = 60_000;

const states = (list) =>
  list.map((event) => event.data.task?.state ?? event.data.reason);

/** Resolves to the events of a stream that must end soon. */
async function readToEnd(response) {
  const timer = new AbortController();
  const late = delay(ENDS_WITHIN_MS, undefined, { signal: timer.signal }).then(
    () => assert.fail("the stream has not ended"),
  );
  try {
    return await Promise.race([readAll(response), late]);
  } finally {
    timer.abort();
  }
}

/**
 * Starts a gateway, and an upstream whose creates return the ids `t1`, `t2` and so on. `poll`
 * returns the response to each poll.
 */
async function start(poll, settings) {
  let created = 0;
  const {
    url,
    bearer: own,
    create: send,
  } = await startWorld(
    ({ method, path }) =>
      method === "POST"
        ? taskResponse("QUEUED", `t${++created}`)
        : poll(path.split("/").at(-1)),
    settings,
  );
  const create = async (bearer = own) =>
    (await send(undefined, { bearer })).data.task.id;
  const subscribe = async (id, bearer = own) => {
    const response = await openEvents(url, `tasks/${id}`, { bearer });
    assert.equal(response.status, 200);
    return response;
  };
  const openUnreadEvents = (id) =>
    openUnread(`${url}/api/app/v1/tasks/${id}/events`, own);
  return { create, subscribe, openUnreadEvents };
}

test("unread streams of a large record take little memory", {
  skip: NO_PROC,
}, async () => {
  let polls = 0;
  const { create, openUnreadEvents } = await start(
    (id) =>
      taskResponse("RUNNING", id, {
        prompt: String(++polls).padEnd(RECORD_BYTES, "x"),
      }),
    { STREAMS_PER_SUBJECT: "1000" },
  );
  const id = await create();
  const sockets = [await openUnreadEvents(id)];
  // The record is in memory before the first measurement.
  while (polls < 2) await delay(100);
  const before = residentBytes();
  while (sockets.length < STREAMS)
    sockets.push(
      ...(await Promise.all(
        Array.from({ length: 25 }, () => openUnreadEvents(id)),
      )),
    );
  const opened = polls;
  let most = 0;
  // Each poll is an event that the streams do not read.
  for (let seconds = 0; seconds < 60 && polls < opened + 3; seconds++) {
    await delay(1_000);
    most = Math.max(most, residentBytes() - before);
  }
  for (const socket of sockets) socket.destroy();
  const perStream = Math.round(most / STREAMS);
  assert.ok(
    perStream < MAX_BYTES_PER_STREAM,
    `${perStream} bytes for each of ${STREAMS} streams`,
  );
});

test("a stream over a subject's limit ends its oldest one, even if that follows another task", async () => {
  let state = "RUNNING";
  const { create, subscribe } = await start((id) => taskResponse(state, id), {
    STREAMS_PER_SUBJECT: "3",
  });
  const bob = token("bob");
  const first = await create();
  const second = await create();
  const ofBob = await create(bob);
  const oldest = readToEnd(await subscribe(first));
  const others = [readToEnd(await subscribe(ofBob, bob))];
  others.push(
    readToEnd(await subscribe(first)),
    readToEnd(await subscribe(second)),
  );
  let hasEnded = false;
  const noted = oldest.finally(() => (hasEnded = true));
  await delay(1_000);
  assert.ok(!hasEnded, "three are allowed");
  others.push(readToEnd(await subscribe(second)));
  // Its watcher ends it at the next poll or heartbeat.
  assert.ok(!states(await noted).includes("SUCCEEDED"));
  state = "SUCCEEDED";
  for (const list of await Promise.all(others))
    assert.equal(states(list).at(-1), "SUCCEEDED");
});
