// The controls of the playground's forms, in the engine of `ENGINE`.
import { test } from "node:test";
import { ENGINE } from "../support/engines/index.mjs";
import { pdf, picture, tone, wav } from "../support/fixtures.mjs";
import { input, RUN, reaches, suite } from "./suite.mjs";

const { open, choose } = suite();

/**
 * False if the engine can't play video. Without further packages, Debian's WebKitGTK has no sink
 * for video, so that `play` never settles.
 */
const PLAYS_VIDEO = ENGINE !== "webkit";

/**
 * Waits until the page has moved the focus, after its address has changed. A later move would take
 * the focus from a test's control.
 */
const headingIsFocused = (page) =>
  page.waitFor(() => document.activeElement?.id === "form-heading");

test("a region is drawn with the mouse", async (t) => {
  const page = await open(t, "background_removal");
  await choose(page, "file_id", "wide.png", picture(400, 100));
  const box = await page.waitFor(async () => {
    const frame = /** @type {HTMLImageElement | null} */ (
      document.querySelector(".drawing img")
    );
    if (!frame?.naturalWidth || !document.querySelector(".drawing .facts"))
      return undefined;
    frame.scrollIntoView({ block: "center" });
    const place = () => JSON.stringify(frame.getBoundingClientRect());
    const before = place();
    await new Promise((passed) => setTimeout(passed, 200));
    // The page may still move it.
    return place() === before && JSON.parse(before);
  });
  const at = (across, down) => ({
    x: box.x + box.width * across,
    y: box.y + box.height * down,
  });
  await page.drag(at(0.25, 0.2), at(0.75, 0.8));
  // During the drag, the page shows smaller regions.
  await page.waitFor(
    (wanted) => {
      const numbers = [
        .../** @type {NodeListOf<HTMLInputElement>} */ (
          document.querySelectorAll("[data-field=region] input")
        ),
      ].map((input) => input.valueAsNumber);
      return (
        numbers.length === wanted.length &&
        numbers.every((number, index) => Math.abs(number - wanted[index]) <= 3)
      );
    },
    [100, 20, 200, 60],
  );
  await page.press(RUN, "Enter");
  await reaches(page, "SUCCEEDED");
});

test("the pages of a PDF are drawn, and chosen", async (t) => {
  const page = await open(t, "split_pdf");
  await choose(page, "input_file_id", "three.pdf", await pdf([201, 202, 203]));
  await page.waitFor(
    () =>
      document.querySelectorAll("[data-field=page_range] canvas[data-drawn]")
        .length === 3,
  );
  await page.click("[data-field=page_range] li:nth-child(2) label");
  await page.waitFor(
    () =>
      /** @type {HTMLInputElement} */ (
        document.querySelector("[data-field=page_range] input[type=text]")
      ).value === "2",
  );
  await page.press(RUN, "Enter");
  await reaches(page, "SUCCEEDED");
  await page.find(".stage[data-shows=task] canvas[data-drawn]");
});

test("numbers, switches, units and times have controls that work", async (t) => {
  const page = await open(t, "adjust_audio_volume");
  await choose(page, "input_file_id", "tone.wav", wav(tone(4_000)));
  await page.click('[data-field="volume"] button:last-child');
  await page.waitFor(
    () =>
      /** @type {HTMLInputElement} */ (
        document.querySelector("[data-field=volume] input[type=text]")
      ).value === "0dB",
  );
  await page.press('[data-field="volume"] input[type=range]', "ArrowRight");
  await page.waitFor(
    () =>
      /** @type {HTMLInputElement} */ (
        document.querySelector("[data-field=volume] input[type=text]")
      ).value === "0.5dB",
  );
  await page.press(RUN, "Enter");
  await reaches(page, "SUCCEEDED");

  await page.evaluate(() => {
    location.hash = "text_to_image";
  });
  await headingIsFocused(page);
  await page.type('textarea[name="prompt"]', "a boat");
  await page.press(".more > summary", "Enter");
  await page.type(input("guidance_scale"), "2.5");
  await page.click(input("cfg_normalization"));
  await page.press(RUN, "Enter");
  await page.waitFor(() => document.querySelectorAll(".task").length === 2);
  await reaches(page, "SUCCEEDED");
});

test("the parts of a video are set on its timeline, or entered if the engine can't play it", async (t) => {
  const page = await open(t, "image_to_video");
  await choose(page, "file_id", "a.png", picture(160, 90));
  await page.type(input("prompt"), "slow push in");
  await page.type(input("duration_seconds"), "3");
  await page.press(RUN, "Enter");
  await reaches(page, "SUCCEEDED");
  if (PLAYS_VIDEO) {
    await page.waitFor(async () => {
      const video = /** @type {HTMLVideoElement} */ (
        document.querySelector(".stage[data-shows=task] .result video")
      );
      await video.play();
      return video.currentTime > 0 && video.videoWidth > 0;
    });
  }
  const url = await page.waitFor(
    () =>
      /** @type {HTMLAnchorElement | null} */ (
        document.querySelector(".stage a.open")
      )?.href,
  );
  const clip = Buffer.from(await (await fetch(url)).arrayBuffer());

  await page.evaluate(() => {
    location.hash = "split_video";
  });
  await headingIsFocused(page);
  const end = ".segment input.time:last-of-type";
  // Typed before the file is chosen: if the page gets the video's length, it shortens the default
  // to it, which must not happen while typing.
  if (!PLAYS_VIDEO) await page.type(end, "00:00:02");
  await choose(page, "input_file_id", "clip.mp4", clip);
  if (PLAYS_VIDEO) await page.press(".segment .noUi-handle-upper", "ArrowLeft");
  await page.waitFor(
    (selector) => document.querySelector(selector)?.value === "00:00:02",
    end,
  );
  await page.press(RUN, "Enter");
  await page.waitFor(() => document.querySelectorAll(".task").length === 2);
  await reaches(page, "SUCCEEDED");
});
