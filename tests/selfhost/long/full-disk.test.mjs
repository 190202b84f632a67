// On a full disk, creates fail and are sent at most once, and successful ones are replayed. Once
// there is space again, the gateway goes on.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { folder } from "../../support/folder.mjs";
import { readyOnce, serve } from "../support.mjs";
import {
  assertNoneTwice,
  countingUpstream,
  create,
  createUntil,
  notReplayed,
  read,
} from "./support.mjs";

const execute = promisify(execFile);
const MIB = 2 ** 20;
/** More creates than fit. */
const LOAD = {
  subjects: 4,
  atOnce: 8,
  isEnough: (created) => created.size >= 3_000,
};

/**
 * The size of the file `ballast` on each disk. Without it there is space for all refused creates: a
 * create writes some 30 kB, until the log of its ledger has 4 MB and is written into the database.
 */
const BALLAST = 8 * MIB;

/** File systems with a few megabytes beside the ballast. */
const DISKS = {
  "in memory": (path) =>
    execute("mount", ["-t", "tmpfs", "-o", "size=10m", "tmpfs", path]),
  "of ext4": (path) => mountImage(path, "4096"),
};

/** Mounts a file with an ext4 file system with blocks of this size. */
async function mountImage(path, blockBytes) {
  const image = `${path}.image`;
  await writeFile(image, Buffer.alloc(11 * MIB));
  await execute("mkfs.ext4", [
    "-q",
    "-b",
    blockBytes,
    "-O",
    "^has_journal",
    "-N",
    "512",
    "-m",
    "0",
    image,
  ]);
  await execute("mount", ["-o", "loop", image, path]);
}

/**
 * Makes a folder on a small disk of its own, which is removed after the test.
 *
 * @returns {Promise<string | undefined>} `undefined` if this process may not mount one, in which
 *   case the test is skipped
 */
async function smallDisk(t, mount) {
  const path = await mkdtemp(join(tmpdir(), "mediagate-full-disk-"));
  t.after(async () => {
    // Lazily, because a process of the test may still use it.
    await execute("umount", ["--lazy", path]).catch(() => undefined);
    await rm(path, { recursive: true });
    await rm(`${path}.image`, { force: true });
  });
  try {
    await mount(path);
  } catch (error) {
    t.skip(
      `a small disk needs root, and the right to mount: ${/** @type {Error} */ (error).message}`,
    );
    return undefined;
  }
  await writeFile(join(path, "ballast"), Buffer.alloc(BALLAST));
  return path;
}

const freeSpace = (disk) => rm(join(disk, "ballast"));

/** Sends the refused creates again. Returns the numbers of each outcome. */
async function sendAgain(url, refused, received) {
  const ends = /** @type {Record<string, number>} */ ({});
  for (const { subject, key } of refused) {
    const reply = await create(url, { subject, key });
    if (reply.status === 200) assert.equal(received.get(key), 1);
    const end = reply.status === 200 ? "made" : reply.data.cause;
    ends[end] = (ends[end] ?? 0) + 1;
  }
  return ends;
}

/** Starts a gateway whose data is on a disk, and creates until the disk is full. */
async function fill(t, disk) {
  const upstream = await countingUpstream(t);
  const options = { cwd: await folder(t), args: ["--data", disk] };
  const first = await serve(t, upstream.url, options);
  const { created, refused } = await createUntil(first.url, {
    ...LOAD,
    prefix: "before",
  });
  assert.ok(created.size > 0);
  assert.ok(refused.length > 0, `${created.size} creates fit`);
  return { upstream, options, first, created, refused };
}

for (const [name, mount] of Object.entries(DISKS)) {
  test(`on a full disk ${name}, creates fail and none is sent twice; with space again, the gateway goes on`, async (t) => {
    const disk = await smallDisk(t, mount);
    if (!disk) return;
    const { upstream, options, first, created, refused } = await fill(t, disk);
    for (const { reply } of refused)
      assert.equal(reply?.data?.reason, "outcome_unknown", reply?.text);

    // On the full disk, a ledger whose files are open can replay. Opening them would need space.
    const whileFull = await sendAgain(first.url, refused, upstream.received);
    assert.ok(whileFull.ledger > 0, JSON.stringify(whileFull));
    for (const reply of await notReplayed(first.url, created))
      assert.equal(reply.data.cause, "ledger", reply.text);
    const [{ subject, id }] = created.values();
    assert.equal((await read(first.url, subject, id)).status, 200);
    const unready = await readyOnce(first.url, 503);
    assert.match(
      unready.message,
      /can't write in its folder of data: the disk is full; creates fail until it can/,
    );
    assertNoneTwice(upstream.received);

    await freeSpace(disk);
    await readyOnce(first.url, 200);
    assert.deepEqual(await notReplayed(first.url, created), []);
    const afterwards = await sendAgain(first.url, refused, upstream.received);
    // These creates were sent, and there was no space for their outcome.
    const { made = 0, interrupted = 0 } = afterwards;
    assert.equal(
      made + interrupted,
      refused.length,
      JSON.stringify(afterwards),
    );
    assert.equal(
      (await create(first.url, { subject: "new", key: "new" })).status,
      200,
    );
    assert.equal(await first.stop(), 0);

    const second = await serve(t, upstream.url, options);
    assert.deepEqual(await notReplayed(second.url, created), []);
    assertNoneTwice(upstream.received);
    t.diagnostic(
      `${created.size} made, ${refused.length} refused; with space ${made} of them made, ${interrupted} unknown`,
    );
  });
}

test("if workerd ends on a full disk of small blocks, the next start with space has all answered creates", async (t) => {
  const disk = await smallDisk(t, (path) => mountImage(path, "1024"));
  if (!disk) return;
  const { upstream, options, first, created, refused } = await fill(t, disk);
  await freeSpace(disk);
  await first.stop();
  const second = await serve(t, upstream.url, options);
  assert.deepEqual(await notReplayed(second.url, created), []);
  const { made = 0, interrupted = 0 } = await sendAgain(
    second.url,
    refused,
    upstream.received,
  );
  assert.equal(made + interrupted, refused.length);
  assertNoneTwice(upstream.received);
  t.diagnostic(
    `${created.size} made, ${refused.length} refused; ${/Bus error/.exec(first.printed.err) ?? "it went on"}`,
  );
});
