// Task updates as server-sent events: one poller for all who listen, whatever happens to the service or to the gateway.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { startGateway } from "../support/gateway.mjs";
import { token } from "../support/token.mjs";
import { startUpstream } from "../support/upstream.mjs";

const IN_FLIGHT = /budget: in_flight/;
const say = (id, status) => ({ json: { code: 0, data: { task: { id, status } } } });

/** A service whose task `t` goes through these answers, one a look, and stays at the last. */
async function startService(...answers) {
  let next = () => {};
  const upstream = await startUpstream(({ method, path }) => {
    if (method === "POST") return say("t", "QUEUED");
    assert.equal(path, "/api/app/v1/generate/tasks/t");
    next();
    return answers.length > 1 ? answers.shift() : answers[0];
  });
  upstream.looked = async (times) => {
    while (upstream.looks() < times) await new Promise((resolve) => (next = resolve));
  };
  upstream.looks = () => upstream.seen.filter((it) => it.method === "GET").length;
  return upstream;
}

async function withGateway(upstream, run, settings = {}) {
  const gateway = await startGateway({ UPSTREAM_BASE_URL: upstream.url, UPSTREAM_TIMEOUT_MS: "2000", ...settings });
  try {
    await run(client(gateway));
  } finally {
    await Promise.all([gateway.stop(), upstream.stop()]);
  }
}

function client(gateway) {
  const api = `${gateway.url}/api/app/v1`;
  const create = async (bearer = token()) => {
    const init = { method: "POST", body: '{"prompt":"p"}', headers: { authorization: `Bearer ${bearer}` } };
    const { data } = await (await fetch(`${api}/generate/image/text_to_image_turbo`, init)).json();
    if (!data.task) throw new Error(`${data.reason}: ${data.limit}`);
    return data.task.id;
  };
  const listen = (id, { bearer = token(), last, signal } = {}) => {
    const headers = { authorization: `Bearer ${bearer}`, ...(last && { "last-event-id": String(last) }) };
    return fetch(`${api}/tasks/${id}/events`, { headers, signal });
  };
  return { create, listen, url: gateway.url };
}

/** The events of a stream, to its end. */
async function* events(response) {
  let text = "";
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    for (let end; (end = text.indexOf("\n\n")) >= 0; text = text.slice(end + 2)) {
      const lines = text.slice(0, end).split("\n").filter((it) => !it.startsWith(":") && !it.startsWith("retry:"));
      const fields = Object.fromEntries(lines.map((it) => it.split(/: (.*)/s)));
      if (fields.data) yield { id: Number(fields.id), event: fields.event, ...JSON.parse(fields.data) };
    }
  }
}

async function all(response) {
  const list = [];
  for await (const event of events(response)) list.push(event);
  return list;
}

const states = (list) => list.map((it) => it.data.task?.state ?? it.data.reason);

test("a stream tells each change, ends with the last state, and can be resumed", async () => {
  const upstream = await startService(say("t", "QUEUED"), say("t", "QUEUED"), say("t", "ODD"), say("t", "SUCCEEDED"));
  await withGateway(upstream, async ({ create, listen }) => {
    const id = await create();
    const response = await listen(id);
    assert.equal(response.headers.get("content-type"), "text/event-stream");
    assert.equal(response.headers.get("cache-control"), "no-store");
    assert.ok(response.headers.get("x-request-id"));
    const list = await all(response);
    assert.deepEqual(states(list), ["QUEUED", "ODD", "SUCCEEDED"]);
    assert.deepEqual(list.map((it) => [it.id, it.event, it.code]), [[1, "task", 0], [2, "task", 0], [3, "task", 0]]);
    assert.ok(list.every((it) => it.data.task.id === id), "ids are sealed, and always read the same");
    assert.equal(upstream.looks(), 4);
    // Who comes later, with or without what they saw, is told the end at once.
    for (const last of [undefined, 1, 3]) assert.deepEqual(states(await all(await listen(id, { last }))), ["SUCCEEDED"]);
    assert.equal(upstream.looks(), 4, "nobody looked again");
  });
});

test("a thousand listeners are one poller", async () => {
  let open;
  const opened = new Promise((resolve) => (open = resolve));
  const upstream = await startService(say("t", "QUEUED"), { then: (resolve) => opened.then(() => resolve(say("t", "SUCCEEDED"))) });
  await withGateway(upstream, async ({ create, listen }) => {
    const id = await create();
    const responses = [];
    // A few at a time: a thousand connections at the same moment would test the machine's backlog.
    while (responses.length < 1000) responses.push(...(await Promise.all(Array.from({ length: 50 }, () => listen(id)))));
    open();
    const lists = await Promise.all(responses.map(all));
    assert.ok(lists.every((it) => states(it).at(-1) === "SUCCEEDED"));
    assert.ok(upstream.looks() <= 3, `${upstream.looks()} looks`);
  }, { UPSTREAM_TIMEOUT_MS: "60000" });
});

