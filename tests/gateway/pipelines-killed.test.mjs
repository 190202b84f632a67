// A pipeline that is interrupted at any point goes on after the restart, and sends no create a second time.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { clip, picture, withPipelines } from "../support/pipelines.mjs";

const FILM = { still: picture("still"), other: picture("other"), clip: clip({ step: "still" }) };
/** The requests of this pipeline at least: three creates, and for its transfer a read, an output, an upload URL and an upload. */
const POINTS = Array.from({ length: 10 }, (_, it) => it + 1);
/** Each of them in the long tests; otherwise some, others each time. */
const CHOSEN = process.env.MEDIAGATE_KILLS
  ? POINTS
  : POINTS.filter((it) => it % 4 === Math.floor(Date.now() / 1000) % 4);

for (const point of CHOSEN) {
  test(`killed at its request ${point}, it ends, and each create was sent once at most`, () =>
    withPipelines(
      async (world) => {
        const { start, ended, creates, read } = world;
        world.killAt = point;
        // The first create may come before the response to the start.
        const { id } = (await start(FILM, { headers: { "idempotency-key": "film" } }).catch(() => again(start))).data
          .pipeline;
        const film = await ended(id);
        const count = (prompt) => creates.filter((it) => it.body.prompt === prompt).length;
        for (const step of film.steps) {
          const prompt = FILM[step.name].input.prompt;
          assert.ok(count(prompt) <= 1, `${prompt} was sent ${count(prompt)} times`);
          // Where the kill comes between a create and its response, whether there is a task is unknown.
          assert.ok(["SUCCEEDED", "UNKNOWN", "SKIPPED"].includes(step.state), JSON.stringify(step));
          assert.equal(count(prompt), step.state === "SKIPPED" ? 0 : 1, JSON.stringify(step));
        }
        const unknown = film.steps.filter((it) => it.state === "UNKNOWN").length;
        assert.ok(unknown <= 2, "what was not being sent has its outcome");
        assert.ok(world.requests >= point, "it was killed");
        assert.deepEqual((await read(id)).steps, film.steps, "the end stays");
      },
      { persist: true },
    ));
}

/** The same start with the same key, once the gateway is there again. */
async function again(start) {
  for (;;) {
    const reply = await start(FILM, { headers: { "idempotency-key": "film" } }).catch(() => sleep(100));
    if (reply) return reply;
  }
}

test("killed while a task runs, it goes on with nobody asking", () =>
  withPipelines(
    async (world) => {
      const { start, until, ended, restart, creates } = world;
      const { id } = (await start({ still: picture("slow"), clip: clip({ step: "still" }) })).data.pipeline;
      await until(id, (it) => it.steps[0].state === "RUNNING");
      await restart();
      world.released = true;
      // No request to the pipeline: its own alarm begins the run again.
      for (let attempt = 0; creates.length < 2; attempt += 1) {
        assert.ok(attempt < 600, "the next create is sent");
        await sleep(100);
      }
      assert.equal((await ended(id)).state, "SUCCEEDED");
      assert.equal(creates.length, 2);
    },
    { persist: true },
  ));
