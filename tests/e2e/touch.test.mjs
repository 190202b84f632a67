// On a phone, each target is as large as a finger, and hints in empty fields can be read.
import assert from "node:assert/strict";
import { test } from "node:test";
import catalogue from "mediagate/catalogue.json" with { type: "json" };
import { pdf, picture, tone, wav } from "../support/fixtures.mjs";
import { download, file } from "./playground.mjs";
import { suite } from "./suite.mjs";

const { open } = suite();

const PHONE = {
  viewport: { width: 390, height: 844 },
  isMobile: true,
  hasTouch: true,
};

/**
 * All elements that can be pressed, moved or typed into. Players have the browser's own controls.
 */
const TARGETS = [
  "a[href], button, summary, select, textarea, input, label:has(input)",
  "[role=slider]:not(.noUi-handle), .noUi-touch-area, .ReactCrop__drag-handle",
].join();

/**
 * Runs in the page: returns the visible targets that are smaller than 44 pixels, each with its
 * size.
 *
 * A larger area around the element counts if a press there reaches the element. Links within a text
 * are exempt (WCAG 2.5.8).
 */
async function tooSmall(targets) {
  const HALF = 21.5;
  const isInText = (element) =>
    element.matches("a") &&
    getComputedStyle(element).display === "inline" &&
    element.parentElement.textContent.trim() !== element.textContent.trim();
  const isReached = (element, x, y) => {
    const hit = document.elementFromPoint(x, y);
    const labels = [...(element.labels ?? [])];
    return [element, ...labels].some((area) => area.contains(hit));
  };
  const found = [];
  const view = document.querySelector("dialog[open]") ?? document;
  for (const element of view.querySelectorAll(targets)) {
    const isShown = element.checkVisibility({
      checkOpacity: true,
      visibilityProperty: true,
    });
    const isCut = getComputedStyle(element).clipPath !== "none";
    // A person presses the label around an input.
    const isInLabel = element.parentElement.closest("label") !== null;
    if (!isShown || isCut || isInLabel || isInText(element)) continue;
    element.scrollIntoView({ block: "center", inline: "center" });
    const { x, y, width, height } = element.getBoundingClientRect();
    const centerX = x + width / 2;
    const centerY = y + height / 2;
    const isWide =
      width >= 44 ||
      [-HALF, HALF].every((by) => isReached(element, centerX + by, centerY));
    const isHigh =
      height >= 44 ||
      [-HALF, HALF].every((by) => isReached(element, centerX, centerY + by));
    if (!isWide || !isHigh)
      found.push(
        `${width.toFixed(1)} x ${height.toFixed(1)}: ${element.outerHTML.slice(0, 140)}`,
      );
  }
  return found;
}

