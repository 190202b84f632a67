// The controls that show their file: a picture, a video, a PDF.
import assert from "node:assert/strict";
import { test } from "node:test";
import { lockedPdf, pdf, picture } from "../support/fixtures.mjs";
import { download, eventually, file, shownSize } from "./playground.mjs";
import { suite } from "./suite.mjs";

const { open } = suite();

/** Returns the values of a field's number inputs, in order. */
const numbers = (playground, name) =>
  playground
    .field(name)
    .locator("input[type=number]")
    .evaluateAll((inputs) => inputs.map((input) => input.valueAsNumber));

test("a region is drawn on the picture or entered, and each updates the other", async (t) => {
  const playground = await open(t, "background_removal", {
    viewport: { width: 1280, height: 1000 },
  });
  const { page } = playground;
  await playground.choose(
    "file_id",
    file("a.png", "image/png", picture(400, 300)),
  );
  await page.getByText("400 × 300 pixels").waitFor();
  // It appears above the form, which moves then.
  await page.locator("[data-worker=emulator]").waitFor();
  const frame = page.locator(".drawing img");
  const { x, y, width, height } = await frame.boundingBox();
  const at = (across, down) => [x + width * across, y + height * down];
  await page.mouse.move(...at(0.25, 0.2));
  await page.mouse.down();
  await page.mouse.move(...at(0.5, 0.5), { steps: 4 });
  await page.mouse.move(...at(0.75, 0.8), { steps: 4 });
  await page.mouse.up();
  const wanted = [100, 60, 200, 180];
  const isDrawn = async () =>
    (await numbers(playground, "region")).every(
      (number, index) => Math.abs(number - wanted[index]) <= 2,
    );
  await eventually(isDrawn, true);
  const drawn = await numbers(playground, "region");

  await page.getByLabel("width", { exact: true }).fill("100");
  const selected = async () =>
    Math.abs(
      (await page.locator(".ReactCrop__crop-selection").boundingBox()).width -
        width / 4,
    ) <= 2;
  await eventually(selected, true);

  await page.locator(".ReactCrop__crop-selection").focus();
  await page.keyboard.press("ArrowRight");
  await eventually(
    async () => (await numbers(playground, "region"))[0] > drawn[0],
    true,
  );
  await playground.run();
  await playground.reaches("SUCCEEDED");
  assert.deepEqual(playground.pageErrors, []);
});

test("the parts of a video are set on its own timeline, and the documented default fits it", async (t) => {
  const playground = await open(t, "image_to_video");
  const { page } = playground;
  await playground.choose(
    "file_id",
    file("a.png", "image/png", picture(160, 90)),
  );
  await playground.fill("prompt", "slow push in");
  await playground.fill("duration_seconds", "4");
  await playground.run();
  await playground.reaches("SUCCEEDED");
  const [url] = await playground.results();
  await playground.go("split_video");
  await playground.choose(
    "input_file_id",
    file("clip.mp4", "video/mp4", await download(url)),
  );

  const start = page.getByRole("slider", { name: "Start of part 1, seconds" });
  const end = page.getByRole("slider", { name: "End of part 1, seconds" });
  await end.waitFor();
  const times = () =>
    page
      .locator(".segment input.time")
      .evaluateAll((inputs) => inputs.map((input) => input.value));
  await eventually(times, ["00:00:00", "00:00:04"]);
  await start.press("ArrowRight");
  await end.press("ArrowLeft");
  await eventually(times, ["00:00:01", "00:00:03"]);
  // The player shows the frame at the moved edge.
  await page.waitForFunction(
    () =>
      document.querySelector(/** @type {"video"} */ ("video.film"))
        .currentTime === 3,
  );

  await page.getByRole("button", { name: "Add a part" }).press("Enter");
  await eventually(times, ["00:00:01", "00:00:03", "00:00:03", "00:00:04"]);
  await page.getByLabel("Start of part 2", { exact: true }).fill("00:00:02");
  await eventually(
    () =>
      page
        .getByRole("slider", { name: "Start of part 2, seconds" })
        .getAttribute("aria-valuenow"),
    "2.0",
  );
  await page.waitForFunction(() => {
    const { data } = document
      .querySelector(/** @type {"canvas"} */ ("canvas.frames"))
      .getContext("2d")
      .getImageData(1100, 40, 10, 10);
    return data.some((value, index) => index % 4 !== 3 && value > 0);
  });
  await playground.run();
  await page.locator(".task").nth(1).waitFor();
  await playground.reaches("SUCCEEDED");
  assert.equal((await playground.results()).length, 2);
});

