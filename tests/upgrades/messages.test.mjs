// Requests that one build serves with the Durable Objects of another: during a gradual deployment, each create meets them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { request } from "../support/request.mjs";
import { token } from "../support/token.mjs";
import { startUpstream } from "../support/upstream.mjs";
import { PAIRS, startMixed } from "./builds.mjs";

const TURBO = "generate/image/text_to_image_turbo";

/** An upstream whose tasks run at first and have succeeded at their third poll; `creates` counts. */
async function startCounting() {
  const polls = new Map();
  const upstream = await startUpstream(async ({ method, path, body }) => {
    if (method === "POST") {
      const { prompt } = JSON.parse(body);
      if (prompt === "slow") await new Promise((resolve) => setTimeout(resolve, 1_000));
      if (prompt === "broken") return { status: 502, body: "<html>" };
      if (prompt === "poor") return { json: { code: 1401, message: "insufficient credits", data: null } };
      return { json: { code: 0, data: { task: { id: `task-${upstream.seen.length}`, status: "QUEUED" } } } };
    }
    const id = path.split("/").at(-1);
    polls.set(id, (polls.get(id) ?? 0) + 1);
    return { json: { code: 0, data: { task: { id, status: polls.get(id) < 3 ? "RUNNING" : "SUCCEEDED" } } } };
  });
  const creates = () => upstream.seen.filter((it) => it.method === "POST").length;
  return Object.assign(upstream, { creates });
}

for (const [front, behind] of PAIRS) {
  /** Starts the pair, and what a caller does there. */
  const start = async (t) => {
    const upstream = await startCounting();
    const gateway = await startMixed(front, behind, { UPSTREAM_BASE_URL: upstream.url });
    t.after(() => Promise.all([gateway.stop(), upstream.stop()]));
    const api = `${gateway.url}/api/app/v1`;
    const create = (key, prompt, bearer = token()) =>
      request(`${api}/${TURBO}`, { bearer, body: { prompt }, headers: { "idempotency-key": key } });
    return { upstream, api, create };
  };
  const names = `requests of the ${front} build, objects of the ${behind} one:`;

  test(`${names} a create is sent once and replayed`, async (t) => {
    const { upstream, create } = await start(t);
    const first = await create("k", "p");
    const again = await create("k", "p");
    assert.deepEqual([first.status, again.status, again.data.task.id], [200, 200, first.data.task.id]);
    assert.equal(again.headers.get("idempotent-replayed"), "true");
    assert.deepEqual([(await create("k", "other")).status, upstream.creates()], [422, 1]);
  });

  test(`${names} creates at the same time with one key are one`, async (t) => {
    const { upstream, create } = await start(t);
    const replies = await Promise.all([1, 2, 3].map(() => create("k", "slow")));
    assert.deepEqual(
      replies.map((it) => it.status),
      [200, 200, 200],
    );
    assert.deepEqual([new Set(replies.map((it) => it.data.task.id)).size, upstream.creates()], [1, 1]);
  });

  test(`${names} a failure is known for what it is, and only one that charged nothing is sent again`, async (t) => {
    const { upstream, create } = await start(t);
    const outcome = async (key, prompt) => {
      const { status, code, data } = await create(key, prompt);
      return [status, code, data.outcome];
    };
    for (const _ of [1, 2]) assert.deepEqual(await outcome("lost", "broken"), [502, 99, "unknown"]);
    assert.equal(upstream.creates(), 1);
    for (const _ of [1, 2]) assert.deepEqual(await outcome("poor", "poor"), [402, 1401, "rejected"]);
    assert.equal(upstream.creates(), 3);
  });

  test(`${names} a budget holds`, async (t) => {
    const { upstream, create } = await start(t);
    const bearer = token("bob", undefined, { budget: { creates: 1 } });
    const replies = [await create("a", "p", bearer), await create("b", "p", bearer)];
    assert.deepEqual([...replies.map((it) => it.status), upstream.creates()], [200, 429, 1]);
  });

  test(`${names} a task is followed to its end, by stream and by polls`, async (t) => {
    const { api, create } = await start(t);
    const { id } = (await create("k", "p")).data.task;
    const stream = await fetch(`${api}/tasks/${id}/events`, { headers: { authorization: `Bearer ${token()}` } });
    const states = [...(await stream.text()).matchAll(/^data: (.+)$/gm)].map(([, it]) => JSON.parse(it));
    assert.equal(states.at(-1).data.task.state, "SUCCEEDED");
    assert.equal((await request(`${api}/generate/tasks/${id}`)).data.task.state, "SUCCEEDED");
  });
}
