// Pictures of an upstream module that take longer than any other request may.
import assert from "node:assert/strict";
import { test } from "node:test";
import { legacy } from "../../mcp/support/client.mjs";
import { startEmulator } from "../../support/emulator.mjs";
import { SMALL, startProvider } from "../../support/module/provider.mjs";
import { serveModule } from "../module-support.mjs";

async function start(t) {
  const emulator = await startEmulator();
  t.after(() => emulator.stop());
  const provider = await startProvider();
  t.after(() => provider.stop());
  return { provider, ...(await serveModule(t, { emulator, provider })) };
}

test("a picture that takes 40 s arrives, and is made once", async (t) => {
  const { media, provider } = await start(t);
  const task = await media.textToImage({ prompt: "slow" });
  const { outputs } = await task.done();
  const response = await fetch(outputs[0].url);
  assert.equal((await response.arrayBuffer()).byteLength, SMALL);
  assert.equal(provider.jobs.length, 1);
});

test("an agent whose picture takes long gets the key of its create, and the picture by it", async (t) => {
  const { url, provider } = await start(t);
  const call = async (fields) => {
    const { last } = await legacy(url, "tools/call", {
      name: "mediagate_text_to_image",
      arguments: { prompt: "slower", ...fields },
    });
    return last.result.structuredContent;
  };
  const started = Date.now();
  const { idempotency_key: key, task: none } = await call({});
  assert.ok(Date.now() - started < 50_000, "before a client gives up");
  assert.equal(none, undefined);
  const { task } = await call({ idempotency_key: key });
  assert.equal(task.state, "SUCCEEDED");
  assert.equal(provider.jobs.length, 1);
});
