// The expected time of a running task: a fact if its record has a progress, else an estimate.
import assert from "node:assert/strict";
import { test } from "node:test";
import { AxeBuilder } from "@axe-core/playwright";
import { forward } from "../support/forward.mjs";
import { request } from "../support/request.mjs";
import { token } from "../support/token.mjs";
import { eventually } from "./playground.mjs";
import { suite } from "./suite.mjs";

const FLAGS = ["--results", "placeholder", "--task-seconds", "2"];
const bare = suite({ flags: [...FLAGS, "--dialect", "no-progress"] });
const reporting = suite({ flags: FLAGS });

/** One task more than the gateway needs for an estimate. */
const LEARNED = 9;
/**
 * The most times that these are created. On a busy machine, the gateway may not measure all of
 * them.
 */
const MAX_ROUNDS = 6;

/** Creates tasks and follows them to their ends, until one has an estimate. */
async function learn({ url }) {
  const api = `${url}/api/app/v1`;
  const headers = { authorization: `Bearer ${token()}` };
  const hasEta = async () => {
    const { data } = await request(
      `${api}/generate/image/text_to_image_turbo`,
      { body: { prompt: "a paper boat" } },
    );
    const events = await fetch(`${api}/tasks/${data.task.id}/events`, {
      headers,
    });
    return (await events.text()).includes('"eta"');
  };
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const seen = await Promise.all(Array.from({ length: LEARNED }, hasEta));
    if (seen.includes(true)) return;
  }
  assert.fail("no task had an estimate");
}

const text = (playground) =>
  playground.task.locator(".progress .facts").innerText();

/**
 * Reads the newest task's bar: its value, or -1 if it has none, its text for a screen reader, and
 * the dashes' share of its width.
 */
const bar = (playground) =>
  playground.task
    .locator("progress")
    .evaluate((/** @type {HTMLProgressElement} */ bar) => ({
      position: bar.position,
      valueText: bar.getAttribute("aria-valuetext"),
      share: Number.parseFloat(getComputedStyle(bar).backgroundSize),
    }));

/**
 * Makes the gateway expect `expected.eta` for every task. The records have no progress, and tasks
 * are polled, not streamed.
 */
async function expectEta(playground, expected) {
  await playground.page.route("**/tasks/*/events", (route) =>
    route.fulfill({ status: 404 }),
  );
  expected.polls = 0;
  await playground.page.route(/\/tasks\/[^/]+$/, async (route) => {
    expected.polls += 1;
    try {
      const response = await forward(route);
      const { data, ...envelope } = await response.json();
      const task = { id: data.task.id, state: "RUNNING", eta: expected.eta };
      await route.fulfill({ response, json: { ...envelope, data: { task } } });
    } finally {
      expected.polls -= 1;
    }
  });
}

/** Lets time pass, in steps shorter than the 40 seconds after which the client aborts a request. */
async function pass(clock, expected, seconds) {
  for (let left = seconds; left > 0; left -= 10) {
    await clock.runFor(Math.min(left, 10) * 1000);
    await eventually(() => expected.polls, 0);
  }
}

test("the gateway's estimate is shown until a task takes longer than usual", async (t) => {
  await learn(bare.stack);
  const playground = await bare.open(t, "text_to_image_turbo");
  const { clock } = playground.page;
  await clock.install();
  await clock.pauseAt(Date.now() + 60_000);
  // While the task is queued, its record is the one in the create's response.
  await playground.createTask(60);
  let shown;
  const becomes = (text) =>
    eventually(async () => {
      // A step is shorter than any text is shown.
      await clock.runFor(200);
      shown = await bar(playground);
      return shown.valueText;
    }, text);
  await becomes("estimated: a few seconds left");
  const { position, share } = shown;
  assert.equal(position, -1);
  assert.ok(share >= 0 && share < 100, `${share}`);
  await becomes("taking longer than usual");
  assert.equal(await text(playground), "taking longer than usual");
  assert.ok(
    shown.share > share && shown.share < 100,
    `${share} %, then ${shown.share} %`,
  );
  assert.deepEqual(playground.pageErrors, []);
});

