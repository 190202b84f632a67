// Takes the README's pictures of the playground, with real tasks of its own stack:
// `cargo xtask screenshots`.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { PDFDocument, rgb } from "pdf-lib";
import sharp from "sharp";
import { startBrowser } from "../support/browser.mjs";
import { startStack } from "../support/stack.mjs";
import { download, file, Playground } from "./playground.mjs";

const docs = fileURLToPath(new URL("../../docs/", import.meta.url));
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
  const lamp = file(
    "lamp.png",
    "image/png",
    await sharp(Buffer.from(still())).png().toBuffer(),
  );
  await playground.choose("file_id", lamp);
  await playground.fill("prompt", "the light goes on");
  await playground.fill("duration_seconds", "8");
  await runTask(playground, 1);
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
  await runTask(playground, 2);
  await page.locator(".task").getByRole("slider").waitFor();
  await bothSchemes(page, "playground");

  await playground.go("split_video");
  await playground.choose(
    "input_file_id",
    file("lamp.mp4", "video/mp4", await download(video)),
  );
  await page.getByRole("slider", { name: "End of part 1, seconds" }).waitFor();
  await page.getByLabel("End of part 1", { exact: true }).fill("00:00:03");
  await page.getByRole("button", { name: "Add a part" }).click();
  await page.getByLabel("Start of part 2", { exact: true }).fill("00:00:05");
  await page.waitForFunction(
    () =>
      document
        .querySelector(/** @type {"canvas"} */ ("canvas.frames"))
        .getContext("2d")
        .getImageData(1100, 40, 1, 1).data[3] > 0,
  );
  await page.evaluate(() => scrollTo(0, 0));
  await page.mouse.move(0, 0);
  await bothSchemes(page, "timeline");
  await playground.close();
}

async function phone() {
  const playground = await openPage("split_pdf", PHONE);
  const { page } = playground;
  await playground.choose(
    "input_file_id",
    file("contract.pdf", "application/pdf", await contract(6)),
  );
  await page.locator(".choice canvas[data-drawn]").nth(5).waitFor();
  for (const position of [2, 3, 6])
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
  const playground = await Playground.open(
    browser,
    stack.url,
    capability,
    options,
  );
  await playground.page
    .getByRole("button", { name: "Hide the introduction" })
    .click();
  return playground;
}

async function runTask(playground, count) {
  await playground.run();
  await playground.page
    .locator(".task")
    .nth(count - 1)
    .waitFor();
  await playground.reaches("SUCCEEDED");
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

/** Makes a PDF whose thumbnails look like a contract. */
async function contract(pages) {
  const document = await PDFDocument.create();
  const ink = rgb(0.15, 0.18, 0.16);
  const soft = rgb(0.78, 0.8, 0.78);
  for (let number = 1; number <= pages; number += 1) {
    const page = document.addPage([210, 297]);
    page.drawText(number === 1 ? "Contract" : `Section ${number}`, {
      x: 22,
      y: 254,
      size: number === 1 ? 22 : 14,
      color: ink,
    });
    for (let line = 0; line < 13; line += 1) {
      const width = line % 5 === 4 ? 70 : 150 + ((line * 7 + number * 5) % 16);
      page.drawRectangle({
        x: 22,
        y: 226 - line * 15,
        width,
        height: 5,
        color: soft,
      });
    }
  }
  return Buffer.from(await document.save());
}

/** Draws a lamp before a plain wall, which the emulator can cut out without a model. */
function still() {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="960" height="640">
    <rect width="960" height="640" fill="#dfe6dc"/>
    <ellipse cx="480" cy="520" rx="150" ry="22" fill="#3d4a44"/>
    <rect x="470" y="250" width="20" height="270" fill="#3d4a44"/>
    <path d="M390 100h180l90 180H300z" fill="#e07a3f"/>
    <path d="M390 100h60l-60 180h-90z" fill="#f0955a"/>
    <ellipse cx="480" cy="280" rx="180" ry="26" fill="#ffe3a8"/>
    <circle cx="480" cy="292" r="26" fill="#fff6dd"/>
  </svg>`;
}
