// Each tab has its own form, which stays usable while it uploads, and stores each of its files
// once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { picture } from "../support/fixtures.mjs";
import { eventually, file } from "./playground.mjs";
import { suite } from "./suite.mjs";

const { open } = suite({
  flags: ["--task-seconds", "0.1"],
  uploadSpeed: 250_000,
});

const prompt = (page) => page.locator("textarea[name=prompt]");

/** Resolves to the sizes of the files that the page stores. */
const storedFiles = async (playground) =>
  (await playground.kept()).flatMap(({ fileSize }) => fileSize ?? []);

test("each tab keeps its own form, and a new one begins with the last", async (t) => {
  const playground = await open(t, "text_to_image");
  const { page } = playground;
  await prompt(page).fill("a lighthouse");
  await playground.written();
  const other = await page.context().newPage();
  await other.goto(page.url());
  await eventually(() => prompt(other).inputValue(), "a lighthouse");
  await prompt(other).fill("a paper boat");
  await page.reload();
  await eventually(() => prompt(page).inputValue(), "a lighthouse");
  await other.reload();
  await eventually(() => prompt(other).inputValue(), "a paper boat");
});

test("a form can be run again while it uploads, and stores a file of two runs once", async (t) => {
  const playground = await open(t, "background_removal");
  const { page } = playground;
  const large = file("large.png", "image/png", picture(700, 700));
  await playground.choose("file_id", large);
  await playground.run();
  await playground.task.getByText("uploading").waitFor();
  await playground.fill("title", "the second one");
  const run = page.getByRole("button", { name: "Run", exact: true });
  await run.press("Enter");
  await page.locator(".task").nth(1).waitFor();
  await page.locator('.task[data-state="SUCCEEDED"]').nth(1).waitFor();
  assert.equal(playground.count("POST", /upload_urls$/), 1);
  await page.reload();
  await playground.connected();
  assert.deepEqual(await storedFiles(playground), [large.buffer.length]);
  await page.getByRole("button", { name: "Reset" }).press("Enter");
  await page
    .getByRole("button", { name: /^Remove large/ })
    .waitFor({ state: "detached" });
});

test("files beyond the limit are not stored, and the page says so", async (t) => {
  const playground = await open(t, "adjust_audio_volume");
  const { page } = playground;
  await page.locator("[data-field=input_file_id] .drop").evaluate((zone) => {
    const part = new Blob([new Uint8Array(20_000_000)]);
    const huge = new File(Array(51).fill(part), "a.wav", { type: "audio/wav" });
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(huge);
    zone.dispatchEvent(new DragEvent("drop", { bubbles: true, dataTransfer }));
  });
  await page
    .getByText("stores no more files: 1.0 GB at most")
    .first()
    .waitFor();
  assert.deepEqual(await storedFiles(playground), []);
  await page.getByText("How this page works").click();
  await page.getByText("This browser stores 0 B of them").waitFor();
});

test("a swipe over the picture of a region scrolls, and a region without area is none", async (t) => {
  const playground = await open(t, "background_removal", {
    viewport: { width: 390, height: 844 },
    isMobile: true,
    hasTouch: true,
  });
  const { page } = playground;
  await playground.choose(
    "file_id",
    file("a.png", "image/png", picture(160, 120)),
  );
  const shown = page.locator(".drawing img");
  await shown.waitFor();
  const touchAction = () =>
    shown.evaluate((image) => getComputedStyle(image).touchAction);
  assert.equal(await touchAction(), "auto");
  await page.getByRole("button", { name: "Draw on the picture" }).tap();
  await eventually(touchAction, "none");
  for (const side of ["x", "y", "width", "height"])
    await page.getByLabel(side, { exact: true }).fill("0");
  await page
    .getByText("Without a width and a height, no region is sent.")
    .waitFor();
  const sent = page.waitForRequest((request) =>
    /background_removal$/.test(request.url()),
  );
  await playground.run();
  assert.equal((await sent).postDataJSON().region, undefined);
});

test("the width comes before the height, both have presets, and their ratio can be kept", async (t) => {
  const playground = await open(t, "text_to_image");
  const { page } = playground;
  const sides = page.locator(".form input.number:visible");
  const size = () =>
    sides.evaluateAll((inputs) =>
      inputs.slice(0, 2).map(({ name, value }) => `${name} ${value}`),
    );
  await page.getByRole("button", { name: /^Wide/ }).click();
  await eventually(size, ["width 1280", "height 720"]);
  await page.getByLabel("Keep the ratio").check();
  await playground.fill("width", "640");
  await eventually(size, ["width 640", "height 360"]);
  await playground.fill("height", "180");
  await eventually(size, ["width 320", "height 180"]);
});
