// The main paths of the playground, in the engine of `ENGINE`: from a form to a result, with
// interruptions.
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../e2e/playground.mjs";
import { readTasks } from "../e2e/tasks.mjs";
import { ENGINE } from "../support/engines/index.mjs";
import { picture } from "../support/fixtures.mjs";
import { readKept } from "../support/kept.mjs";
import { input, RUN, reaches, suite } from "./suite.mjs";

const { open, choose, operations } = suite();

/**
 * False if the engine stores no files. Under automation, MiniBrowser stores text in IndexedDB and
 * no files, perhaps because such a session is a private one.
 */
const STORES_FILES = ENGINE !== "webkit";
/**
 * Waits for the decoded picture. It moves the elements below it down, so that an earlier click may
 * miss.
 */
const drawingIsShown = (page, size) =>
  page.waitFor(
    (text) =>
      document.querySelector(".drawing .facts")?.textContent.startsWith(text),
    size,
  );

/** Seconds of a task that a test interrupts, which takes a busy machine some of them. */
const LONG_SECONDS = 15;

/** Waits until the first result of the newest task is decoded. Returns its size. */
const pictureSize = (page) =>
  page.waitFor(() => {
    const shown = /** @type {HTMLImageElement | null} */ (
      document.querySelector(".task .result img:not([slot=first])")
    );
    return shown?.naturalWidth && [shown.naturalWidth, shown.naturalHeight];
  });

/** Runs text_to_image_turbo, which makes a picture of 64 × 48 in this many seconds. */
async function createPicture(page, seconds) {
  await page.type(input("prompt"), "a lighthouse, ünïcödé ✓");
  await page.type(input("width"), "64");
  await page.type(input("height"), "48");
  await page.press(".more > summary", "Enter");
  await page.type(input("title"), `emulate: seconds=${seconds}`);
  await page.press(RUN, "Enter");
}

/** What the page requests when it opens, also after it is shown. */
const OF_THE_PAGE = ["asset", "capabilities", "models", "session", "tasks"];

test("text becomes a picture, and the task's updates come from one stream", async (t) => {
  const page = await open(t, "text_to_image_turbo");
  const before = operations().length;
  await createPicture(page, 1);
  await reaches(page, "SUCCEEDED");
  assert.deepEqual(await pictureSize(page), [64, 48]);
  const calls = async () =>
    operations()
      .slice(before)
      .filter((operation) => !OF_THE_PAGE.includes(operation));
  // The log's lines may arrive after the page has the responses.
  await eventually(calls, ["text_to_image_turbo", "events"]);
  assert.deepEqual(await page.lines(), []);
});

test("an upload shows its progress, and the task follows", async (t) => {
  const page = await open(t, "background_removal");
  // The bytes after the end of a PNG are no part of the picture.
  const bytes = Buffer.concat([picture(97, 61), Buffer.alloc(16_000_000)]);
  await choose(page, "file_id", "large.png", bytes);
  await drawingIsShown(page, "97 × 61");
  await page.evaluate(() => {
    globalThis.shares = [];
    const record = () =>
      globalThis.shares.push(
        /** @type {HTMLProgressElement | null} */ (
          document.querySelector("[data-field=file_id] progress")
        )?.value,
      );
    new MutationObserver(record).observe(document.body, {
      subtree: true,
      childList: true,
      attributes: true,
    });
  });
  await page.press(RUN, "Enter");
  await reaches(page, "SUCCEEDED");
  const shares = await page.evaluate(() => globalThis.shares);
  assert.ok(
    shares.some((share) => share > 0 && share < 1),
    JSON.stringify(shares),
  );
  await page.waitFor(() =>
    document
      .querySelector("[data-field=file_id] .facts")
      ?.textContent.includes("uploaded"),
  );
  assert.deepEqual(await page.lines(), []);
});

test("an upload can be cancelled, and sent again", async (t) => {
  const page = await open(t, "background_removal");
  await choose(
    page,
    "file_id",
    "large.png",
    // Large enough that the click comes before the end of the upload.
    Buffer.concat([picture(32, 32), Buffer.alloc(150_000_000)]),
  );
  await drawingIsShown(page, "32 × 32");
  await page.press(RUN, "Enter");
  await page.find('[data-field="file_id"] progress');
  const before = operations().length;
  // Without an upload, another button has this place.
  await page.click('.form button.primary[aria-disabled="true"] + button.quiet');
  // The price follows the word.
  await page.waitFor(
    (run) => document.querySelector(run)?.textContent.trim().startsWith("Run"),
    RUN,
  );
  await page.waitFor(
    () =>
      !(
        /** @type {HTMLProgressElement | null} */ (
          document.querySelector("[data-field=file_id] progress")
        )
      ),
  );
  await choose(page, "file_id", "small.png", picture(32, 24));
  await drawingIsShown(page, "32 × 24");
  await page.press(RUN, "Enter");
  await reaches(page, "SUCCEEDED");
  const creates = async () =>
    operations()
      .slice(before)
      .filter((operation) => operation === "background_removal").length;
  await eventually(creates, 1);
});

test("watching is aborted, and resumed", async (t) => {
  const page = await open(t, "text_to_image_turbo");
  await createPicture(page, LONG_SECONDS);
  await page.find(".task[data-task]");
  // Pressed by the keyboard: WebKit's driver presses at the place that a button had when its click
  // began, and a task's card still moves.
  await page.press(".task button[title='Stop watching']", "Enter");
  await page.shows(
    ".task [role=status]",
    `emulate: seconds=${LONG_SECONDS}: Not watched`,
  );
  await page.press(".task button[title='Watch again']", "Enter");
  await reaches(page, "SUCCEEDED");
});

test("a task goes on after a reload, and is created once", async (t) => {
  const page = await open(t, "text_to_image_turbo");
  const creates = () =>
    operations().filter((operation) => operation === "text_to_image_turbo")
      .length;
  const before = creates();
  await createPicture(page, LONG_SECONDS);
  await page.find(".task[data-task]");
  // The page shows a task before it has stored it.
  await eventually(async () => (await readTasks(page)).length, 1);
  await page.reload();
  await page.find('.task[data-task]:not([data-state="SUCCEEDED"])');
  await reaches(page, "SUCCEEDED");
  assert.deepEqual(await pictureSize(page), [64, 48]);
  assert.equal(creates(), before + 1);
});

/** Returns true if the page has stored the text of the form, and the file if it can. */
async function isStored(page) {
  const kept = await page.evaluate(readKept);
  return (
    kept.some(({ text }) => text === "slow push in") &&
    kept.some(({ fileSize }) => fileSize !== undefined) === STORES_FILES
  );
}

test("typed text survives a reload, and so does a chosen file if the engine stores files", async (t) => {
  const page = await open(t, "image_to_video");
  await choose(page, "file_id", "harbour.png", picture(64, 48));
  await page.type(input("prompt"), "slow push in");
  await eventually(() => isStored(page), true);
  await page.reload();
  const text = await page.waitFor(
    () =>
      /** @type {HTMLTextAreaElement | null} */ (
        document.querySelector("textarea[name=prompt]")
      )?.value,
  );
  assert.equal(text, "slow push in");
  if (STORES_FILES) {
    await page.shows('[data-field="file_id"] .name', "harbour.png");
    await page.find('[data-field="file_id"] img.preview');
  }
  assert.deepEqual(await page.lines(), []);
});
