// Saved results, which the caller may have changed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { client, failure, mediagate } from "./support/client.mjs";

/** @type {any} */
const cycle = {};
cycle.self = cycle;

for (const [name, result] of [
  ["with a cycle", cycle],
  ["that is a function", () => {}],
  ["with a bigint", { outputs: 1n }],
]) {
  test(`a saved result ${name} is an error, and other calls go on`, async () => {
    const { media } = await client();
    const create = media.textToImage({ prompt: "p" });
    const saved = { id: "", capability: "text_to_image", result };
    await failure(
      (async () => media.tasks.restore(saved))(),
      "invalid_argument",
    );
    assert.equal((await create).state, "PROCESSING");
  });
}

test("a saved result is copied", async () => {
  const media = await mediagate.connect(mediagate.gateway().options);
  const result = { outputs: [{ url: "https://cdn.test/a.png" }] };
  const saved = { id: "", capability: "text_to_image", result };
  const task = media.tasks.restore(saved);
  result.outputs.length = 0;
  assert.equal(task.state, "SUCCEEDED");
  assert.equal(task.outputs[0].url, "https://cdn.test/a.png");
});