test("a part gets the times that its handles are moved to, at any speed, with motion and without", async (t) => {
  const playground = await open(t, "image_to_video", {
    viewport: { width: 1280, height: 1000 },
  });
  const { page } = playground;
  await playground.choose(
    "file_id",
    file("a.png", "image/png", picture(160, 90)),
  );
  await playground.fill("prompt", "slow push in");
  await playground.fill("duration_seconds", "8");
  await playground.run();
  await playground.reaches("SUCCEEDED");
  const [url] = await playground.results();
  const clip = file("clip.mp4", "video/mp4", await download(url));
  await playground.go("split_video");
  const { start, end, become, pointAt, drag } = timeline(page, 8);

  for (const reducedMotion of /** @type {const} */ ([
    "no-preference",
    "reduce",
  ])) {
    await page.emulateMedia({ reducedMotion });
    await page.getByRole("button", { name: "Reset" }).click();
    await end.waitFor({ state: "detached" });
    await playground.choose("input_file_id", clip);
    await end.waitFor();
    // The player gets its height with the video's size, and then moves the timeline down.
    await page.waitForFunction(
      () =>
        document.querySelector(/** @type {"video"} */ ("video.film"))
          .videoWidth > 0,
    );
    await end.scrollIntoViewIfNeeded();
    await become(0, 5);

    await drag(5, [7]);
    await become(0, 7);
    await drag(7, [3]);
    await become(0, 3);
    await drag(0, [2], { steps: 1 });
    await become(2, 3);
    await drag(3, [8], { steps: 1 });
    await become(2, 8);
    await drag(8, [5, 7, 4, 6, 5], { steps: 8 });
    await become(2, 5);
    await drag(2, [3, 4, 1, 2, 3], { steps: 2, pause: 100 });
    await become(3, 5);
    // Drags the whole part, between its handles.
    await drag(4, [2, 6]);
    await become(5, 7);
    // A drag that begins beside the handles: the nearer one comes to the pointer, and moves on with
    // it.
    await drag(1, [3]);
    await become(3, 7);

    // A drag right after another change.
    await page.mouse.click(...(await pointAt(1)));
    await drag(1, [2]);
    await become(2, 7);
    await page.getByLabel("End of part 1", { exact: true }).fill("00:00:08");
    await drag(2, [4]);
    await drag(8, [6]);
    await become(4, 6);

    await end.focus();
    for (const key of [
      "ArrowRight",
      "End",
      "ArrowLeft",
      "ArrowLeft",
      "ArrowRight",
    ])
      await page.keyboard.press(key);
    await become(4, 7);
    // Changes faster than frames: the page renders after each, and its effects come later.
    await start.evaluate(async (handle) => {
      for (let index = 0; index < 3; index += 1) {
        handle.dispatchEvent(
          new KeyboardEvent("keydown", { key: "ArrowLeft" }),
        );
        await new Promise((resolve) => setTimeout(resolve));
      }
    });
    await become(1, 7);
  }

  // In a long video, the handles of a short part are side by side, and each can still be moved by
  // itself.
  await page.evaluate(() =>
    Object.defineProperty(HTMLMediaElement.prototype, "duration", {
      get: () => 90,
    }),
  );
  await page.getByRole("button", { name: "Reset" }).click();
  await end.waitFor({ state: "detached" });
  await playground.choose(
    "input_file_id",
    file("long.mp4", "video/mp4", clip.buffer),
  );
  await end.waitFor();
  await page.getByLabel("Start of part 1", { exact: true }).fill("00:00:06");
  await page.getByLabel("End of part 1", { exact: true }).fill("00:00:09");
  const long = timeline(page, 90);
  await page.waitForFunction(
    () =>
      document.querySelector(/** @type {"video"} */ ("video.film")).videoWidth >
      0,
  );
  await long.end.scrollIntoViewIfNeeded();
  await long.become(6, 9);
  await long.drag(6, [2]);
  await long.become(2, 9);
  assert.deepEqual(playground.pageErrors, []);
});

test("a video without a length has no timeline, and the documented default stays", async (t) => {
  const playground = await open(t, "image_to_video");
  const { page } = playground;
  await playground.choose(
    "file_id",
    file("a.png", "image/png", picture(160, 90)),
  );
  await playground.fill("prompt", "slow push in");
  await playground.fill("duration_seconds", "1");
  await playground.run();
  await playground.reaches("SUCCEEDED");
  const [url] = await playground.results();
  await playground.go("split_video");
  await page.evaluate(() => {
    const get = () => {
      globalThis.isLengthRead = true;
      return 0;
    };
    Object.defineProperty(HTMLMediaElement.prototype, "duration", { get });
  });
  await playground.choose(
    "input_file_id",
    file("clip.mp4", "video/mp4", await download(url)),
  );
  await page.waitForFunction(() => globalThis.isLengthRead);
  // Waits long enough for a timeline to load and to shorten the default.
  await page.waitForTimeout(500);
  assert.equal(await page.getByRole("slider").count(), 0);
  assert.equal(
    await page.getByLabel("End of part 1", { exact: true }).inputValue(),
    "00:00:05",
  );
});

/**
 * Returns the operations on the first part of a video's timeline. `length` is in seconds, up to 9.
 */
