// A result of 1 GiB is kept without memory of the gateway for its bytes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { bucketOf } from "../../../gateway/src/emulator/bucket.js";
import { startEmulator } from "../../support/emulator.mjs";
import { startTransfers } from "../../support/transfers.mjs";
import { NO_PROC, residentBytes } from "../../support/workerd-process.mjs";

const GIBIBYTE = 1 << 30;
const CHUNK = Buffer.alloc(1 << 20, 7);

/** Sends 1 GiB as fast as it is accepted. */
async function large(_, response) {
  response.writeHead(200, {
    "content-type": "video/mp4",
    "content-length": GIBIBYTE,
  });
  for (let sent = 0; sent < GIBIBYTE && !response.destroyed; ) {
    sent += CHUNK.length;
    if (!response.write(CHUNK))
      await new Promise((resolve) => response.once("drain", resolve));
  }
  response.end();
}

test("1 GiB is kept with flat memory", { skip: NO_PROC }, async (t) => {
  const emulator = await startEmulator();
  t.after(() => emulator.stop());
  const { send, create } = await startTransfers(
    t,
    { "/large.mp4": large },
    {
      settings: {
        ...bucketOf(emulator),
        RESULTS_BYTES: "0",
        UPSTREAM_TIMEOUT_MS: "60000",
      },
    },
  );
  const id = await create("large.mp4");
  const before = residentBytes();
  let peak = before;
  for (;;) {
    const { data } = await send(`generate/tasks/${id}`);
    const [output] = data.task.outputs;
    assert.equal(output.not_kept, undefined);
    if (output.kept) {
      assert.equal(output.size, GIBIBYTE);
      break;
    }
    peak = Math.max(peak, residentBytes());
    await sleep(100);
  }
  const grown = (peak - before) / (1 << 20);
  console.log(`the gateway grew by ${grown.toFixed(0)} MiB`);
  assert.ok(grown < 200, `${grown} MiB`);
});
