// A pipeline that is interrupted at any point goes on after the restart, and sends no create twice.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { chosenPoints, killedAt } from "../support/film.mjs";
import { clip, picture, startPipelines } from "../support/pipelines.mjs";

for (const point of chosenPoints()) {
  test(`a pipeline killed at its request ${point} ends, with each create sent once at most`, (t) =>
    killedAt(t, point));
}

test("a pipeline killed while a task runs goes on by itself", async (t) => {
  const world = await startPipelines(t, { persist: true });
  const { begin, until, ended, restart, creates } = world;
  const id = await begin({
    still: picture("slow"),
    clip: clip({ step: "still" }),
  });
  await until(id, (pipeline) => pipeline.steps[0].state === "RUNNING");
  await restart();
  world.released = true;
  // No request goes to the pipeline: its own alarm continues the run.
  for (let attempt = 0; creates.length < 2; attempt += 1) {
    assert.ok(attempt < 600, "the next create is sent");
    await sleep(100);
  }
  assert.equal((await ended(id)).state, "SUCCEEDED");
  assert.equal(creates.length, 2);
});