function timeline(page, length) {
  const [start, end] = ["Start", "End"].map((name) =>
    page.getByRole("slider", { name: `${name} of part 1, seconds` }),
  );
  const times = () =>
    page
      .locator(".segment input.time")
      .evaluateAll((inputs) => inputs.map((input) => input.value));
  const shown = () =>
    Promise.all(
      [start, end].map(async (slider) =>
        Number(await slider.getAttribute("aria-valuenow")),
      ),
    );
  /** Resolves to the point of a second, in CSS pixels of the viewport. */
  const pointAt = async (second) => {
    const { x, y, width, height } = await page
      .locator(".segment .noUi-base")
      .boundingBox();
    return /** @type {const} */ ([
      x + (width * second) / length,
      y + height / 2,
    ]);
  };
  return {
    start,
    end,
    pointAt,
    /** Waits until the part has these times, in seconds, and its handles are there. */
    async become(...seconds) {
      const texts = seconds.map((second) => `00:00:0${second}`);
      await eventually(times, texts);
      await eventually(shown, seconds);
    },
    /**
     * Drags to one second after the other, each in `steps` moves and with a pause in milliseconds
     * after it.
     */
    async drag(from, seconds, { steps = 4, pause = 0 } = {}) {
      await page.mouse.move(...(await pointAt(from)));
      await page.mouse.down();
      for (const second of seconds) {
        await page.mouse.move(...(await pointAt(second)), { steps });
        await page.waitForTimeout(pause);
      }
      await page.mouse.up();
    },
  };
}

test("the pages of a PDF can be chosen from the shown ones, or entered", async (t) => {
  const playground = await open(t, "split_pdf");
  const { page } = playground;
  await playground.choose(
    "input_file_id",
    file("five.pdf", "application/pdf", await pdf([201, 202, 203, 204, 205])),
  );
  const choice = page.getByRole("list", { name: "Pages of the PDF" });
  await choice.locator("canvas[data-drawn]").nth(4).waitFor();
  for (const position of [1, 2, 5])
    await choice
      .locator("label")
      .nth(position - 1)
      .click();
  const text = playground.field("page_range").locator("input[type=text]");
  await eventually(() => text.inputValue(), "1-2,5");
  await text.fill("3-4");
  const ticked = () =>
    choice
      .getByRole("checkbox", { checked: true })
      .evaluateAll((boxes) => boxes.map((box) => box.ariaLabel));
  await eventually(ticked, ["Page 3", "Page 4"]);
  await choice.getByRole("checkbox", { name: "Page 4" }).press("Space");
  await eventually(() => text.inputValue(), "3");
  // An invalid range must not hang the page.
  await text.fill("1-99999999999999999999,99999999999999999999,x");
  await text.fill("2");
  await playground.run();
  await playground.reaches("SUCCEEDED");
  await playground.task.getByText("1 page", { exact: true }).waitFor();
  assert.deepEqual(playground.pageErrors, []);
});

test("chosen PDFs show their first pages, and how many they have", async (t) => {
  const playground = await open(t, "merge_pdf");
  const items = playground.field("input_file_ids").locator(".item");
  await playground.choose(
    "input_file_ids",
    file("one.pdf", "application/pdf", await pdf([150])),
    file("two.pdf", "application/pdf", await pdf([600, 201])),
    file("locked.pdf", "application/pdf", lockedPdf()),
  );
  const counts = async () =>
    (await items.locator(".facts").allInnerTexts()).map(
      (facts) => facts.split(" · ")[1],
    );
  await eventually(counts, ["1 page", "2 pages", undefined]);
  const covers = items.locator("img");
  assert.equal(await covers.count(), 2);
  assert.deepEqual(await shownSize(covers.nth(0)), [162, 324]);
  assert.deepEqual(await shownSize(covers.nth(1)), [162, 81]);
  assert.deepEqual(playground.pageErrors, []);
});

test("an unreadable PDF shows an error at the field, which can still be filled in", async (t) => {
  const playground = await open(t, "split_pdf");
  await playground.choose(
    "input_file_id",
    file("no.pdf", "application/pdf", Buffer.from("%PDF-1.7 nothing more")),
  );
  await playground
    .field("page_range")
    .getByText("cannot be read as a PDF")
    .waitFor();
  await playground.fill("page_range", "1");
});

test("the size of a video is taken from the video", async (t) => {
  const playground = await open(t, "image_to_video");
  await playground.choose(
    "file_id",
    file("a.png", "image/png", picture(160, 90)),
  );
  await playground.fill("prompt", "slow push in");
  await playground.fill("duration_seconds", "1");
  await playground.run();
  await playground.reaches("SUCCEEDED");
  const [width, height] = await shownSize(playground.result);
  await playground.go("video_logo_removal");
  await playground.page
    .getByRole("button", { name: "Use the result Image to video" })
    .click();
  await playground.page
    .getByRole("button", { name: /^Use the video's size/ })
    .click();
  await eventually(() => numbers(playground, "video_size"), [width, height]);
});
