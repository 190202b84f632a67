// Alarms that are overdue when `serve` starts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { folder } from "../support/folder.mjs";
import { startUpstream } from "../support/upstream.mjs";
import { NO_PROC, openFiles } from "../support/workerd-process.mjs";
import { taskResponse } from "../support/world.mjs";
import { create, serve } from "./support.mjs";

const TASKS = 160;

test("overdue alarms run a few at a time, after a kill too", {
  skip: NO_PROC,
}, async (t) => {
  const polled = new Set();
  let made = 0;
  const upstream = await startUpstream(({ method, path }) => {
    const id = method === "POST" ? `t${++made}` : path.split("/").at(-1);
    if (method === "GET") polled.add(id);
    return taskResponse("RUNNING", id);
  });
  t.after(() => upstream.stop());
  const cwd = await folder(t);
  const settings = {
    WEBHOOK_URLS: "https://app.example.com/hook",
    WEBHOOK_SECRET: `whsec_${Buffer.alloc(32).toString("base64")}`,
    PUBLIC_URL: "https://media.example.com",
  };
  const first = await serve(t, upstream.url, { cwd, settings });
  await Promise.all(
    Array.from({ length: TASKS }, async (_, number) => {
      const { status, text } = await create(first.url, `key-${number}`);
      assert.equal(status, 200, text);
    }),
  );
  await first.stop("SIGKILL");
  // By now, each alarm is due.
  await sleep(20_000);
  polled.clear();

  await serve(t, upstream.url, { cwd, settings });
  const isWatcher = (path) =>
    /\/mediagate-Watcher\/[0-9a-f]{64}\.sqlite$/.test(path);
  const open = openFiles().filter(isWatcher).length;
  assert.ok(open > 0 && open < TASKS, `${open} watchers are open`);
  while (polled.size < TASKS) await sleep(100);
});
