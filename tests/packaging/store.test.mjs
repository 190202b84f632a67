// mediagate/store finds creates and tasks again after a reload.
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../e2e/playground.mjs";
import { ENGINE, IN_CHROMIUM } from "../support/engines/index.mjs";
import { suite } from "./support/suite.mjs";

const STORES_FILES = ENGINE !== "webkit";
const suited = suite({ storage: true });
const open = async (t) =>
  suited.visit(t, await suited.project(t, "page", "plain"), {
    path: "/store.html",
  });

const create = () =>
  globalThis.media
    .textToImageTurbo({ prompt: "a paper boat" })
    .then((task) => task.id);
const storedIds = () =>
  globalThis.store
    .tasks(globalThis.media)
    .then((tasks) => tasks.map((task) => task.id));
const ready = (page) => page.waitFor(() => globalThis.outcome === "ready");

const PICTURE =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

/**
 * Resolves to the credits that are left of the emulator's account. Each create of a picture costs
 * 4, each processing 2.
 */
async function credits() {
  return (await (await fetch(`${suited.stack.admin}/scene`)).json()).credits;
}

/**
 * Runs in the page: resolves to the unfinished creates, without values that differ between runs.
 */
const unfinished = () =>
  globalThis.store.creates(globalThis.media).then((all) =>
    all.map(({ capability, input, mayBeCharged, resumable, metadata }) => ({
      capability,
      input: { ...input },
      mayBeCharged,
      resumable,
      metadata,
    })),
  );

/**
 * Runs in the page: tests if an unfinished create is listed. After a reload, the browser may release
 * the locks of the page before it only later.
 */
const isOffered = async () =>
  (await globalThis.store.creates(globalThis.media)).length > 0;

/** Runs in the page: resolves to a storing client whose requests to this path never end. */
const hanging = (path) =>
  globalThis.connect({
    url: globalThis.gateway,
    fetch: (request, options) =>
      (request.url ?? String(request)).includes(path)
        ? new Promise(() => {})
        : fetch(request, options),
  });

/** Runs in the page: tests if a create is stored, and may have been sent if it must be. */
const isStored = ({ mustBeSent }) =>
  new Promise((resolve) => {
    const opening = indexedDB.open("mediagate");
    opening.onsuccess = () => {
      const reading = opening.result
        .transaction("creates")
        .objectStore("creates")
        .getAll();
      reading.onsuccess = () => {
        opening.result.close();
        resolve(reading.result.some(({ sentAt }) => sentAt || !mustBeSent));
      };
    };
  });

test("a reload while a create is under way loses nothing, and nothing is charged twice", async (t) => {
  const { page } = await open(t);
  const before = await credits();
  const input = { prompt: "a paper boat", title: "emulate: drip=250" };
  await page.evaluate(
    (input) =>
      void globalThis.media.textToImageTurbo(input, { metadata: { album: 7 } }),
    input,
  );
  // The upstream has the create, and its response takes some seconds.
  await eventually(async () => before - (await credits()), 4);
  await page.reload();
  await ready(page);
  await page.returns(unfinished, [
    {
      capability: "text_to_image_turbo",
      input,
      mayBeCharged: true,
      resumable: true,
      metadata: { album: 7 },
    },
  ]);
  const { id, state, metadata } = await page.evaluate(async () => {
    const [create] = await globalThis.store.creates(globalThis.media);
    const task = await create.resume();
    return {
      id: task.id,
      metadata: task.metadata,
      state: (await task.done()).state,
    };
  });
  assert.deepEqual([state, metadata], ["SUCCEEDED", { album: 7 }]);
  assert.deepEqual(await page.evaluate(unfinished), []);
  assert.deepEqual(await page.evaluate(storedIds), [id]);
  assert.equal(before - (await credits()), 4, "one picture");
});

/** Runs in the page: uploads a picture for a create whose response never arrives. */
const sendHanging = async ({ source, picture }) => {
  const hanging = new Function(`return ${source}`)();
  const media = globalThis.store.keep(await hanging("background_removal"));
  const blob = await (await fetch(picture)).blob();
  void media.backgroundRemoval({ file_id: blob });
};
const HANGING = { source: String(hanging), picture: PICTURE };

const TWO_TABS =
  "two tabs that resume a create at the same time upload and pay once";

test(TWO_TABS, { skip: !STORES_FILES && "it stores no files" }, async (t) => {
  const { page, address } = await open(t);
  await page.evaluate(
    async ({ source, picture }) => {
      const hanging = new Function(`return ${source}`)();
      const media = globalThis.store.keep(await hanging("upload_urls"));
      const blob = await (await fetch(picture)).blob();
      void media.backgroundRemoval({ file_id: blob });
    },
    { source: String(hanging), picture: PICTURE },
  );
  await page.waitFor(isStored, { mustBeSent: false });
  await page.reload();
  await ready(page);
  const other = await page.openTab(address);
  await ready(other);
  await page.waitFor(isOffered);
  const before = await credits();
  const list = async () => {
    globalThis.creates = await globalThis.store.creates(globalThis.media);
    return globalThis.creates.length;
  };
  assert.deepEqual(
    [await page.evaluate(list), await other.evaluate(list)],
    [1, 1],
  );
  const resume = async () => (await globalThis.creates[0].resume()).id;
  const [one, two] = await Promise.all([
    page.evaluate(resume),
    other.evaluate(resume),
  ]);
  assert.equal(one, two);
  assert.equal(before - (await credits()), 2, "one processing");
  assert.deepEqual(await page.evaluate(unfinished), []);
});

test("other tabs are notified, and a create that one tab works on is not offered to another", async (t) => {
  const { page, address } = await open(t);
  const other = await page.openTab(address);
  await ready(other);
  await other.evaluate(() => {
    globalThis.changes = 0;
    globalThis.end = globalThis.store.subscribe(() => globalThis.changes++);
  });
  await page.evaluate(
    () =>
      void globalThis.media.textToImageTurbo({
        prompt: "p",
        title: "emulate: slow=2000",
      }),
  );
  await other.waitFor(() => globalThis.changes > 0);
  assert.deepEqual(await other.evaluate(unfinished), []);
  await other.waitFor(
    async () => (await globalThis.store.tasks(globalThis.media)).length === 1,
  );
  await other.evaluate(() => {
    globalThis.end();
    globalThis.changes = 0;
    globalThis.later = 0;
    globalThis.store.subscribe(() => globalThis.later++);
  });
  await page.evaluate(create);
  await other.waitFor(
    async () => (await globalThis.store.tasks(globalThis.media)).length === 2,
  );
  // A listener that has not ended is notified.
  await other.waitFor(() => globalThis.later > 0);
  assert.equal(await other.evaluate(() => globalThis.changes), 0);
});

const KILLED = "a create of a tab that is killed is finished by another tab";

test(KILLED, { skip: IN_CHROMIUM }, async (t) => {
  const { page, address } = await open(t);
  const before = await credits();
  const victim = await page.playwright.context().newPage();
  await victim.goto(address);
  await victim.waitForFunction(() => globalThis.outcome === "ready");
  await victim.evaluate(sendHanging, HANGING);
  await page.waitFor(isStored, { mustBeSent: true });
  const crashed = victim.waitForEvent("crash");
  void victim.goto("chrome://crash").catch(() => {});
  await crashed;
  await page.waitFor(isOffered);
  const state = await page.evaluate(async () => {
    const [create] = await globalThis.store.creates(globalThis.media);
    return (await (await create.resume()).done()).state;
  });
  assert.equal(state, "SUCCEEDED");
  assert.equal(before - (await credits()), 2, "one processing");
});
