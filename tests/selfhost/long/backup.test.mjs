// Copies of the folder of data restore all creates.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { folder } from "../../support/folder.mjs";
import { startUpstream } from "../../support/upstream.mjs";
import { processes, serve } from "../support.mjs";
import {
  assertNoneTwice,
  countingUpstream,
  create,
  createUntil,
  notReplayed,
  read,
} from "./support.mjs";

const execute = promisify(execFile);
const DATA = "mediagate-data";
const LOAD = { subjects: 8, atOnce: 8, prefix: "load" };
const SIGNING_KEY = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const COPIES = 5;

const copyOf = (cwd, name = "copy") =>
  execute("cp", ["-r", join(cwd, DATA), join(cwd, name)]);
const startCopy = (t, upstream, cwd, name = "copy", settings = {}) =>
  serve(t, upstream.url, { cwd, args: ["--data", join(cwd, name)], settings });

test("a copy of a stopped gateway restores creates, ids and budgets", async (t) => {
  const cwd = await folder(t);
  const upstream = await countingUpstream(t);
  const first = await serve(t, upstream.url, { cwd });
  const { created, refused } = await createUntil(first.url, {
    ...LOAD,
    isEnough: (created) => created.size >= 200,
  });
  assert.deepEqual(refused, []);
  const limited = (key) => ({
    subject: "limited",
    key,
    claims: { budget: { creates: 2 } },
  });
  for (const key of ["a", "b"])
    assert.equal((await create(first.url, limited(key))).status, 200);
  assert.equal(await first.stop(), 0);
  await copyOf(cwd);
  await rm(join(cwd, DATA), { recursive: true });

  const second = await startCopy(t, upstream, cwd);
  assert.deepEqual(await notReplayed(second.url, created), []);
  const [{ subject, id }] = created.values();
  assert.equal((await read(second.url, subject, id)).status, 200);
  assert.equal((await create(second.url, limited("c"))).data.limit, "creates");
  assertNoneTwice(upstream.received);
});

test("a watched task is followed to its end from a copy of a stopped gateway", async (t) => {
  const cwd = await folder(t);
  const upstream = await countingUpstream(t);
  const backend = await startUpstream(() => ({ status: 204 }));
  t.after(() => backend.stop());
  const settings = {
    PUBLIC_URL: "https://media.example.com",
    WEBHOOK_URLS: `${backend.url}/hook`,
    WEBHOOK_SECRET: SIGNING_KEY,
  };
  const first = await serve(t, upstream.url, { cwd, settings });
  assert.equal(
    (await create(first.url, { subject: "alice", key: "watched" })).status,
    200,
  );
  assert.equal(await first.stop(), 0);
  await copyOf(cwd);
  await rm(join(cwd, DATA), { recursive: true });

  upstream.state.isOver = true;
  await startCopy(t, upstream, cwd, "copy", settings);
  while (backend.seen.length === 0) await sleep(50);
  assert.equal(JSON.parse(backend.seen[0].body).type, "task.succeeded");
});

/**
 * Takes copies while workerd is paused, so that each is of one point in time. Returns them with the
 * creates until then.
 */
async function takePausedCopies(cwd, created) {
  const { workerd } = await processes(cwd);
  const copies = [];
  for (let count = 0; count < COPIES; count += 1) {
    await sleep(300);
    const name = `copy-${count}`;
    process.kill(workerd, "SIGSTOP");
    const before = new Map(created());
    await copyOf(cwd, name);
    process.kill(workerd, "SIGCONT");
    copies.push({ name, before });
  }
  return copies;
}

test("copies under load while workerd is paused restore all answered creates", async (t) => {
  const cwd = await folder(t);
  const upstream = await countingUpstream(t);
  const { url, stop } = await serve(t, upstream.url, { cwd });
  const state = { isOver: false, created: new Map() };
  const isEnough = (created) => {
    state.created = created;
    return state.isOver;
  };
  const load = createUntil(url, { ...LOAD, isEnough });
  const copies = await takePausedCopies(cwd, () => state.created);
  state.isOver = true;
  assert.deepEqual((await load).refused, []);
  assert.equal(await stop(), 0);
  for (const { name, before } of copies) {
    const restored = await startCopy(t, upstream, cwd, name);
    assert.deepEqual(await notReplayed(restored.url, before), [], name);
    await restored.stop();
  }
  t.diagnostic(
    `${COPIES} copies, of ${copies.map((copy) => copy.before.size).join(", ")} creates`,
  );
});
