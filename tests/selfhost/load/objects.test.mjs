// The open Durable Objects of `serve`. About 3,000 of them exhaust the memory of workerd's storage,
// so the gateway refuses requests that would open too many.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openEvents } from "../../support/events.mjs";
import { folder } from "../../support/folder.mjs";
import { openUnread } from "../../support/raw.mjs";
import { onOpenConnection, request } from "../../support/request.mjs";
import { token } from "../../support/token.mjs";
import { startUpstream } from "../../support/upstream.mjs";
import { openFiles } from "../../support/workerd-process.mjs";
import { taskResponse } from "../../support/world.mjs";
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
 * for as long as `state.retryAfter` says. Its responses to creates take `state.createMs`.
 */
async function endless(
  t,
  state = { isLimited: false, createMs: 0, retryAfter: "60" },
) {
  let made = 0;
  const upstream = await startUpstream(async ({ method, path }) => {
    const id = method === "POST" ? `t${++made}` : path.split("/").at(-1);
    if (method === "POST") await sleep(state.createMs);
    if (method === "GET" && state.isLimited)
      return {
        status: 429,
        headers: { "retry-after": state.retryAfter },
        json: { code: 16, message: "slow down", data: null },
      };
    return taskResponse("RUNNING", id);
  });
  t.after(() => upstream.stop());
  return upstream;
}

/** Settings that make the gateway watch each task. */
const WATCHED = {
  WEBHOOK_URLS: "https://app.example.com/hook",
  WEBHOOK_SECRET: `whsec_${Buffer.alloc(32).toString("base64")}`,
  PUBLIC_URL: "https://media.example.com",
  REQUESTS_AT_ONCE: "10000",
};

/**
 * Creates tasks for some time, each of a new subject. Resolves to their statuses, and to the most
 * objects that were open.
 */
async function createMeanwhile(url, milliseconds) {
  const isObject = (path) => /\/[0-9a-f]{64}\.sqlite$/.test(path);
  let most = 0;
  const statuses = [];
  const end = Date.now() + milliseconds;
  for (let number = 0; Date.now() < end; number += 1) {
    most = Math.max(most, openFiles().filter(isObject).length);
    const bearer = token(`other-${number}`);
    const { status, data } = await create(url, "a-key", { bearer });
    assert.ok(
      status === 200 || data.reason === "busy",
      `${status} ${JSON.stringify(data)}`,
    );
    statuses.push(status);
    await sleep(200);
  }
  return { statuses, most };
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
    assert.ok(served >= 900 && refused.length > 0, `${served} are served`);
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
    const state = { isLimited: true, createMs: 0, retryAfter: "60" };
    const upstream = await endless(t, state);
    const cwd = await folder(t);
    const settings = WATCHED;
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
    const { statuses, most } = await createMeanwhile(url, 90_000);
    assert.ok(most > 300 && most < 2_400, `${most} are open at most`);
    const served = statuses.filter((status) => status === 200).length;
    assert.ok(served > statuses.length / 2, `${served} of ${statuses.length}`);
    assert.doesNotMatch(printed.err, /NOMEM/);
  },
);

test(
  "pipelines of a few subjects leave room for creates of others",
  onLinux,
  async (t) => {
    const upstream = await endless(t);
    const { url } = await serve(t, upstream.url, {
      cwd: await folder(t),
      settings: { REQUESTS_AT_ONCE: "10000" },
    });
    const steps = Object.fromEntries(
      Array.from({ length: 20 }, (_, number) => [
        `step-${number}`,
        { capability: "text_to_image_turbo", input: { prompt: "a boat" } },
      ]),
    );
    const started = await each(125, async (number) => {
      const { status, data } = await request(`${url}/api/app/v1/pipelines`, {
        bearer: token(`owner-${number % 25}`),
        headers: { "idempotency-key": `key-${number}` },
        body: { steps },
      });
      assert.ok(status === 200 || data.reason === "busy", `${status}`);
      return status;
    });
    assert.ok(started.filter((status) => status === 200).length > 50);
    const { statuses, most } = await createMeanwhile(url, 30_000);
    assert.ok(most < 2_200, `${most} are open at most`);
    assert.deepEqual([...new Set(statuses)], [200]);
  },
);

test(
  "the ends of many watched tasks are noticed within minutes",
  onLinux,
  async (t) => {
    const state = { hasEnded: false };
    const ended = new Set();
    let made = 0;
    const upstream = await startUpstream(({ method, path }) => {
      const id = method === "POST" ? `t${++made}` : path.split("/").at(-1);
      const hasEnded = method === "GET" && state.hasEnded;
      if (hasEnded) ended.add(id);
      return taskResponse(hasEnded ? "SUCCEEDED" : "RUNNING", id);
    });
    t.after(() => upstream.stop());
    const { url } = await serve(t, upstream.url, {
      cwd: await folder(t),
      settings: WATCHED,
    });
    const TASKS = 1_500;
    await each(TASKS, (number) =>
      create(url, `key-${number}`, { bearer: token(`owner-${number % 50}`) }),
    );
    state.hasEnded = true;
    // Forty a second, and half a minute for the polls that come before.
    for (let seconds = 0; seconds < 75 && ended.size < made; seconds += 1)
      await sleep(1_000);
    assert.equal(ended.size, made);
    assert.ok(made > TASKS / 2, `${made}`);
  },
);