test("on a phone, each target is 44 pixels wide and high", async (t) => {
  const playground = await open(t, "text_to_image", PHONE);
  const { page } = playground;
  const check = async (view) =>
    assert.deepEqual(await page.evaluate(tooSmall, TARGETS), [], view);
  await page.locator("[data-worker=emulator]").waitFor();
  await page.getByText("How this page works").press("Enter");
  await check("the introduction");
  await page.getByRole("button", { name: "Hide the introduction" }).click();
  await page.locator(".opener").click();
  await check("the capabilities");
  await page.locator(".opener").click();
  for (const { name } of catalogue.capabilities) {
    await playground.go(name);
    await playground.showMore();
    await check(name);
  }

  await playground.go("background_removal");
  await playground.choose(
    "file_id",
    file("a.png", "image/png", picture(320, 240)),
  );
  await page.locator(".drawing .facts").waitFor();
  for (const side of ["x", "y", "width", "height"])
    await page.getByLabel(side, { exact: true }).fill("80");
  await page.getByRole("button", { name: "Draw on the picture" }).click();
  await page.locator(".ReactCrop__drag-handle").first().waitFor();
  await check("a region");
  await playground.run();
  await playground.reaches("SUCCEEDED");
  await playground.task.getByRole("slider").waitFor();
  await playground.task.getByText("Use in…").press("Enter");
  await check("a finished task, with its result below the form");

  await playground.go("split_pdf");
  await playground.choose(
    "input_file_id",
    file("a.pdf", "application/pdf", await pdf([201, 202])),
  );
  await page.locator(".choice canvas[data-drawn]").nth(1).waitFor();
  await check("pages of a PDF");

  await playground.go("image_audio_driven");
  await playground.fill("prompt_text", "speaks calmly");
  await playground.choose(
    "prompt_image_file_id",
    file("a.png", "image/png", picture(160, 120)),
  );
  await playground.choose(
    "prompt_audio_file_id",
    file("a.wav", "audio/wav", wav(tone(8_000))),
  );
  await check("chosen files");
  await playground.run();
  await page.locator(".task").nth(1).waitFor();
  await playground.reaches("SUCCEEDED");
  const [video] = await playground.results();
  await playground.go("split_video");
  await playground.choose(
    "input_file_id",
    file("a.mp4", "video/mp4", await download(video)),
  );
  await page.getByRole("slider", { name: "End of part 1, seconds" }).waitFor();
  await check("a timeline");

  await playground.go("text_to_image_turbo");
  await playground.createTask(60);
  await check("a task that runs");
  await playground.go("text_driven");
  await playground.run();
  await page.locator(".issues").first().waitFor();
  await playground.fill("avatar_asset_id", "avatar_public");
  await playground.fill("voice_asset_id", "voice_public");
  await playground.fill("text", "Welcome.");
  await playground.fill("title", "emulate: state=FAILED");
  await playground.run();
  await playground.reaches("FAILED");
  await check("a task that failed");

  await page
    .locator(".form")
    .getByRole("button", { name: "Show the code" })
    .click();
  await page.getByRole("dialog").locator("code").first().waitFor();
  await check("the code");
  await page.getByRole("button", { name: "Close" }).click();
  await page.getByRole("button", { name: "Find a capability" }).click();
  await page.getByRole("dialog").getByRole("searchbox").waitFor();
  await check("the finder");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Show as a gallery" }).click();
  await page.locator(".gallery button").first().waitFor();
  await check("the results as a gallery");
  await page.getByRole("button", { name: "Show as a gallery" }).click();
  await page.getByRole("button", { name: "Talking host" }).click();
  await page.locator(".draft .step").nth(2).waitFor();
  await check("a pipeline that is being built");
  assert.deepEqual(playground.pageErrors, []);
});

/**
 * Runs in the page: returns the placeholders whose contrast with their background is less than 4.5.
 */
function tooFaint() {
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d", { willReadFrequently: true });
  /** Returns the colour that the screen shows for these colours over each other. */
  const shown = (...colours) => {
    for (const colour of colours) {
      context.fillStyle = colour;
      context.fillRect(0, 0, 1, 1);
    }
    return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const luminance = (colour) => {
    const [red, green, blue] = colour.map((byte) => {
      const share = byte / 255;
      return share <= 0.04045
        ? share / 12.92
        : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const found = [];
  for (const input of document.querySelectorAll("[placeholder]")) {
    const behind = [];
    for (let element = input; element; element = element.parentElement)
      behind.unshift(getComputedStyle(element).backgroundColor);
    const { color, opacity } = getComputedStyle(input, "::placeholder");
    const back = luminance(shown(...behind));
    const text = luminance(shown(...behind, color));
    const contrast =
      (Math.max(back, text) + 0.05) / (Math.min(back, text) + 0.05);
    if (contrast < 4.5 || opacity !== "1")
      found.push(
        `${contrast.toFixed(2)}, opacity ${opacity}: ${input.outerHTML}`,
      );
  }
  return found;
}

test("the hints in empty fields have a contrast of 4.5, in light and dark colours", async (t) => {
  const playground = await open(t, "text_to_image");
  const { page } = playground;
  await page.getByRole("button", { name: "Find a capability" }).click();
  await page.getByRole("dialog").getByRole("searchbox").waitFor();
  for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
    await page.emulateMedia({ colorScheme });
    for (const { name } of catalogue.capabilities) {
      await page.evaluate((hash) => (location.hash = hash), name);
      await playground.frames();
      assert.deepEqual(
        await page.evaluate(tooFaint),
        [],
        `${name}, in ${colorScheme} colours`,
      );
    }
  }
});
