// `kill -9` under load loses no answered create, and no create is sent twice.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { folder } from "../../support/folder.mjs";
import { freePort } from "../../support/port.mjs";
import { request } from "../../support/request.mjs";
import { processes, serve } from "../support.mjs";
import { countingUpstream } from "./support.mjs";

const CREATES = 10_000;
const KILLS = 100;
const CALLERS = 16;
const PATH = "/api/app/v1/generate/image/text_to_image_turbo";

/** Starts a gateway, and starts it again whenever it ends, as systemd would, always on one port. */
async function supervised(t, upstream) {
  const cwd = await folder(t);
  const args = ["--port", String(await freePort())];
  const state = {
    isOver: false,
    kills: 0,
    current: await serve(t, upstream, { cwd, args }),
  };
  const { url } = state.current;
  const kill = async () => {
    const { workerd } = await processes(cwd);
    process.kill(workerd, "SIGKILL");
    await state.current.ended;
    state.current = await serve(t, upstream, { cwd, args });
    state.kills += 1;
  };
  return { url, kill, state };
}

/** Sends a create until it is answered: after a broken connection again, with its key. */
async function createOnce(url, key) {
  for (;;) {
    const options = {
      body: { prompt: key },
      headers: { "idempotency-key": `key-of-${key}` },
    };
    const reply = await request(`${url}${PATH}`, options).catch(
      () => undefined,
    );
    if (reply && reply.status < 500) return reply;
    if (reply?.data?.reason === "outcome_unknown") return reply;
    await sleep(20);
  }
}

test(`${CREATES} creates during ${KILLS} kills: each is sent at most once, and none that was answered is lost`, async (t) => {
  const upstream = await countingUpstream(t);
  const gateway = await supervised(t, upstream.url);
  const answered = new Map();
  const queue = Array.from({ length: CREATES }, (_, index) => String(index));
  const call = async () => {
    for (let key = queue.pop(); key !== undefined; key = queue.pop())
      answered.set(key, await createOnce(gateway.url, key));
  };
  const killed = (async () => {
    for (let count = 0; count < KILLS; count += 1) {
      // Kills are at random times, so that they meet every part of a create.
      const due = (CREATES * (count + Math.random())) / KILLS;
      while (answered.size < due && queue.length > 0) await sleep(1);
      await gateway.kill();
    }
  })();
  await Promise.all([killed, ...Array.from({ length: CALLERS }, call)]);
  assert.equal(gateway.state.kills, KILLS);

  const twice = [...upstream.received].filter(([, count]) => count > 1);
  assert.deepEqual(twice, []);
  const made = [...answered].filter(([, reply]) => reply.status === 200);
  const unknown = [...answered].filter(([, reply]) => reply.status !== 200);
  for (const [key] of made) assert.equal(upstream.received.get(key), 1, key);
  for (const [key, reply] of unknown)
    assert.equal(reply.data.reason, "outcome_unknown", `${key}: ${reply.text}`);
  for (const [key, reply] of made.filter((_, index) => index % 20 === 0)) {
    const again = await createOnce(gateway.url, key);
    assert.equal(again.headers.get("idempotent-replayed"), "true", key);
    assert.equal(again.data.task.id, reply.data.task.id, key);
  }
  t.diagnostic(
    `${made.length} made, ${unknown.length} unknown, ${gateway.state.kills} kills`,
  );
  assert.ok(made.length > CREATES * 0.9, `${made.length}`);
});
