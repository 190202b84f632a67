// Accessibility: axe on every form and view, in light and dark colours, and reduced motion.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import catalogue from "mediagate/catalogue.json" with { type: "json" };
import { pdf, picture, tone, wav } from "../support/fixtures.mjs";
import { file } from "./playground.mjs";
import { suite } from "./suite.mjs";

const { open } = suite();

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

/** Runs in a page that has `axe`: resolves to the serious violations of these rules or tags. */
const violations = (rules) =>
  /** @type {any} */ (window).axe
    .run({ runOnly: rules, resultTypes: ["violations"] })
    .then((found) =>
      found.violations
        .filter((violation) =>
          ["serious", "critical"].includes(violation.impact),
        )
        .flatMap((violation) =>
          violation.nodes.map(
            (node) => `${violation.id}: ${node.target} ${node.failureSummary}`,
          ),
        ),
    );

/**
 * Asserts that axe finds no serious violation of any rule in light colours, and of the rules about
 * colours in dark ones.
 */
async function check(page, view) {
  assert.deepEqual(await page.evaluate(violations, TAGS), [], view);
  await page.emulateMedia({ colorScheme: "dark" });
  assert.deepEqual(
    await page.evaluate(violations, OF_COLOURS),
    [],
    `${view}, in dark colours`,
  );
  await page.emulateMedia({ colorScheme: "light" });
}

test("axe finds no serious violation in any form, in the introduction, and offline", async (t) => {
  const playground = await open(t, "text_to_image", {
    reducedMotion: "reduce",
  });
  const { page } = playground;
  await page.evaluate(axe.source);
  await page.getByText("How this page works").click();
  await page.locator("[data-worker=emulator]").waitFor();
  await check(page, "the introduction");
  await page.getByRole("button", { name: "Hide the introduction" }).click();
  for (const { name } of catalogue.capabilities) {
    await playground.go(name);
    await playground.showMore();
    await check(page, name);
  }
  await page.context().setOffline(true);
  await page.getByText("You are offline.").waitFor();
  await check(page, "a page that is offline");
});

test("axe finds no serious violation in the fullest views", async (t) => {
  const playground = await open(t, "background_removal", {
    reducedMotion: "reduce",
  });
  const { page } = playground;
  await page.evaluate(axe.source);
  const checkView = (view) => check(page, view);
  await playground.run();
  await page.locator(".issues").first().waitFor();
  await checkView("a form with issues");

  await playground.choose(
    "file_id",
    file("a.png", "image/png", picture(160, 120)),
  );
  await page.locator(".drawing .facts").waitFor();
  await page.getByLabel("x", { exact: true }).fill("10");
  await page.getByLabel("y", { exact: true }).fill("10");
  await page.getByLabel("width", { exact: true }).fill("60");
  await page.getByLabel("height", { exact: true }).fill("60");
  await playground.run();
  await playground.reaches("SUCCEEDED");
  await playground.task.getByRole("slider").waitFor();
  await page.getByText("Use in…").click();
  await checkView("a picture before and after");

  await playground.go("split_pdf");
  await playground.choose(
    "input_file_id",
    file("a.pdf", "application/pdf", await pdf([201, 202])),
  );
  await page.locator(".choice canvas[data-drawn]").nth(1).waitFor();
  await page.locator(".choice label").first().click();
  await playground.run();
  await page.locator(".task").nth(1).waitFor();
  await playground.reaches("SUCCEEDED");
  await page.locator(".result canvas").waitFor();
  await checkView("pages to choose, and pages of a result");

  await playground.go("image_audio_driven");
  await playground.fill("prompt_text", "speaks calmly");
  await playground.choose(
    "prompt_image_file_id",
    file("a.png", "image/png", picture(160, 120)),
  );
  await playground.choose(
    "prompt_audio_file_id",
    file("tone.wav", "audio/wav", wav(tone(8_000))),
  );
  await playground.run();
  await page.locator(".task").nth(2).waitFor();
  await playground.reaches("SUCCEEDED");
  await playground.go("split_video");
  await page
    .getByRole("button", { name: "Use the result Talking picture" })
    .click();
  await page
    .getByRole("slider", { name: "Start of part 1, seconds" })
    .waitFor();
  await checkView("a timeline, and a video");

  await page
    .locator(".form")
    .getByRole("button", { name: "Show the code" })
    .click();
  await page.getByRole("dialog").waitFor();
  await checkView("the code");
  await page.getByRole("button", { name: "Close" }).click();

  await playground.go("text_driven");
  await playground.fill("avatar_asset_id", "avatar_public");
  await playground.fill("voice_asset_id", "voice_public");
  await playground.fill("text", "Welcome.");
  await playground.fill("title", "emulate: state=FAILED");
  await playground.run();
  await page.locator(".task").nth(3).waitFor();
  await playground.reaches("FAILED");
  await checkView("a task that failed");

  await page.getByRole("button", { name: "Talking host" }).click();
  await page.locator(".draft .step").nth(2).waitFor();
  await checkView("a pipeline that is being built");
  await page.getByRole("button", { name: "Run 3 steps" }).click();
  await page.locator('.pipeline[data-state="SUCCEEDED"]').waitFor();
  await checkView("a pipeline");
  await page.locator(".pipeline button[aria-expanded]").first().click();
  await page.locator(".flow").waitFor();
  await checkView("a folded pipeline");

  await page.setViewportSize({ width: 390, height: 844 });
  await page.locator(".opener").click();
  await checkView("the capabilities on a phone");
  assert.deepEqual(playground.pageErrors, []);
});

test("with reduced motion nothing moves while a task runs", async (t) => {
  const playground = await open(t, "text_driven", { reducedMotion: "reduce" });
  await playground.fill("avatar_asset_id", "avatar_public");
  await playground.fill("voice_asset_id", "voice_public");
  await playground.fill("text", "Welcome.");
  await playground.fill("title", "emulate: seconds=30");
  await playground.run();
  await playground.task.locator("progress").waitFor();
  assert.equal(
    await playground.page.evaluate(() => document.getAnimations().length),
    0,
  );
  await playground.page.emulateMedia({ reducedMotion: "no-preference" });
  await playground.page.waitForFunction(
    () => document.getAnimations().length > 0,
  );
});