/** Creates a task; again with its key if the connection was closed. */
function createOnce(url, key, bearer) {
  return onOpenConnection(() => create(url, key, { bearer }));
}

/** The most attempts of a create while the gateway is busy: half a minute of waits. */
const MAX_ATTEMPTS = 15;

/** Creates a task as a client does: again with its key after a wait while the gateway is busy. */
async function createAgainWhileBusy(url, key, bearer) {
  for (let attempts = 1; ; attempts += 1) {
    const reply = await createOnce(url, key, bearer);
    if (reply.data.reason !== "busy" || attempts === MAX_ATTEMPTS) return reply;
    await sleep(1_000 * Number(reply.headers.get("retry-after")));
  }
}

/**
 * Starts a create of a new subject every quarter of a second, and resolves to the reasons of all
 * responses, `undefined` for those that have succeeded.
 */
async function createMany(url, milliseconds, createOne = createOnce) {
  const creates = [];
  const end = Date.now() + milliseconds;
  for (; Date.now() < end; await sleep(250)) {
    creates.push(createOne(url, "a-key", token(`other-${creates.length}`)));
  }
  return (await Promise.all(creates)).map(({ data }) => data.reason);
}

test(
  "creates of others succeed within half a minute of bursts that the media service responds to late",
  onLinux,
  async (t) => {
    const state = { isLimited: false, createMs: 5_000, retryAfter: "60" };
    const upstream = await endless(t, state);
    const { url, printed } = await serve(t, upstream.url, {
      cwd: await folder(t),
      settings: WATCHED,
    });
    // Few ledgers, and a watcher for each create when its response comes.
    const burst = async (round) => {
      const creates = [];
      for (let number = 0; number < 2_600; number += 1) {
        const bearer = token(`owner-${number % 9}`);
        creates.push(createOnce(url, `key-${number}-${round}`, bearer));
        // As fast as the gateway takes connections.
        if (number % 20 === 0) await sleep(50);
      }
      return Promise.all(creates);
    };
    const bursts = [burst(1)];
    const others = createMany(url, 25_000, createAgainWhileBusy);
    await sleep(11_000);
    bursts.push(burst(2));
    assert.deepEqual([...new Set(await others)], [undefined]);
    const replies = (await Promise.all(bursts)).flat();
    const reasons = new Set(replies.map(({ data }) => data.reason));
    assert.deepEqual([...reasons].sort(), ["busy", undefined]);
    assert.doesNotMatch(printed.err, /NOMEM|can't be reached/);
  },
);

test(
  "very many readers of large outputs leave time for creates of others",
  onLinux,
  async (t) => {
    const head = Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1");
    const image = Buffer.concat([head, Buffer.alloc(8_000_000)]).toString(
      "base64",
    );
    const upstream = await startUpstream(({ body }) => ({
      json: body.includes("large")
        ? { code: 0, data: { image } }
        : taskResponse("RUNNING").json,
    }));
    t.after(() => upstream.stop());
    const { url } = await serve(t, upstream.url, {
      cwd: await folder(t),
      settings: {
        ...WATCHED,
        STREAMS_PER_SUBJECT: "10000",
        MAX_RESPONSE_BYTES: "20000000",
      },
    });
    const { status, data } = await request(
      `${url}/api/app/v1/generate/image/text_to_image`,
      {
        bearer: token("owner"),
        headers: { "idempotency-key": "large" },
        body: { prompt: "large" },
      },
    );
    assert.equal(status, 200, JSON.stringify(data).slice(0, 300));
    const { pathname } = new URL(data.task.outputs[0].url);
    const readers = Array.from({ length: 1_000 }, () =>
      openUnread(`${url}${pathname}`),
    );
    const start = Date.now();
    const reasons = await createMany(url, 10_000);
    assert.deepEqual([...new Set(reasons)], [undefined]);
    // If a reader costs tens of milliseconds, a create waits for half a minute.
    assert.ok(Date.now() - start < 20_000, "creates wait for the readers");
    for (const socket of await Promise.all(readers)) socket.destroy();
  },
);

test(
  "polls that the media service puts off to one instant leave room for creates of others",
  onLinux,
  async (t) => {
    const until = Math.ceil(Date.now() / 1000) * 1000 + 50_000;
    const retryAfter = new Date(until).toUTCString();
    const state = { isLimited: true, createMs: 0, retryAfter };
    const upstream = await endless(t, state);
    const { url } = await serve(t, upstream.url, {
      cwd: await folder(t),
      settings: WATCHED,
    });
    // The creates of an owner are slow enough that its objects close in between.
    const creates = [];
    for (; Date.now() < until - 3_000; await sleep(14)) {
      const bearer = token(`owner-${creates.length % 50}`);
      creates.push(create(url, `key-${creates.length}`, { bearer }));
    }
    for (const { status, text } of await Promise.all(creates))
      assert.equal(status, 200, text);
    assert.ok(creates.length > 2_500, `${creates.length}`);
    await sleep(until - Date.now());
    state.isLimited = false;
    const { most } = await createMeanwhile(url, 20_000);
    assert.ok(most < 2_200, `${most} are open at most`);
  },
);
