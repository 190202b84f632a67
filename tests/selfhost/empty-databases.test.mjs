// `serve` removes the databases of Durable Objects that have stored nothing, and no other file.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { isEmptyDatabase } from "../../gateway/src/workerd/database.js";
import {
  removeEmpty,
  removeEmptyHourly,
} from "../../gateway/src/workerd/empty.js";
import { whilePaused } from "../../gateway/src/workerd/pause.js";
import { folder } from "../support/folder.mjs";
import { request } from "../support/request.mjs";
import { token } from "../support/token.mjs";
import { startUpstream } from "../support/upstream.mjs";
import { taskResponse } from "../support/world.mjs";
import { create, processes, serve } from "./support.mjs";

const PAGE = 4_096;
const LEDGERS = "mediagate-data/mediagate-Ledger";

/**
 * Returns the one page of an empty database, as workerd 1.20260426 writes it. `changes` are bytes
 * by their offsets.
 */
function emptyPage(changes = {}) {
  const page = Buffer.alloc(PAGE);
  page.write("SQLite format 3\0", "latin1");
  const fields = {
    16: 0x10,
    18: 2,
    19: 2,
    21: 0x40,
    22: 0x20,
    23: 0x20,
    27: 1,
    31: 1,
    95: 1,
    100: 0x0d,
    105: 0x10,
  };
  for (const [offset, byte] of Object.entries({ ...fields, ...changes }))
    page[Number(offset)] = byte;
  return page;
}

test("a database is empty if it is one page without a table and without pending changes", async (t) => {
  const at = await folder(t);
  const two = Buffer.concat([emptyPage(), Buffer.alloc(PAGE)]);
  for (const [name, content, extra, isEmpty] of /** @type {const} */ ([
    ["of workerd", emptyPage(), {}, true],
    ["killed before the first page", Buffer.alloc(0), {}, true],
    ["with an empty log", emptyPage(), { "-wal": "", "-shm": "index" }, true],
    ["with a log", emptyPage(), { "-wal": "change" }, false],
    ["killed, with a log", Buffer.alloc(0), { "-wal": "change" }, false],
    ["with a rollback journal", emptyPage(), { "-journal": "change" }, false],
    ["with a table", emptyPage({ 104: 1 }), {}, false],
    ["with 256 tables", emptyPage({ 103: 1 }), {}, false],
    ["with many tables", emptyPage({ 100: 0x05 }), {}, false],
    ["of two pages", two, {}, false],
    ["of two pages, by its header", emptyPage({ 31: 2 }), {}, false],
    ["with free pages", emptyPage({ 39: 1 }), {}, false],
    ["with another page size", emptyPage({ 16: 0x08 }), {}, false],
    ["cut off", emptyPage().subarray(0, 512), {}, false],
    ["that is none", Buffer.alloc(PAGE, "x"), {}, false],
  ])) {
    const file = join(at, name);
    await writeFile(file, content);
    for (const [suffix, text] of Object.entries(extra))
      await writeFile(`${file}${suffix}`, text);
    assert.equal(isEmptyDatabase(file), isEmpty, name);
  }
  await symlink(join(at, "of workerd"), join(at, "link"));
  await mkdir(join(at, "folder"));
  for (const name of ["link", "folder", "absent"])
    assert.equal(isEmptyDatabase(join(at, name)), false, name);
});

test("only files that have an object's name are removed", async (t) => {
  const at = await folder(t);
  const objects = join(at, "mediagate-Ledger");
  await mkdir(objects);
  const removed = ["0".repeat(64), "f".repeat(64)].map((id) => `${id}.sqlite`);
  const others = [
    "metadata.sqlite",
    `${"0".repeat(63)}.sqlite`,
    `${"0".repeat(64)}.sqlite.bak`,
    "notes.txt",
  ];
  for (const name of [...removed, ...others])
    await writeFile(join(objects, name), emptyPage());
  await writeFile(join(objects, `${removed[0]}-wal`), "");
  await writeFile(join(objects, `${removed[0]}-shm`), "index");
  await removeEmpty(at);
  assert.deepEqual((await readdir(objects)).sort(), others.sort());
});

/**
 * Starts an upstream that rejects prompts with this word. After such a create, its subject's ledger
 * deletes everything.
 */
async function rejectingUpstream(t) {
  const upstream = await startUpstream(({ body }) => {
    if (body.includes("reject"))
      return { status: 400, json: { code: 12, message: "no" } };
    return taskResponse("SUCCEEDED");
  });
  t.after(() => upstream.stop());
  return upstream;
}

/** Empties a subject's ledger, and returns the name of its database, which is the only new one. */
async function emptiedLedger(url, cwd, subject) {
  const before = await ledgers(cwd);
  const { status } = await create(url, "a-key", {
    body: { prompt: "reject" },
    bearer: token(subject),
  });
  assert.equal(status, 400);
  const added = (await ledgers(cwd)).filter((name) => !before.includes(name));
  assert.equal(added.length, 1);
  return added[0];
}

