// A pipeline that is killed at one of its requests: what must hold afterwards, whatever runs the gateway.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { clip, picture, withPipelines } from "./pipelines.mjs";

const FILM = {
  still: picture("still"),
  other: picture("other"),
  clip: clip({ step: "still" }),
};
const KEY = { headers: { "idempotency-key": "film" } };
/** The requests of this pipeline at least: a create and a read of the task for each step, and four for its transfer. */
export const POINTS = Array.from({ length: 10 }, (_, it) => it + 1);

/** Some of them, others each time: the long tests take each of them. */
export const chosenPoints = () => {
  const second = Math.floor(Date.now() / 1000);
  return POINTS.filter((it) => it % 4 === second % 4);
};

/**
 * Kills the gateway when the pipeline's request number `point` arrives, and lets it go on: it ends, and each create was sent
 * once at most.
 *
 * @param {number} point
 * @param {Parameters<typeof withPipelines>[1]} [options]
 */
export const killedAt = (point, options) =>
  withPipelines(
    async (world) => {
      world.killAt = point;
      const { id } = await started(world.start);
      const film = await world.ended(id);
      const count = (prompt) =>
        world.creates.filter((it) => it.body.prompt === prompt).length;
      for (const step of film.steps) {
        const prompt = FILM[step.name].input.prompt;
        // Where the kill comes between a create and its response, whether there is a task is unknown.
        assert.ok(
          ["SUCCEEDED", "UNKNOWN", "SKIPPED"].includes(step.state),
          JSON.stringify(step),
        );
        assert.equal(
          count(prompt),
          step.state === "SKIPPED" ? 0 : 1,
          JSON.stringify(step),
        );
      }
      const unknown = film.steps.filter((it) => it.state === "UNKNOWN");
      assert.ok(
        unknown.length <= 2,
        "at most two creates are sent at one time",
      );
      assert.ok(world.requests >= point, "it was killed");
      assert.deepEqual(
        (await world.read(id)).steps,
        film.steps,
        "the end stays",
      );
    },
    { persist: true, ...options },
  );

/** Starts it; where the response is lost, again with the same key. */
async function started(start) {
  for (;;) {
    const reply = await start(FILM, KEY).catch(() => sleep(100));
    if (reply?.data?.pipeline) return reply.data.pipeline;
  }
}
