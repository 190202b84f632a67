// The main paths of the playground, in the engine of `ENGINE`: from a form to a result, and a
// reload.
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../e2e/playground.mjs";
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

/** What the page requests when it opens, also after it is shown. */
const OF_THE_PAGE = ["asset", "capabilities", "models", "session", "tasks"];

test("text becomes a picture, and the task's updates come from one stream", async (t) => {
  const page = await open(t, "text_to_image_turbo");
  const before = operations().length;
  await page.type(input("prompt"), "a lighthouse, ünïcödé ✓");
  await page.type(input("width"), "64");
  await page.type(input("height"), "48");
  await page.press(".more > summary", "Enter");
  await page.type(input("title"), "emulate: seconds=1");
  await page.press(RUN, "Enter");
  await reaches(page, "SUCCEEDED");
  const size = await page.waitFor(() => {
    const shown = /** @type {HTMLImageElement | null} */ (
      document.querySelector(
        ".stage[data-shows=task] .result img:not([slot=first])",
      )
    );
    return shown?.naturalWidth && [shown.naturalWidth, shown.naturalHeight];
  });
  assert.deepEqual(size, [64, 48]);
  const calls = async () =>
    operations()
      .slice(before)
      .filter((operation) => !OF_THE_PAGE.includes(operation));
  // The log's lines may arrive after the page has the responses.
  await eventually(calls, ["text_to_image_turbo", "events"]);
  assert.deepEqual(await page.lines(), []);
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