async function ledgers(cwd) {
  const names = await readdir(join(cwd, LEDGERS));
  return names.filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name));
}

test("a start removes databases of objects that were emptied or only read, and keeps those with data", async (t) => {
  const cwd = await folder(t);
  const upstream = await rejectingUpstream(t);
  const first = await serve(t, upstream.url, { cwd });
  const created = await create(first.url);
  assert.equal(created.status, 200, created.text);
  const kept = await ledgers(cwd);
  await emptiedLedger(first.url, cwd, "emptied");
  await request(`${first.url}/api/app/v1/tasks`, { bearer: token("reader") });
  assert.equal((await ledgers(cwd)).length, 3);
  await first.stop();
  const second = await serve(t, upstream.url, { cwd });
  assert.deepEqual(await ledgers(cwd), kept);
  const repeated = await create(second.url);
  assert.equal(repeated.headers.get("idempotent-replayed"), "true");
  assert.equal(repeated.data.task.id, created.data.task.id);
});

/** Removes empty databases of a running gateway, not once an hour but all the time. */
async function removeOften(t, cwd) {
  const { workerd } = await processes(cwd);
  const signal = (name) => process.kill(workerd, name);
  const data = join(cwd, "mediagate-data");
  t.after(removeEmptyHourly(data, { pid: workerd, signal }, 20));
}

test("a running gateway removes databases that are not open, and an object whose database is gone starts again", {
  skip: process.platform !== "linux",
}, async (t) => {
  const cwd = await folder(t);
  const upstream = await rejectingUpstream(t);
  const { url } = await serve(t, upstream.url, { cwd });
  await create(url);
  const [kept] = await ledgers(cwd);
  const emptied = await emptiedLedger(url, cwd, "emptied");
  const unused = `${"a".repeat(64)}.sqlite`;
  await writeFile(join(cwd, LEDGERS, unused), emptyPage());
  await removeOften(t, cwd);

  await until(async () => !(await ledgers(cwd)).includes(unused));
  // workerd evicts the object ten seconds after its last request.
  await until(async () => !(await ledgers(cwd)).includes(emptied));
  assert.deepEqual(await ledgers(cwd), [kept]);

  // The gateway creates again with a key of the removed ledger, and replays the create of the kept
  // one.
  const again = await create(url, "another-key", { bearer: token("emptied") });
  assert.equal(again.status, 200, again.text);
  const repeated = await create(url, "another-key", {
    bearer: token("emptied"),
  });
  assert.equal(repeated.headers.get("idempotent-replayed"), "true");
  assert.equal((await create(url)).headers.get("idempotent-replayed"), "true");
  assert.equal((await ledgers(cwd)).length, 2);
});

test("an object that is open keeps its database, although it is empty", {
  skip: process.platform !== "linux",
}, async (t) => {
  const cwd = await folder(t);
  const upstream = await rejectingUpstream(t);
  const { url } = await serve(t, upstream.url, { cwd });
  const emptied = await emptiedLedger(url, cwd, "emptied");
  await removeOften(t, cwd);
  // The object's requests keep it open, and each leaves the database empty.
  for (const start = Date.now(); Date.now() - start < 2_000; await sleep(50)) {
    const { status } = await create(url, "a-key", {
      body: { prompt: "reject" },
      bearer: token("emptied"),
    });
    assert.equal(status, 400);
    assert.ok((await ledgers(cwd)).includes(emptied));
  }
  assert.equal(
    (await create(url, "b-key", { bearer: token("emptied") })).status,
    200,
  );
  const repeated = await create(url, "b-key", { bearer: token("emptied") });
  assert.equal(repeated.headers.get("idempotent-replayed"), "true");
});

async function until(condition) {
  while (!(await condition())) await sleep(20);
}

test("a paused process goes on after the action, also after an error", {
  skip: process.platform !== "linux",
}, async (t) => {
  const child = spawn("sleep", ["60"], { stdio: "ignore" });
  t.after(() => child.kill("SIGKILL"));
  await once(child, "spawn");
  const paused = { pid: child.pid, signal: (name) => child.kill(name) };
  const state = async () =>
    (await readFile(`/proc/${child.pid}/stat`, "utf8")).split(") ")[1][0];
  const isStopped = async () => (await state()) === "T";

  let ran = 0;
  const run = () => {
    ran += 1;
  };
  // On a busy machine, the process may not stop in time, and the action does not run.
  await until(() => whilePaused(paused, run));
  assert.equal(ran, 1);
  const fail = () => {
    throw new Error("canary");
  };
  await assert.rejects(
    until(() => whilePaused(paused, fail)),
    /canary/,
  );
  await until(async () => !(await isStopped()));

  // If somebody else has paused the process, it stays paused.
  child.kill("SIGSTOP");
  await until(isStopped);
  assert.equal(
    whilePaused(paused, () => {
      ran += 1;
    }),
    false,
  );
  assert.ok(await isStopped());
  assert.equal(ran, 1);
});
