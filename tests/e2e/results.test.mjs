// Actions on a result: compare it, download it, use it in the next request, run its task again.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { pdf, picture, tone, wav } from "../support/fixtures.mjs";
import { download, eventually, file, shownSize } from "./playground.mjs";
import { suite } from "./suite.mjs";

const { open } = suite();

async function removeBackground(playground) {
  const bytes = picture(160, 120);
  await playground.choose("file_id", file("before.png", "image/png", bytes));
  await playground.run();
  await playground.reaches("SUCCEEDED");
  return bytes;
}

test("a picture is compared with its original, with a divider that keys move, also after a reload", async (t) => {
  const playground = await open(t, "background_removal");
  const { page } = playground;
  await removeBackground(playground);
  await page.reload();
  const slider = playground.task.getByRole("slider", {
    name: "Before and after Remove background",
  });
  await slider.waitFor();
  assert.deepEqual(
    await shownSize(playground.task.getByAltText("Before Remove background")),
    [160, 120],
  );
  assert.deepEqual(await shownSize(playground.result), [160, 120]);
  assert.equal(await slider.getAttribute("aria-valuenow"), "50");
  await slider.focus();
  await page.keyboard.down("ArrowRight");
  await page.waitForFunction(
    () =>
      Number(
        document.querySelector(".task img-comparison-slider").ariaValueNow,
      ) > 60,
  );
  await page.keyboard.up("ArrowRight");
  assert.deepEqual(playground.pageErrors, []);
});

test("a generated picture has nothing to compare with", async (t) => {
  const playground = await open(t, "text_to_image");
  await playground.fill("prompt", "a lighthouse");
  await playground.run();
  await playground.reaches("SUCCEEDED");
  await playground.result.waitFor();
  assert.equal(await playground.page.getByRole("slider").count(), 0);
});

test("a sound can be played before and after", async (t) => {
  const playground = await open(t, "adjust_audio_volume");
  await playground.choose(
    "input_file_id",
    file("tone.wav", "audio/wav", wav(tone(8_000))),
  );
  await playground.fill("volume", "0.5");
  await playground.run();
  await playground.reaches("SUCCEEDED");
  const player = playground.result;
  const [after] = await playground.results();
  assert.equal(await player.getAttribute("src"), after);
  await playground.task.getByRole("button", { name: "Before" }).click();
  await eventually(
    async () => (await player.getAttribute("src")).startsWith("blob:"),
    true,
  );
  await playground.task.getByRole("button", { name: "After" }).click();
  await eventually(() => player.getAttribute("src"), after);
});

test("the pages of a PDF are drawn in place", async (t) => {
  const playground = await open(t, "split_pdf");
  await playground.choose(
    "input_file_id",
    file("a.pdf", "application/pdf", await pdf([201, 202, 203])),
  );
  await playground.fill("page_range", "1,3");
  await playground.run();
  await playground.reaches("SUCCEEDED");
  const pages = playground.task.getByRole("img", { name: /^Page \d$/ });
  await playground.task.locator("canvas[data-drawn]").nth(1).waitFor();
  assert.equal(await pages.count(), 2);
  const ink = await pages.first().evaluate((canvas) => {
    const { data } = canvas
      .getContext("2d")
      .getImageData(0, 0, canvas.width, canvas.height);
    return data.filter((value, index) => index % 4 === 0 && value < 100).length;
  });
  assert.ok(ink > 5, `${ink} dark points`);
});

test("a result is downloaded under the name of its capability", async (t) => {
  const playground = await open(t, "background_removal");
  await removeBackground(playground);
  const [saved] = await Promise.all([
    playground.page.waitForEvent("download"),
    playground.page
      .getByRole("button", { name: "Download Remove background" })
      .press("Enter"),
  ]);
  assert.equal(saved.suggestedFilename(), "remove-background.png");
  const [url] = await playground.results();
  assert.deepEqual(await readFile(await saved.path()), await download(url));
});

test("a result is the input of the next request, from the task and from the field", async (t) => {
  const playground = await open(t, "text_to_image");
  const { page } = playground;
  await playground.fill("prompt", "a lighthouse");
  await playground.fill("width", "160");
  await playground.fill("height", "120");
  await playground.run();
  await playground.reaches("SUCCEEDED");

  await page.getByText("Use in…").press("Enter");
  const offered = await page.locator(".use .chip").allInnerTexts();
  assert.ok(
    offered.includes("Head swap · Source image") &&
      offered.includes("Video from references"),
    `${offered}`,
  );
  assert.ok(!offered.includes("Split PDF"));
  await page
    .locator(".use")
    .getByRole("button", { name: "Remove background" })
    .press("Enter");
  await playground.showsForm("Remove background");
  await playground
    .field("file_id")
    .getByText("Text to image", { exact: true })
    .waitFor();
  await playground.run();
  await page.locator(".task").nth(1).waitFor();
  await playground.reaches("SUCCEEDED");

  await playground.go("merge_pdf");
  assert.equal(await page.getByText("Or a result").count(), 0);
  await playground.go("image_to_video");
  await page
    .getByRole("button", { name: "Use the result Remove background" })
    .click();
  await playground
    .field("file_id")
    .getByText("Remove background", { exact: true })
    .waitFor();
  assert.deepEqual(playground.pageErrors, []);
});

test("a failed task is tried again with its input, also after a reload", async (t) => {
  const playground = await open(t, "background_removal");
  const { page } = playground;
  await playground.choose(
    "file_id",
    file("before.png", "image/png", picture(40, 30)),
  );
  await playground.fill("title", "emulate: state=FAILED");
  await playground.run();
  await playground.reaches("FAILED");
  await page.reload();
  await playground.connected();
  await playground.go("merge_pdf");
  await page.getByRole("button", { name: "Edit and run again" }).click();
  await page
    .getByRole("heading", { level: 1, name: "Remove background" })
    .waitFor();
  await playground.field("file_id").getByText("before.png").waitFor();
  await playground.showsForm("Remove background");
  await playground.fill("title", "");
  await playground.run();
  await page.locator(".task").nth(1).waitFor();
  await playground.reaches("SUCCEEDED");

  await page
    .getByRole("button", { name: /emulate: state=FAILED/ })
    .first()
    .press("Enter");
  await page.getByRole("button", { name: "Try again" }).press("Enter");
  await page.locator(".task").nth(2).waitFor();
  await playground.reaches("FAILED");
});

test("a finished task shows its input, time, model, credits and the size of its result", async (t) => {
  const playground = await open(t, "text_to_image");
  const { page } = playground;
  await playground.fill("prompt", "a lighthouse in the fog");
  await playground.fill("width", "160");
  await playground.fill("height", "120");
  await playground.fill("title", "Fog");
  await playground.run();
  await playground.reaches("SUCCEEDED");
  await page.reload();
  const { task } = playground;
  await task.getByText("a lighthouse in the fog").waitFor();
  await task.getByText("160 × 120 pixels").waitFor();
  await task
    .getByText(/^text-to-image-default · \d+ emulated credits$/)
    .waitFor();
  assert.match(
    await task.locator("header .facts").first().innerText(),
    /^Fog:\sDone · \d+ s · .*20\d\d.* · Text to image$/,
  );
});