test("a task that is seen to end frees its slot", async () => {
  const upstream = await startService(say("t", "SUCCEEDED"));
  await withGateway(upstream, async ({ create, listen }) => {
    const id = await create();
    await assert.rejects(create(), IN_FLIGHT);
    assert.deepEqual(states(await all(await listen(id))), ["SUCCEEDED"]);
    assert.ok(await create());
  }, { MAX_TASKS_IN_FLIGHT: "1" });
});

test("a stream is its owner's, and an unknown task has none", async () => {
  const upstream = await startService(say("t", "QUEUED"));
  await withGateway(upstream, async ({ create, listen, url }) => {
    const id = await create();
    for (const [task, bearer] of [[id, token("bob")], ["t", token()], [`${id.slice(0, -1)}`, token()]]) {
      const response = await listen(task, { bearer });
      assert.deepEqual([response.status, (await response.json()).data.reason], [404, "unknown_task"]);
    }
    assert.equal((await fetch(`${url}/api/app/v1/tasks/${id}/events`)).status, 401);
    assert.equal((await fetch(`${url}/api/app/v1/tasks/${id}/events`, { method: "POST" })).status, 405);
    assert.equal(upstream.looks(), 0);
  });
});

test("a service in trouble is waited for", async () => {
  const slow = { ...say("t", "RUNNING"), json: { ...say("t", "RUNNING").json, message: "x".repeat(200) }, drip: true };
  const trouble = [{ hang: true }, { reset: true }, slow, { status: 503, body: "<html>" }, { json: { code: 99, message: "" } }];
  const upstream = await startService(...trouble, say("t", "FAILED"));
  await withGateway(upstream, async ({ create, listen }) => {
    assert.deepEqual(states(await all(await listen(await create()))), ["FAILED"]);
    assert.equal(upstream.looks(), 6);
  });
});

test("a service that answers late, and asks for patience, is asked once at a time, and the listener hears that we are here", async () => {
  let asked = 0;
  const late = { then: (resolve) => setTimeout(() => resolve(say("t", "SUCCEEDED")), 1_500) };
  const upstream = await startService({ status: 429, headers: { "retry-after": "20" }, json: { code: 16, message: "" } }, late);
  await withGateway(upstream, async ({ create, listen }) => {
    const response = await listen(await create());
    const beats = [];
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      if (chunk.startsWith(":")) beats.push((asked = upstream.looks()));
    }
    // One beat for the look that was refused, at least one while its time is waited for.
    assert.ok(beats.length >= 2 && asked === 1, `${beats}`);
    assert.equal(upstream.looks(), 2);
  });
});

test("a token may ask that its tasks are watched though nobody listens", async () => {
  const upstream = await startService(say("t", "RUNNING"), say("t", "SUCCEEDED"));
  await withGateway(upstream, async ({ create, listen }) => {
    const watched = token("alice", undefined, { watch: true });
    const id = await create(watched);
    await assert.rejects(create(watched), IN_FLIGHT);
    await upstream.looked(2);
    // Its second look may just be on its way back: then what was known before is told first.
    const list = await all(await listen(id));
    assert.deepEqual([states(list).at(-1), list.at(-1).id], ["SUCCEEDED", 2]);
    assert.equal(upstream.looks(), 2);
    assert.ok(await create(watched), "its slot is free");
  }, { MAX_TASKS_IN_FLIGHT: "1" });
});

test("a task that the service no longer knows ends the stream with the refusal", async () => {
  const upstream = await startService(say("t", "QUEUED"), { status: 404, json: { code: 12, message: "gone" } });
  await withGateway(upstream, async ({ create, listen }) => {
    const list = await all(await listen(await create()));
    assert.deepEqual(list.map((it) => it.event), ["task", "error"]);
    assert.deepEqual([list[1].code, list[1].data.reason], [12, "unknown_task"]);
  });
});

test("a stream ends when its token does", async () => {
  const upstream = await startService(say("t", "QUEUED"));
  await withGateway(upstream, async ({ create, listen }) => {
    const iat = Math.floor(Date.now() / 1000);
    const list = await all(await listen(await create(), { bearer: token("alice", "", { iat, exp: iat + 2 }) }));
    assert.deepEqual(states(list), ["QUEUED"]);
  });
});

test("killed, the gateway goes on where it was when somebody listens again", async () => {
  const state = await mkdtemp(join(tmpdir(), "mediagate-watcher-"));
  const upstream = await startService(say("t", "QUEUED"), say("t", "QUEUED"), say("t", "RUNNING"), say("t", "SUCCEEDED"));
  const settings = { UPSTREAM_BASE_URL: upstream.url };
  try {
    const killed = await startGateway(settings, { state });
    const id = await client(killed).create();
    const first = events(await client(killed).listen(id));
    const { value } = await first.next();
    assert.deepEqual([value.id, value.data.task.state], [1, "QUEUED"]);
    await killed.stop();
    await first.next().catch(() => {});
    const gateway = await startGateway(settings, { state });
    try {
      const list = await all(await client(gateway).listen(id, { last: value.id }));
      assert.deepEqual(states(list), ["RUNNING", "SUCCEEDED"]);
      assert.deepEqual(list.map((it) => it.id), [2, 3]);
    } finally {
      await gateway.stop();
    }
  } finally {
    await upstream.stop();
    await rm(state, { recursive: true, force: true });
  }
});
