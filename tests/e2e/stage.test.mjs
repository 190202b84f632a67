// A result is shown large, its end is in the tab's title, and its task is shown as JSON.
import assert from "node:assert/strict";
import { test } from "node:test";
import { BOAT, eventually, hasFocus, png, shownSize } from "./playground.mjs";
import { suite } from "./suite.mjs";

const { open } = suite();

const SIZE = { width: 160, height: 120 };

const hide = (page, isHidden) =>
  page.evaluate((value) => {
    Object.defineProperty(document, "hidden", { configurable: true, value });
    document.dispatchEvent(new Event("visibilitychange"));
  }, isHidden);

test("a result is shown large beside the form, and others are reached by their tiles and in a dialog", async (t) => {
  const playground = await open(t, "text_to_image");
  const { page, stage } = playground;
  await page.locator(".stage[data-shows=example]").waitFor();
  // On a phone, the result comes into view.
  await page.setViewportSize({ width: 390, height: 700 });
  await playground.make({ prompt: "a lighthouse", title: "Fog", ...SIZE });
  await stage.getByRole("heading", { name: "Fog" }).waitFor();
  const isInView = (element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return top < innerHeight / 2 && bottom > 0;
  };
  await eventually(() => stage.evaluate(isInView), true);
  await page.setViewportSize({ width: 1280, height: 720 });
  // The page is treated like one in a background tab.
  await hide(page, true);
  await playground.make({ prompt: "a boat", title: "Boat" });
  await eventually(() => page.title(), "Done: Boat · Mediagate");
  await hide(page, false);
  await eventually(() => page.title(), "Text to image · Mediagate");
  await stage.getByRole("heading", { name: "Boat" }).waitFor();
  assert.deepEqual(await shownSize(playground.result), [160, 120]);
  await stage.getByText(/ · a boat$/).waitFor();
  await stage.getByText(/^160 × 120 pixels · /).waitFor();
  const [form, shown] = await Promise.all([
    page.locator(".form").boundingBox(),
    stage.boundingBox(),
  ]);
  assert.ok(form.x + form.width <= shown.x, "it is beside the form");
  assert.ok(shown.width > form.width, "it is wider than the form");

  await playground.pick("Fog");
  const enlarge = stage.getByRole("button", { name: "Enlarge Fog" });
  await enlarge.press("Enter");
  const dialog = page.getByRole("dialog");
  await dialog.getByText("2 of 2").waitFor();
  await playground.press("Newer result", dialog);
  await dialog.getByRole("heading", { name: "Boat" }).waitFor();
  await dialog.getByRole("img").waitFor();
  await playground.closeDialog();
  await hasFocus(stage.getByRole("button", { name: "Enlarge Boat" }));
  assert.deepEqual(playground.pageErrors, []);
});

test("the stage is in the first view of a wide screen, and a refusal is in sight there and on a phone", async (t) => {
  const playground = await open(t, "text_to_image");
  const { page, stage } = playground;
  const sizes = [
    [1920, 1080, 900],
    [1024, 768, 520],
    [390, 844, 300],
  ];
  for (const [width, height, least] of sizes) {
    await page.setViewportSize({ width, height });
    await playground.fillIn({
      prompt: `a boat of ${width}`,
      title: "emulate: code=1401",
    });
    await playground.run();
    const refusal = stage.locator(".failure[data-code=insufficient_credits]");
    const isInView = (element) => {
      const { top, bottom } = element.getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight;
    };
    await refusal
      .getByText(/credits/)
      .first()
      .waitFor();
    await eventually(() => refusal.evaluate(isInView), true);
    const box = await stage.boundingBox();
    assert.ok(box.width >= least, `${width}: ${box.width}`);
    await playground.press("Remove emulate: code=1401");
    await page.evaluate(() => scrollTo(0, 0));
  }
});

test("a video on the stage plays at once, without sound, unless a person wants no motion", async (t) => {
  const playground = await open(t, "image_to_video", {
    reducedMotion: "no-preference",
  });
  const { page } = playground;
  await playground.make({
    file_id: png(64, 48),
    prompt: "waves",
    duration_seconds: 1,
  });
  const video = playground.result;
  const has = (paused, muted) =>
    eventually(
      () => video.evaluate(({ paused, muted }) => ({ paused, muted })),
      { paused, muted },
    );
  // A browser plays only a video in view.
  await shownSize(video);
  await video.scrollIntoViewIfNeeded();
  await has(false, true);
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.reload();
  await shownSize(video);
  await video.scrollIntoViewIfNeeded();
  await has(true, false);
});

test("a task is shown as JSON: its request, its record and its events", async (t) => {
  const playground = await open(t, "text_to_image_turbo");
  const { page } = playground;
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await playground.make(BOAT);
  await playground.more("JSON");
  const dialog = page.getByRole("dialog", {
    name: "Text to image, turbo as JSON",
  });
  const json = async (part) => {
    await playground.press(part, dialog);
    const text = await dialog.getByRole("region", { name: part }).innerText();
    return JSON.parse(text);
  };
  assert.equal((await json("Record")).state, "SUCCEEDED");
  const events = await json("Events");
  assert.equal(events.at(-1).task.state, "SUCCEEDED");
  const { path, body } = await json("Request");
  assert.equal(path, "/api/app/v1/generate/image/text_to_image_turbo");
  assert.equal(body.prompt, "a paper boat");
  await playground.press("Copy", dialog);
  await dialog.getByRole("button", { name: "Copied" }).waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.deepEqual(JSON.parse(copied).body, body);

  // Data that was not received since the page was loaded is read from the gateway.
  await playground.closeDialog();
  await page.reload();
  await playground.more("JSON");
  assert.equal((await json("Record")).state, "SUCCEEDED");
});
