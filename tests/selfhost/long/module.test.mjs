// A picture of an upstream module that takes longer than any other request may.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startEmulator } from "../../support/emulator.mjs";
import { SMALL, startProvider } from "../../support/module/provider.mjs";
import { serveModule } from "../module-support.mjs";

test("a picture that takes 40 s arrives, and is made once", async (t) => {
  const emulator = await startEmulator();
  t.after(() => emulator.stop());
  const provider = await startProvider();
  t.after(() => provider.stop());
  const { media } = await serveModule(t, { emulator, provider });
  const task = await media.textToImage({ prompt: "slow" });
  const { outputs } = await task.done();
  const response = await fetch(outputs[0].url);
  assert.equal((await response.arrayBuffer()).byteLength, SMALL);
  assert.equal(provider.jobs.length, 1);
});
