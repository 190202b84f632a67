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
import { gatewayOf, objectsOf, PAIRS } from "./builds.mjs";

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

for (const [before, after] of PAIRS) {
  test(`what the ${before} build stored and sealed, the ${after} one knows`, async (t) => {
    const state = await mkdtemp(join(tmpdir(), "mediagate-upgrades-"));
    const upstream = await startScripted();
    t.after(async () => {
      await upstream.stop();
      await rm(state, { recursive: true, force: true });
    });
    const settings = { UPSTREAM_BASE_URL: upstream.url, UPLOAD_HOSTS: "127.0.0.1" };
    const open = async (build) => {
      const gateway = await startGateway(settings, { build: gatewayOf(build), objects: objectsOf(build), state });
      const api = `${gateway.url}/api/app/v1`;
      const create = (key, body, init = {}) =>
        request(`${api}/${body.file_id ? ANIMATE : TURBO}`, { body, headers: { "idempotency-key": key }, ...init });
      return { ...gateway, api, create };
    };

    const first = await open(before);
    const made = await first.create("made", { prompt: "p" });
    assert.equal((await first.create("one", { prompt: "p" }, { bearer: limited() })).status, 200);
    const upload = { file_name: "a.png", content_type: "image/png", size: 3 };
    const { data: file } = await request(`${first.api}/upload_urls`, { body: upload });
    // Under way when the first build is stopped.
    const hanging = first.create("under-way", { prompt: "hang" }).catch(() => undefined);
    const early = hanging.then((it) => assert.fail(`it ended with ${it?.status}: ${it?.text}`));
    await Promise.race([upstream.hangs, early]);
    early.catch(() => undefined);
    await first.stop();
    await hanging;

    const second = await open(after);
    t.after(second.stop);
    const again = await second.create("made", { prompt: "p" });
    assert.deepEqual([again.status, again.headers.get("idempotent-replayed")], [200, "true"]);
    const status = await request(`${second.api}/generate/tasks/${made.data.task.id}`);
    assert.deepEqual([status.status, status.data.task.state], [200, "SUCCEEDED"]);
    const lost = await second.create("under-way", { prompt: "hang" });
    assert.deepEqual([lost.data.reason, lost.data.outcome], ["outcome_unknown", "unknown"]);
    assert.equal(upstream.creates(), 3, "nothing was sent again");
    assert.equal((await second.create("video", { prompt: "p", file_id: file.file_id })).status, 200);
    assert.equal(JSON.parse(upstream.seen.at(-1)?.body ?? "").file_id, "file-1");
    const more = [await second.create("two", { prompt: "p" }, { bearer: limited() })];
    more.push(await second.create("three", { prompt: "p" }, { bearer: limited() }));
    assert.deepEqual(
      more.map((it) => it.status),
      [200, 429],
      "the budget goes on",
    );
  });
}
