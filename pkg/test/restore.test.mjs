// Saved results, which the caller may have changed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { failure, mediagate } from "./support/client.mjs";

const revoked = () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};
const throwing = {
  get outputs() {
    throw new Error("the caller's own");
  },
};
/** @type {any} */
const cycle = {};
cycle.self = cycle;
let deep = {};
for (let level = 0; level < 100_000; level++) deep = { deep };

for (const [name, result] of [
  ["with a getter that throws", throwing],
  ["that is a revoked proxy", revoked()],
  ["with a cycle", cycle],
  ["that is too deep", deep],
  ["that is a function", () => {}],
  ["with a bigint", { outputs: 1n }],
]) {
  test(`a saved result ${name} is an error, and other calls go on`, async () => {
    const seen = mediagate.gateway();
    const media = await mediagate.connect(seen.options);
    const create = media.textToImage({ prompt: "p" });
    const saved = { id: "", capability: "text_to_image", result };
    const error = await failure((async () => media.tasks.restore(saved))());
    assert.equal(error.code, "invalid_argument");
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
