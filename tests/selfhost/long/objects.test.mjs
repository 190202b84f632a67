// The open Durable Objects of `serve`. About 3,000 of them exhaust the memory of workerd's storage,
// so the gateway refuses requests that would open too many.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openEvents } from "../../support/events.mjs";
import { folder } from "../../support/folder.mjs";
import { token } from "../../support/token.mjs";
import { startUpstream } from "../../support/upstream.mjs";
import { openFiles } from "../../support/workerd-process.mjs";
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

/**
 * Starts an upstream whose tasks never end. While `state.isLimited`, it refuses to tell how they stand
 * for a minute.
 */
async function endless(t, state = { isLimited: false }) {
  let made = 0;
  const upstream = await startUpstream(({ method, path }) => {
    const id = method === "POST" ? `t${++made}` : path.split("/").at(-1);
    if (method === "GET" && state.isLimited)
      return {
        status: 429,
        headers: { "retry-after": "60" },
        json: { code: 16, message: "slow down", data: null },
      };
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

test(
  "thousands of watched tasks that wake at once leave room for creates of others",
  onLinux,
  async (t) => {
    const state = { isLimited: true };
    const upstream = await endless(t, state);
    const cwd = await folder(t);
    const settings = {
      WEBHOOK_URLS: "https://app.example.com/hook",
      WEBHOOK_SECRET: `whsec_${Buffer.alloc(32).toString("base64")}`,
      PUBLIC_URL: "https://media.example.com",
      REQUESTS_AT_ONCE: "10000",
    };
    const first = await serve(t, upstream.url, { cwd, settings });
    await each(5_000, async (number) => {
      const bearer = token(`owner-${number % 50}`);
      for (;;) {
        const reply = await create(first.url, `key-${number}`, { bearer });
        if (reply.status === 200) return;
        assert.equal(reply.data.reason, "busy", reply.text);
        await sleep(1_000);
      }
    });
    await first.stop("SIGKILL");
    await sleep(61_000);
    state.isLimited = false;
    const { url, printed } = await serve(t, upstream.url, { cwd, settings });
    let most = 0;
    const statuses = [];
    const end = Date.now() + 90_000;
    for (let number = 0; Date.now() < end; number += 1) {
      const isObject = (path) => /\/[0-9a-f]{64}\.sqlite$/.test(path);
      most = Math.max(most, openFiles().filter(isObject).length);
      const bearer = token(`other-${number}`);
      const { status, data } = await create(url, "a-key", { bearer });
      assert.ok(status === 200 || data.reason === "busy", `${status}`);
      statuses.push(status);
      await sleep(200);
    }
    assert.ok(most > 1_000 && most < 2_700, `${most} are open at most`);
    const served = statuses.filter((status) => status === 200).length;
    assert.ok(served > statuses.length / 2, `${served} of ${statuses.length}`);
    assert.doesNotMatch(printed.err, /NOMEM/);
  },
);
