// A pipeline that is interrupted at any point goes on after the restart, and sends no create a second time.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { chosenPoints, killedAt } from "../support/film.mjs";
import { clip, picture, withPipelines } from "../support/pipelines.mjs";

for (const point of chosenPoints()) {
  test(`killed at its request ${point}, it ends, and each create was sent once at most`, () =>
    killedAt(point));
}

test("killed while a task runs, it goes on by itself", () =>
  withPipelines(
    async (world) => {
      const { start, until, ended, restart, creates } = world;
      const { id } = (
        await start({ still: picture("slow"), clip: clip({ step: "still" }) })
      ).data.pipeline;
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
