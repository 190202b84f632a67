// Kills a gateway during a pipeline, and checks what must hold afterwards on any host.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { clip, picture, startPipelines } from "./pipelines.mjs";

const FILM = {
  still: picture("still"),
  other: picture("other"),
  clip: clip({ step: "still" }),
};
const KEY = { headers: { "idempotency-key": "film" } };
/**
 * The numbers of requests that the pipeline makes at least: a create and a read of the task for
 * each step, and four for its transfer.
 */
export const POINTS = Array.from({ length: 10 }, (_, index) => index + 1);

/** Returns a quarter of the points, another one each second. The long tests use all points. */
export const chosenPoints = () => {
  const second = Math.floor(Date.now() / 1000);
  return POINTS.filter((point) => point % 4 === second % 4);
};

/**
 * Kills the gateway when the pipeline's request number `point` arrives. After a restart, the
 * pipeline must end, with each create sent at most once.
 *
 * @param {import("node:test").TestContext} t
 * @param {number} point
 * @param {Parameters<typeof startPipelines>[1]} [options]
 */
export async function killedAt(t, point, options) {
  const world = await startPipelines(t, { persist: true, ...options });
  world.killAt = point;
  const { id } = await started(world.start);
  const film = await world.ended(id);
  const count = (prompt) =>
    world.creates.filter((create) => create.body.prompt === prompt).length;
  for (const step of film.steps) {
    const what = JSON.stringify(step);
    // If the kill comes between a create and its response, it is unknown whether the task exists.
    assert.ok(["SUCCEEDED", "UNKNOWN", "SKIPPED"].includes(step.state), what);
    const times = step.state === "SKIPPED" ? 0 : 1;
    assert.equal(count(FILM[step.name].input.prompt), times, what);
  }
  const unknown = film.steps.filter((step) => step.state === "UNKNOWN");
  assert.ok(unknown.length <= 2, "at most two creates are sent at one time");
  assert.ok(world.requests >= point, "it was killed");
  assert.deepEqual((await world.read(id)).steps, film.steps, "the end stays");
}

/** Starts the pipeline, and again with the same key if the response is lost. */
async function started(start) {
  for (;;) {
    const reply = await start(FILM, KEY).catch(() => sleep(100));
    if (reply?.data?.pipeline) return reply.data.pipeline;
  }
}