test("a record's own progress stays a fact, with the time left beside it", async (t) => {
  const playground = await reporting.open(t, "text_to_image_turbo");
  // So long that it still runs at the last of these checks, also on a slow machine.
  await playground.createTask(120);
  await playground.task.locator(".progress .facts").waitFor();
  assert.match(await text(playground), /^about (\d+ s|\d+ min) left$/);
  await eventually(async () => {
    const { position } = await bar(playground);
    return position > 0 && position < 1;
  }, true);
  assert.equal((await bar(playground)).valueText, null);
  await playground.createTask(2);
  await playground.reaches("SUCCEEDED");
  assert.equal(await playground.task.locator("progress, .progress").count(), 0);
  assert.deepEqual(playground.pageErrors, []);
});

test("an estimate counts down by itself, also after a reload, and a newer one replaces it", async (t) => {
  const playground = await bare.open(t, "text_to_image_turbo");
  const { clock } = playground.page;
  const expected = { eta: { seconds: 200, low: 180, high: 240 } };
  await expectEta(playground, expected);
  await clock.install();
  await clock.pauseAt(Date.now() + 60_000);
  await playground.createTask(600);
  await eventually(async () => {
    await clock.runFor(100);
    return playground.task.locator(".progress .facts").count();
  }, 1);
  assert.equal(await text(playground), "estimated: about 3 min left");
  assert.equal(
    (await bar(playground)).valueText,
    "estimated: about 3 minutes left",
  );

  // An unchanged record is no update, whatever the gateway expects now.
  expected.eta = { seconds: 500, low: 400, high: 600 };
  const shares = [];
  for (const [
    seconds,
    short,
    spoken,
  ] of /** @type {[number, string, string][]} */ ([
    [130, "about 1 min", "about 1 minute"],
    [30, "about 45 s", "about 45 seconds"],
    [30, "about 25 s", "about 25 seconds"],
  ])) {
    await pass(clock, expected, seconds);
    await eventually(() => text(playground), `estimated: ${short} left`);
    const { position, valueText, share } = await bar(playground);
    assert.deepEqual([position, valueText], [-1, `estimated: ${spoken} left`]);
    shares.push(share);
  }
  assert.deepEqual(
    shares,
    shares.toSorted((one, other) => one - other),
  );

  // Half of all tasks still run when the estimate is over, and nine in ten have ended half a minute
  // later.
  await pass(clock, expected, 40);
  const isEstimate = /^estimated: (about \d+ s|a few seconds) left$/;
  await eventually(async () => isEstimate.test(await text(playground)), true);
  await pass(clock, expected, 20);
  await eventually(() => text(playground), "taking longer than usual");
  assert.ok((await bar(playground)).share < 100);

  await playground.page.route(/\/tasks\/[^/]+$/, () => undefined);
  await playground.page.reload();
  await eventually(() => text(playground), "taking longer than usual");
  await playground.page.unroute(/\/tasks\/[^/]+$/);
  await expectEta(playground, expected);
  await playground.page.reload();
  await eventually(() => text(playground), "estimated: about 8 min left");
  assert.deepEqual(
    playground.pageErrors.filter((message) => !/404/.test(message)),
    [],
  );
});

test("an estimate is accessible, and with reduced motion its bar does not move between seconds", async (t) => {
  const playground = await bare.open(t, "text_to_image_turbo", {
    reducedMotion: "reduce",
  });
  await expectEta(playground, { eta: { seconds: 20, low: 15, high: 30 } });
  await playground.createTask(600);
  await playground.task.locator("progress.estimate").waitFor();
  const before = (await bar(playground)).share;
  await eventually(async () => (await bar(playground)).share > before, true);
  const { page } = playground;
  assert.equal(await page.evaluate(() => document.getAnimations().length), 0);
  assert.equal(
    await playground.task
      .locator("progress")
      .evaluate((element) => element.closest("[aria-live], [role=status]")),
    null,
  );
  assert.equal(
    await playground.task
      .locator(".progress .facts")
      .evaluate((element) => element.closest("[aria-live], [role=status]")),
    null,
  );
  for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
    await page.emulateMedia({ colorScheme });
    const { violations } = await new AxeBuilder({ page })
      .setLegacyMode()
      .include(".task")
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
