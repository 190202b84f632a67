// What `dev --fill-with-emulator` lists beside a module's own models.
import assert from "node:assert/strict";
import { test } from "node:test";
import { filled } from "../../gateway/src/worker/fill.js";

const listOf = (...models) =>
  Response.json({ code: 0, data: { models, emulated: true } });

test("the emulator has one model for each capability that the module lacks, with a program that is missing", async (t) => {
  const missing = { program: "ffmpeg", remedy: "ffmpeg was not found" };
  t.mock.method(globalThis, "fetch", async () =>
    listOf(
      { model_id: "a", capability: "image_to_video" },
      { model_id: "b", capability: "split_video", missing },
      { model_id: "c", capability: "merge_pdf" },
      { model_id: "d", capability: "merge_pdf" },
    ),
  );
  const own = { model_id: "own", capability: "image_to_video" };
  const module = filled({ fetch: async () => listOf(own) });
  const response = await module.fetch(
    new Request("http://module/api/app/v1/models"),
    { EMULATOR_URL: "http://emulator.test", EMULATOR_KEY: "key" },
    { waitUntil: () => {} },
  );
  const { data } = await response.json();
  const emulated = { model_id: "emulator", generation_options: {} };
  assert.deepEqual(data.models, [
    own,
    { ...emulated, capability: "split_video", missing },
    { ...emulated, capability: "merge_pdf" },
  ]);
});
