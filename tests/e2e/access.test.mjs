// Accessibility: axe in every form and view, in light and dark colours, also of the hints in empty
// fields. On a phone, each target is as large as a finger.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { documented } from "../support/catalogue.mjs";
import { eventually, pdfFile, png, sound, VIDEO } from "./playground.mjs";
import { suite } from "./suite.mjs";

const { open } = suite();

const PHONE = {
  viewport: { width: 390, height: 844 },
  isMobile: true,
  hasTouch: true,
};

/** The copy of axe that the package for Playwright depends on. */
const axe = createRequire(import.meta.resolve("@axe-core/playwright"))(
  "axe-core",
);

const TAGS = [
  "wcag2a",
  "wcag2aa",
  "wcag21a",
  "wcag21aa",
  "wcag22aa",
  "best-practice",
];
/** The rules that read colours. All others give equal results for dark ones. */
const OF_COLOURS = ["color-contrast", "link-in-text-block"];

/**
 * Runs in a page that has `axe`: resolves to the serious violations of these rules or tags within
 * an element.
 */
async function violations({ rules, within }) {
  // Axe reads the colour of a field's text, but not of its hint.
  const hints = /** @type {NodeListOf<HTMLElement>} */ (
    document.querySelectorAll(":placeholder-shown")
  );
  for (const input of hints) {
    const { color, opacity } = getComputedStyle(input, "::placeholder");
    input.style.color = `color-mix(in srgb, ${color} calc(${opacity} * 100%), transparent)`;
  }
  const found = await /** @type {any} */ (window).axe.run(within, {
    runOnly: rules,
    resultTypes: ["violations"],
  });
  for (const input of hints) input.style.color = "";
  return found.violations
    .filter(({ impact }) => ["serious", "critical"].includes(impact))
    .flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id}: ${node.target} ${node.failureSummary}`),
    );
}

/**
 * Asserts that axe finds no serious violation of any rule in light colours, and of the rules about
 * colours in dark ones.
 */
async function checkAxe(page, view, within = "html") {
  const find = (rules) => page.evaluate(violations, { rules, within });
  assert.deepEqual(await find(TAGS), [], view);
  await page.emulateMedia({ colorScheme: "dark" });
  assert.deepEqual(await find(OF_COLOURS), [], `${view}, in dark colours`);
  await page.emulateMedia({ colorScheme: "light" });
}

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
  const view =
    document.querySelector("dialog[open], :popover-open") ?? document;
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

test("axe finds no serious violation in the introduction, and offline", async (t) => {
  const playground = await open(t, "text_to_image");
  const { page } = playground;
  await page.evaluate(axe.source);
  await playground.press("About this page");
  await page.getByText("How this page works").press("Enter");
  await page.locator("[data-worker=emulator]").waitFor();
  await page.getByText("This browser stores 0 B of them").waitFor();
  await checkAxe(page, "the introduction");
  await playground.press("Hide the introduction");
  await page.context().setOffline(true);
  await page.getByText("You are offline.").waitFor();
  await checkAxe(page, "a page that is offline");
});

test("on a phone, no form and no view has a serious violation, and each target is 44 pixels wide and high", async (t) => {
  const playground = await open(t, "text_to_image", PHONE);
  const { page } = playground;
  const dialog = page.getByRole("dialog");
  await page.evaluate(axe.source);
  const check = async (view, within = "html") => {
    assert.deepEqual(await page.evaluate(tooSmall, TARGETS), [], view);
    await checkAxe(page, view, within);
  };
  for (const { name } of documented) {
    await playground.go(name);
    await playground.showMore();
    await check(name, "main");
  }
  await page.locator("[data-worker=emulator]").waitFor();
  await page.getByText("How this page works").press("Enter");
  await check("the introduction");
  await playground.press("Hide the introduction");
  const list = page.locator("nav.capabilities");
  await list.locator(".opener").press("Enter");
  await list.locator(".panel").waitFor();
  await check("the capabilities");
  await list.locator(".opener").press("Enter");
  await list.locator(".panel").waitFor({ state: "hidden" });

  await playground.go("background_removal");
  await playground.run();
  await page.locator(".form .issues li").first().waitFor();
  await check("a form with issues", "main");
  await playground.choose("file_id", png(320, 240));
  await page.locator(".drawing .facts").waitFor();
  for (const side of ["x", "y", "width", "height"])
    await page.getByLabel(side, { exact: true }).fill("80");
  // A swipe over the picture scrolls, until a person draws.
  const touchAction = () =>
    page
      .locator(".drawing img")
      .evaluate((image) => getComputedStyle(image).touchAction);
  assert.equal(await touchAction(), "auto");
  await playground.press("Draw on the picture");
  await eventually(touchAction, "none");
  await page.locator(".ReactCrop__drag-handle").first().waitFor();
  await check("a region", "main");
  await playground.finish();
  await playground.stage.getByRole("slider").waitFor();
  await check("a picture before and after, also in the list");
  for (const name of [/^Use .* in…$/, /^More for Remove background$/]) {
    await playground.press(name);
    const menu = page.locator(".actions-panel:popover-open");
    await menu.locator(":focus").waitFor();
    await check(`the menu ${name}`, ".stage");
    await page.keyboard.press("Escape");
    await menu.waitFor({ state: "detached" });
  }
  await playground.press("Enlarge Remove background");
  await dialog.getByRole("slider").waitFor();
  await check("an enlarged result", "dialog");
  await playground.closeDialog();
  await playground.more("JSON");
  await dialog.getByRole("region").waitFor();
  await check("a task as JSON", "dialog");
  await playground.closeDialog();

  await playground.go("split_pdf");
  await playground.choose("input_file_id", await pdfFile([201, 202]));
  await page.locator(".choice canvas[data-drawn]").nth(1).waitFor();
  await page.getByRole("checkbox", { name: "Page 1" }).press("Space");
  await playground.finish();
  await page.locator(".result canvas").waitFor();
  await check("pages to choose, and pages of a result");

  await playground.go("image_audio_driven");
  await playground.fillIn({
    prompt_text: "speaks calmly",
    prompt_image_file_id: png(160, 120),
    prompt_audio_file_id: sound(8_000),
  });
  await check("chosen files", "main");
  await playground.finish();
  await playground.go("split_video");
  await playground.choose("input_file_id", VIDEO);
  await page.getByRole("slider", { name: "End of part 1, seconds" }).waitFor();
  await check("a timeline, and a video");

  await playground.go("text_to_image_turbo");
  await playground.createTask(60);
  await check("a task that runs", ".results");
  await playground.go("text_driven");
  await playground.make(
    {
      avatar_asset_id: "avatar_public",
      voice_asset_id: "voice_public",
      text: "Welcome.",
      title: "emulate: state=FAILED",
    },
    "FAILED",
  );
  await check("a task that failed", ".results");

  await playground.moreOfForm("Show the code");
  await dialog.locator("code").first().waitFor();
  await check("the code", "dialog");
  await playground.closeDialog();
  await playground.press("Find a capability");
  await dialog.getByRole("searchbox").waitFor();
  await check("the finder", "dialog");
  await playground.closeDialog();
  await list.locator(".opener").press("Enter");
  await playground.press("Talking host", list);
  await page.locator(".draft .step").nth(2).waitFor();
  await playground.dismissNotices();
  await check("a pipeline that is being built", ".results");
  await playground.press("Run 3 steps", page.locator(".draft"));
  await page.locator('.pipeline[data-state="SUCCEEDED"]').waitFor();
  await playground.stage.locator(".result").waitFor();
  await check("a pipeline", ".results");
  assert.deepEqual(playground.pageErrors, []);
});
