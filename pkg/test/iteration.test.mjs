// Iterations over a gateway that never ends them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { connect, ok } from "./support/client.mjs";

setFlagsFromString("--expose-gc");
const gc = runInNewContext("gc");

test("a history whose cursors repeat ends", async () => {
  const cursors = [];
  const media = await connect({
    fetch: async (url) => {
      // An iteration without an end would also keep the test from ending.
      assert.ok(cursors.length < 10);
      cursors.push(new URL(url).searchParams.get("cursor"));
      const cursor = cursors.length % 2 ? "a" : "b";
      return ok({ tasks: [], pipelines: [], cursor });
    },
  });
  for await (const _ of media.tasks.list()) assert.fail("there are no tasks");
  assert.deepEqual(cursors, [null, "a", "b"]);
});

/** Returns a stream of one update after the other. */
function updates() {
  let count = 0;
  return new ReadableStream({
    async pull(controller) {
      count += 1;
      await delay(1);
      const task = { id: "k", state: "RUNNING", count };
      const record = JSON.stringify({ code: 0, data: { task } });
      controller.enqueue(
        new TextEncoder().encode(
          `id: ${count}\nevent: task\ndata: ${record}\n\n`,
        ),
      );
    },
  });
}

test("an iteration of updates keeps none of the snapshots that it has yielded", async () => {
  const headers = { "content-type": "text/event-stream" };
  const media = await connect({
    fetch: async () => new Response(updates(), { headers }),
  });
  const task = media.tasks.restore({ id: "k", capability: "text_to_image" });
  const snapshots = [];
  for await (const snapshot of task) {
    snapshots.push(new WeakRef(snapshot));
    if (snapshots.length === 100) {
      await delay(10);
      gc();
      const kept = snapshots.filter((snapshot) => snapshot.deref()).length;
      assert.ok(kept < 10, `${kept} snapshots are kept`);
      return;
    }
  }
});
