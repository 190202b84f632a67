// Takes the README's pictures of the playground, with real tasks of its own stack:
// `cargo xtask screenshots`.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import sharp from "sharp";
import { startBrowser } from "../support/browser.mjs";
import { startStack } from "../support/stack.mjs";
import { download, file, Playground } from "./playground.mjs";

const docs = fileURLToPath(new URL("../../docs/", import.meta.url));
const examples = fileURLToPath(
  new URL("../../www/src/examples/", import.meta.url),
);
/** The limit for one picture in bytes: a README is also read on slow connections. */
const MAX_BYTES = 150_000;

const DESKTOP = {
  viewport: { width: 1280, height: 860 },
  deviceScaleFactor: 1.5,
};
const PHONE = {
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 2,
  isMobile: true,
  hasTouch: true,
};

const stack = await startStack({ flags: ["--task-seconds", "0.1"] });
const browser = await startBrowser();
try {
  await desktop();
  await phone();
} finally {
  await browser.close();
  await stack.stop();
}

async function desktop() {
  const playground = await openPage("image_to_video", DESKTOP);
  const { page } = playground;
  const lamp = `${examples}lamp.png`;
  await playground.choose("file_id", lamp);
  await playground.fillIn({ prompt: "the light goes on", duration_seconds: 8 });
  await runTask(playground);
  const [video] = await playground.results();

  await playground.go("background_removal");
  await playground.choose("file_id", lamp);
  await page.locator(".drawing .facts").waitFor();
  for (const [side, pixels] of Object.entries({
    x: 200,
    y: 60,
    width: 560,
    height: 500,
  })) {
    await page.getByLabel(side, { exact: true }).fill(String(pixels));
  }
  await runTask(playground);
  await playground.stage.getByRole("slider").waitFor();
  await bothSchemes(page, "playground");

  await playground.go("split_video");
  await playground.choose(
    "input_file_id",
    file("lamp.mp4", "video/mp4", await download(video)),
  );
  await page.getByRole("slider", { name: "End of part 1, seconds" }).waitFor();
  await page.getByLabel("End of part 1", { exact: true }).fill("00:00:03");
  await playground.press("Add a part");
  await page.getByLabel("Start of part 2", { exact: true }).fill("00:00:05");
  await page.waitForFunction(
    () =>
      document
        .querySelector(/** @type {"canvas"} */ ("canvas.frames"))
        .getContext("2d")
        .getImageData(1100, 40, 1, 1).data[3] > 0,
  );
  await playground.finish();
  await playground
    .field("segments")
    .evaluate((field) => field.scrollIntoView());
  await bothSchemes(page, "timeline");
  await playground.close();
}

async function phone() {
  const playground = await openPage("split_pdf", PHONE);
  const { page } = playground;
  await playground.choose("input_file_id", `${examples}report.pdf`);
  await page.locator(".choice canvas[data-drawn]").nth(4).waitFor();
  for (const position of [2, 3, 5])
    await page
      .locator(".choice label")
      .nth(position - 1)
      .click();
  await playground
    .field("input_file_id")
    .evaluate((field) => field.scrollIntoView());
  await bothSchemes(page, "phone");
  await playground.close();
}

/** Opens the page as on a second visit, without its introduction. */
async function openPage(capability, options) {
  const playground = await Playground.open(browser, stack.url, options);
  await playground.show(capability);
  if (options === PHONE) await playground.press("Hide the introduction");
  return playground;
}

async function runTask(playground) {
  await playground.finish();
  await playground.page.evaluate(() => scrollTo(0, 0));
}

/** Takes a picture of a view in light and one in dark colours. */
async function bothSchemes(page, name) {
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.evaluate(() =>
      /** @type {HTMLElement} */ (document.activeElement)?.blur(),
    );
    // Players draw their controls a little later than the page.
    await page.waitForTimeout(1_000);
    const small = await sharp(await page.screenshot())
      .png({ palette: true, colours: 160, effort: 10, dither: 0.6 })
      .toBuffer();
    assert.ok(
      small.length < MAX_BYTES,
      `${name}-${colorScheme}.png has ${small.length} bytes`,
    );
    await writeFile(`${docs}${name}-${colorScheme}.png`, small);
  }
}
