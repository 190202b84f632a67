// What one build has stored, and the ids that it has sealed, in the hands of the next, and back.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { startGateway } from "../support/gateway.mjs";
import { request } from "../support/request.mjs";
import { token } from "../support/token.mjs";
import { startUpstream } from "../support/upstream.mjs";
import { gatewayOf, objectsOf } from "./builds.mjs";

const TURBO = "generate/image/text_to_image_turbo";
const ANIMATE = "generate/video/image_to_video";
/** Two creates, of which one is used up below. */
const limited = () => token("bob", undefined, { budget: { creates: 2 } });

/** An upstream that responds to no create with the prompt `hang`, whose arrival settles `hangs`, and to uploads with a file id. */
async function startScripted() {
  let reach;
  const hangs = new Promise((resolve) => {
    reach = resolve;
  });
  const upstream = await startUpstream(({ method, path, body }) => {
    if (path.endsWith("upload_urls"))
      return { json: { code: 0, data: { upload_url: `${upstream.url}/storage`, file_id: "file-1" } } };
    if (method === "POST" && JSON.parse(body).prompt === "hang") {
      reach();
      return { hang: true };
    }
    return { json: { code: 0, data: { task: { id: "task-1", status: "SUCCEEDED", output_url: "http://a/b.png" } } } };
  });
  const creates = () => upstream.seen.filter((it) => /text_to_image_turbo$|image_to_video$/.test(it.path)).length;
  return Object.assign(upstream, { creates, hangs });
}

/** A folder of data, and what opens it with a build; all is stopped and removed after the test. */
async function data(t) {
  const state = await mkdtemp(join(tmpdir(), "mediagate-upgrades-"));
  const upstream = await startScripted();
  const running = new Set();
  t.after(async () => {
    for (const stop of running) await stop();
    await upstream.stop();
    await rm(state, { recursive: true, force: true });
  });
  const settings = { UPSTREAM_BASE_URL: upstream.url, UPLOAD_HOSTS: "127.0.0.1" };
  const open = async (build) => {
    const gateway = await startGateway(settings, { build: gatewayOf(build), objects: objectsOf(build), state });
    running.add(gateway.stop);
    const stop = () => {
      running.delete(gateway.stop);
      return gateway.stop();
    };
    const api = `${gateway.url}/api/app/v1`;
    const create = (key, body, init = {}) =>
      request(`${api}/${body.file_id ? ANIMATE : TURBO}`, { body, headers: { "idempotency-key": key }, ...init });
    return { ...gateway, api, create, stop };
  };
  return { upstream, open };
}

/** Creates, and an upload; one create is under way when the gateway is stopped. */
async function work({ upstream, open }, build) {
  const gateway = await open(build);
  const made = await gateway.create("made", { prompt: "p" });
  assert.equal((await gateway.create("one", { prompt: "p" }, { bearer: limited() })).status, 200);
  const upload = { file_name: "a.png", content_type: "image/png", size: 3 };
  const { data: file } = await request(`${gateway.api}/upload_urls`, { body: upload });
  const hanging = gateway.create("under-way", { prompt: "hang" }).catch(() => undefined);
  const early = hanging.then((it) => assert.fail(`it ended with ${it?.status}: ${it?.text}`));
  await Promise.race([upstream.hangs, early]);
  early.catch(() => undefined);
  await gateway.stop();
  await hanging;
  return { task: made.data.task.id, file: file.file_id };
}

/** That a gateway knows all of it: nothing is sent again, and budgets go on. */
async function assertKnown({ upstream }, gateway, { task, file }) {
  const again = await gateway.create("made", { prompt: "p" });
  assert.deepEqual([again.status, again.headers.get("idempotent-replayed")], [200, "true"]);
  await assertRead(gateway, task);
  const lost = await gateway.create("under-way", { prompt: "hang" });
  assert.deepEqual([lost.data.reason, lost.data.outcome], ["outcome_unknown", "unknown"]);
  assert.equal(upstream.creates(), 3, "nothing was sent again");
  assert.equal((await gateway.create("video", { prompt: "p", file_id: file })).status, 200);
  assert.equal(JSON.parse(upstream.seen.at(-1)?.body ?? "").file_id, "file-1");
  const more = [await gateway.create("two", { prompt: "p" }, { bearer: limited() })];
  more.push(await gateway.create("three", { prompt: "p" }, { bearer: limited() }));
  assert.deepEqual(
    more.map((it) => it.status),
    [200, 429],
    "the budget goes on",
  );
}

async function assertRead(gateway, task) {
  const status = await request(`${gateway.api}/generate/tasks/${task}`);
  assert.deepEqual([status.status, status.data.task.state], [200, "SUCCEEDED"]);
}

test("what the previous build stored and sealed, the current one knows", async (t) => {
  const stored = await data(t);
  const before = await work(stored, "previous");
  await assertKnown(stored, await stored.open("current"), before);
});

// The current build has migrated the ledgers. Once both builds have the same tables, the previous one is to know everything.
test("after a rollback over a migration, ledgers refuse each create; the current build then knows everything", async (t) => {
  const stored = await data(t);
  const before = await work(stored, "current");
  const previous = await stored.open("previous");
  for (const [key, prompt] of [
    ["made", "p"],
    ["under-way", "hang"],
    ["new", "p"],
  ]) {
    const refused = await previous.create(key, { prompt });
    assert.deepEqual([refused.status, refused.data.cause], [502, "ledger"], refused.text);
  }
  assert.equal(stored.upstream.creates(), 3, "nothing is sent");
  await assertRead(previous, before.task);
  await previous.stop();
  await assertKnown(stored, await stored.open("current"), before);
});
