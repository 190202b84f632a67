// The expected time of a running task: a fact if its record has a progress, else an estimate.
// `pkg/test/countdown.test.mjs` tests how an estimate counts down.
import assert from "node:assert/strict";
import { test } from "node:test";
import { AxeBuilder } from "@axe-core/playwright";
import { forward } from "../support/forward.mjs";
import { eventually } from "./playground.mjs";
import { suite } from "./suite.mjs";

const { open } = suite({
  flags: ["--results", "placeholder", "--task-seconds", "2"],
});

const text = (playground) =>
  playground.stage.locator(".progress .facts").innerText();

/**
 * Reads the shown task's bar: its value, or -1 if it has none, its text for a screen reader, and
 * the dashes' share of its width.
 */
const bar = (playground) =>
  playground.stage
    .locator("progress")
    .evaluate((/** @type {HTMLProgressElement} */ bar) => ({
      position: bar.position,
      valueText: bar.getAttribute("aria-valuetext"),
      share: Number.parseFloat(getComputedStyle(bar).backgroundSize),
    }));

/**
 * Makes the gateway expect `expected.eta` for every task, or respond to no read without one. The
 * records have no progress, and tasks are polled, not streamed.
 */
async function expectEta({ page }, expected) {
  await page.route("**/tasks/*/events", (route) =>
    route.fulfill({ status: 404 }),
  );
  await page.route(/\/tasks\/[^/]+$/, async (route) => {
    const { eta } = expected;
    if (!eta) return;
    const response = await forward(route);
    const { data, ...envelope } = await response.json();
    const task = { id: data.task.id, state: "RUNNING", eta };
    await route.fulfill({ response, json: { ...envelope, data: { task } } });
  });
}

test("a record's own progress stays a fact, with the time left beside it", async (t) => {
  const playground = await open(t, "text_to_image_turbo");
  // So long that it still runs at the last of these checks, also on a slow machine.
  await playground.createTask(120);
  await playground.stage.locator(".progress .facts").waitFor();
  assert.match(await text(playground), /^about (\d+ s|\d+ min) left$/);
  await eventually(async () => {
    const { position } = await bar(playground);
    return position > 0 && position < 1;
  }, true);
  assert.equal((await bar(playground)).valueText, null);
  await playground.createTask(2);
  await playground.reaches("SUCCEEDED");
  assert.equal(
    await playground.stage.locator("progress, .progress").count(),
    0,
  );
  assert.deepEqual(playground.pageErrors, []);
});

test("an estimate counts down by itself, also after a reload, until a task takes longer than usual or a newer one arrives", async (t) => {
  const playground = await open(t, "text_to_image_turbo");
  const { page } = playground;
  const expected = { eta: { seconds: 200, low: 180, high: 240 } };
  await expectEta(playground, expected);
  await page.clock.install();
  await playground.createTask(600);
  await eventually(() => text(playground), "estimated: about 3 min left");
  const { position, valueText, share } = await bar(playground);
  assert.deepEqual(
    [position, valueText],
    [-1, "estimated: about 3 minutes left"],
  );
  expected.eta = undefined;
  await page.clock.fastForward(130_000);
  await eventually(() => text(playground), "estimated: about 1 min left");
  const later = (await bar(playground)).share;
  assert.ok(share < later && later < 100, `${share} %, then ${later} %`);
  await playground.page.reload();
  await page.clock.fastForward(120_000);
  await eventually(() => text(playground), "taking longer than usual");
  expected.eta = { seconds: 500, low: 400, high: 600 };
  await page.reload();
  await eventually(() => text(playground), "estimated: about 8 min left");
});

test("an estimate is accessible, and with reduced motion its bar does not move between seconds", async (t) => {
  const playground = await open(t, "text_to_image_turbo", {
    reducedMotion: "reduce",
  });
  await expectEta(playground, { eta: { seconds: 20, low: 15, high: 30 } });
  await playground.createTask(600);
  await playground.stage.locator("progress.estimate").waitFor();
  const before = (await bar(playground)).share;
  await eventually(async () => (await bar(playground)).share > before, true);
  const { page } = playground;
  assert.equal(await page.evaluate(() => document.getAnimations().length), 0);
  const announced = page.locator(
    ":is([aria-live], [role=status]):is(.progress, .progress *, :has(.progress))",
  );
  assert.equal(await announced.count(), 0);
  for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
    await page.emulateMedia({ colorScheme });
    const { violations } = await new AxeBuilder({ page })
      .setLegacyMode()
      .include(".stage")
      .analyze();
    assert.deepEqual(
      violations.map((violation) => `${violation.id}: ${violation.help}`),
      [],
      colorScheme,
    );
  }
  await page.emulateMedia({ reducedMotion: "no-preference" });
  await page.waitForFunction(() => document.getAnimations().length > 0);
});
