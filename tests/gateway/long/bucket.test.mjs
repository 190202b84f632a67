// Results in the bucket of a published server.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { startMoto } from "../../support/moto.mjs";
import { BYTES, sha256, startTransfers } from "../../support/transfers.mjs";

const HOST = {
  "/b.png": (_, response) =>
    response
      .writeHead(200, {
        "content-type": "image/png",
        "content-length": BYTES.length,
      })
      .end(BYTES),
};

test("results are kept in a published server's bucket, and leave it with their task", async (t) => {
  const moto = await startMoto();
  t.after(() => moto.stop());
  const settings = await moto.createBucket("kept");
  const { send, create } = await startTransfers(t, HOST, { settings });
  const id = await create("b.png");
  let output;
  for (let reads = 0; !output?.kept; reads += 1) {
    assert.ok(reads < 100, "the result is not kept");
    await sleep(100);
    [output] = (await send(`generate/tasks/${id}`)).data.task.outputs;
  }
  const response = await fetch(output.url);
  assert.equal(response.headers.get("content-type"), "image/png");
  const bytes = Buffer.from(await response.arrayBuffer());
  assert.equal(sha256(bytes), sha256(BYTES));
  await send(`tasks/${id}`, { method: "DELETE" });
  for (let visits = 0; (await fetch(output.url)).status !== 404; visits += 1) {
    assert.ok(visits < 100, "the result is still there");
    await sleep(100);
  }
});
