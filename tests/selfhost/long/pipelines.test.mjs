// Pipelines on bare workerd, killed at each of their requests.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { killedAt, POINTS } from "../../support/film.mjs";
import { folder } from "../../support/folder.mjs";
import { picture, startPipelines } from "../../support/pipelines.mjs";
import { token } from "../../support/token.mjs";
import { NO_PROC, openFiles } from "../../support/workerd-process.mjs";
import { serve } from "../support.mjs";

/**
 * Returns a function that starts a gateway in one folder, each time with the stored data. `stop`
 * kills it.
 */
async function launcher(t) {
  const cwd = await folder(t);
  /** @param {Record<string, string>} settings */
  return async (settings) => {
    const started = await serve(t, settings.UPSTREAM_BASE_URL, {
      cwd,
      settings,
    });
    // Read now: at the end of a test, the folder is removed first.
    const lock = join(cwd, "mediagate-data/gateway.lock");
    const { pids } = JSON.parse(await readFile(lock, "utf8"));
    const stop = async () => {
      if (started.child.exitCode !== null) return;
      process.kill(pids[1], "SIGKILL");
      await started.ended;
    };
    return { url: started.url, stop };
  };
}

for (const point of POINTS) {
  test(`on a server, a pipeline killed at its request ${point} ends, with each create sent once at most`, async (t) =>
    killedAt(t, point, { launch: await launcher(t) }));
}

test("271 waiting pipelines keep no file open, and all end after a restart", {
  skip: NO_PROC,
}, async (t) => {
  const world = await startPipelines(t, {
    settings: { PIPELINES_AT_ONCE: "300" },
    launch: await launcher(t),
  });
  const bearer = token("alice", "generate:*");
  const started = [];
  const numbers = Array(271).keys();
  const startSome = async () => {
    for (const number of numbers)
      started[number] = await world.start(
        { a: picture(`later-still ${number}`) },
        { bearer },
      );
  };
  await Promise.all(Array.from({ length: 10 }, startSome));
  assert.deepEqual(
    new Set(started.map((reply) => reply.status)),
    new Set([200]),
  );
  for (
    const end = Date.now() + 40_000;
    world.creates.length < 271;
    await sleep(100)
  )
    assert.ok(Date.now() < end, "all have sent their create");
  // An idle object is evicted after ten seconds.
  await sleep(15_000);
  const held = openFiles().filter((path) =>
    /Pipeline\/[0-9a-f]+\.sqlite/.test(path),
  );
  assert.deepEqual(held, []);
  await world.restart();
  const ids = started.map((reply) => reply.data.pipeline.id);
  const states = async () => {
    const pipelines = await Promise.all(
      ids.map((id) => world.read(id, { bearer })),
    );
    return new Set(pipelines.map((pipeline) => pipeline.state));
  };
  for (
    const end = Date.now() + 180_000;
    (await states()).has("RUNNING");
    await sleep(5_000)
  )
    assert.ok(Date.now() < end, "all have ended");
  assert.deepEqual(await states(), new Set(["SUCCEEDED"]));
  assert.equal(
    world.creates.length,
    2 * 271,
    "each was refused once, and sent once more",
  );
});
