// Results in the bucket of a published server.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startMoto } from "../../support/moto.mjs";
import {
  BYTES,
  file,
  sha256,
  startTransfers,
} from "../../support/transfers.mjs";
import { until } from "../../support/within.mjs";

const HOST = { "/b.png": file("image/png") };

test("results are kept in a published server's bucket, and leave it with their task", async (t) => {
  const moto = await startMoto();
  t.after(() => moto.stop());
  const settings = await moto.createBucket("kept");
  const { send, create } = await startTransfers(t, HOST, { settings });
  const id = await create("b.png");
  const output = await until(async () => {
    const reply = await send(`generate/tasks/${id}`);
    return reply.data.task.outputs.find(({ kept }) => kept);
  }, "the result is kept");
  const response = await fetch(output.url);
  assert.equal(response.headers.get("content-type"), "image/png");
  const bytes = Buffer.from(await response.arrayBuffer());
  assert.equal(sha256(bytes), sha256(BYTES));
  await send(`tasks/${id}`, { method: "DELETE" });
  await until(
    async () => (await fetch(output.url)).status === 404,
    "the result is gone",
  );
});
