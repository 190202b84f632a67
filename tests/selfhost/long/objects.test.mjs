// The open Durable Objects of `serve`. About 3,000 of them exhaust the memory of workerd's storage,
// so the gateway refuses requests that would open too many.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openEvents } from "../../support/events.mjs";
import { folder } from "../../support/folder.mjs";
import { token } from "../../support/token.mjs";
import { startUpstream } from "../../support/upstream.mjs";
import { create, serve } from "../support.mjs";

const onLinux = { skip: process.platform !== "linux" };

/** More than the streams of different tasks that the gateway serves at once. */
const STREAMS = 5_000;
const AT_ONCE = 50;

/** Calls `run` with each number below `count`, some at once, and resolves to the results. */
async function each(count, run) {
  const results = [];
  let next = 0;
  const work = async () => {
    while (next < count) {
      const number = next++;
      results[number] = await run(number);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return results;
}

/** Starts an upstream whose tasks never end. */
async function endless(t) {
  let made = 0;
  const upstream = await startUpstream(({ method, path }) => {
    const id = method === "POST" ? `t${++made}` : path.split("/").at(-1);
    return { json: { code: 0, data: { task: { id, status: "RUNNING" } } } };
  });
  t.after(() => upstream.stop());
  return upstream;
}

test(
  "streams of very many tasks are served or refused as busy, and creates of others succeed",
  onLinux,
  async (t) => {
    const upstream = await endless(t);
    const { url } = await serve(t, upstream.url, {
      cwd: await folder(t),
      settings: { STREAMS_PER_SUBJECT: "10000", REQUESTS_AT_ONCE: "10000" },
    });
    const tasks = await each(STREAMS, async (number) => {
      const { status, text, data } = await create(url, `key-${number}`);
      assert.equal(status, 200, text);
      return data.task.id;
    });
    const streams = await each(STREAMS, (number) =>
      openEvents(url, `tasks/${tasks[number]}`),
    );
    const refused = streams.filter(({ status }) => status !== 200);
    const served = streams.length - refused.length;
    assert.ok(served >= 1_300 && refused.length > 0, `${served} are served`);
    for (const stream of refused) {
      assert.equal(stream.status, 503);
      assert.equal((await stream.json()).data.reason, "busy");
      assert.equal(stream.headers.get("retry-after"), "2");
    }
    const others = await each(AT_ONCE, (number) =>
      create(url, "a-key", { bearer: token(`other-${number}`) }),
    );
    for (const { status, text } of others) assert.equal(status, 200, text);
  },
);
