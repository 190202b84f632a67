// Every capability, from its form to its result: once with its example, and with values whose
// results are opened and compared with the request.
import assert from "node:assert/strict";
import { test } from "node:test";
import { documented } from "../support/catalogue.mjs";
import { pageWidths, samplesOf, tone } from "../support/fixtures.mjs";
import {
  download,
  eventually,
  pdfFile,
  png,
  shownSize,
  sound,
  VIDEO,
} from "./playground.mjs";
import { suite } from "./suite.mjs";

const { open } = suite();

/** Resolves to the duration of the newest result in seconds; `NaN` until it is known. */
const duration = ({ result }) => result.evaluate((player) => player.duration);

/** Waits until the newest result has this duration, rounded to seconds. */
const hasDuration = (playground, seconds) =>
  eventually(async () => Math.round(await duration(playground)), seconds);

const assertSize = async ({ result }, ...size) =>
  assert.deepEqual(await shownSize(result), size);

/** Downloads every result. */
const files = async (playground) =>
  Promise.all((await playground.results()).map(download));

/** Asserts that the results have pages of these widths, in order. */
const assertPages = async (playground, ...widths) => {
  const found = await Promise.all((await files(playground)).map(pageWidths));
  assert.deepEqual(found.flat(), widths);
};

test("the page opens on a form that needs no file, with tiles that lead to others", async (t) => {
  const playground = await open(t, "");
  const { page } = playground;
  assert.equal(await page.locator("h1").innerText(), "Text to image");
  const tiles = page.locator(".tiles a");
  assert.equal(await tiles.count(), 6);
  const isLoaded = (images) => images.every((image) => image.naturalWidth > 0);
  await eventually(() => tiles.locator("img").evaluateAll(isLoaded), true);
  await page
    .locator(".tiles")
    .getByRole("link", { name: "Merge PDFs" })
    .press("Enter");
  await playground.showsForm("Merge PDFs");
  assert.deepEqual(playground.pageErrors, []);
});

/** Waits until a result of a kind is shown. */
const SHOWN = {
  image: ({ result }) => shownSize(result),
  video: ({ result }) => shownSize(result),
  audio: (playground) =>
    eventually(async () => (await duration(playground)) > 0, true),
  pdf: ({ task }) => task.locator("canvas[data-drawn]").first().waitFor(),
};

test("in every form, one click on an example gives a result of its kind, and only then loads its files", async (t) => {
  const playground = await open(t, "text_to_image");
  const { page } = playground;
  assert.equal(playground.count("GET", /lamp|ada|street|melody|report/), 0);
  const tasks = page.locator(".reach .count");
  const refusals = page.locator(".form :is(.issues li:not(.doubt), .failure)");
  for (const [index, { name, medium }] of documented.entries()) {
    await playground.go(name);
    await playground.press("Try an example");
    await tasks
      .getByText(String(index + 1), { exact: true })
      .or(refusals)
      .first()
      .waitFor({ state: "attached" });
    assert.deepEqual(await refusals.allInnerTexts(), [], name);
    await playground.reaches("SUCCEEDED");
    const kind = medium === "asset" ? "pdf" : medium;
    const result = playground.task.locator(".result").first();
    assert.equal(await result.getAttribute("data-kind"), kind, name);
    await SHOWN[kind](playground);
  }
  assert.equal(playground.count("GET", /lamp-.*png$/), 2);
  assert.deepEqual(playground.pageErrors, []);
});

/** @type {Record<string, [values: () => any, check: (playground: any) => Promise<void>]>} */
const REQUESTS = {
  text_to_image: [
    () => ({ prompt: "ünïcödé ✓", width: 320, height: 200, seed: 7 }),
    (playground) => assertSize(playground, 320, 200),
  ],
  image_to_video: [
    () => ({
      file_id: png(160, 120),
      prompt: "slow push in",
      duration_seconds: 1,
    }),
    async (playground) => {
      await hasDuration(playground, 1);
      await playground.field("file_id").getByText("uploaded").waitFor();
      assert.equal(playground.count("PUT", /./), 1);
      assert.equal(playground.count("POST", /image_to_video$/), 1);
    },
  ],
  split_video: [
    () => ({ input_file_id: VIDEO }),
    (playground) => hasDuration(playground, 5),
  ],
  resize_video: [
    () => ({ input_file_id: VIDEO, width: 128, height: 72 }),
    (playground) => assertSize(playground, 128, 72),
  ],
  add_audio_to_video: [
    () => ({ video_file_id: VIDEO, audio_file_id: sound(8_000) }),
    async (playground) => {
      await playground.result.evaluate((player) => {
        player.muted = true;
        void player.play();
      });
      const hasSound = (player) => player.webkitAudioDecodedByteCount > 0;
      await eventually(() => playground.result.evaluate(hasSound), true);
    },
  ],
  background_removal: [
    () => ({ file_id: png(97, 61, "odd size.png") }),
    (playground) => assertSize(playground, 97, 61),
  ],
  head_swap: [
    () => ({
      source_image_file_id: png(160, 120, "source.png"),
      target_head_image_file_id: png(200, 150, "target.png"),
    }),
    (playground) => assertSize(playground, 200, 150),
  ],
  split_pdf: [
    async () => ({
      input_file_id: await pdfFile([201, 202, 203, 204, 205]),
      page_range: "1-2,5",
    }),
    (playground) => assertPages(playground, 201, 202, 205),
  ],
};

test("a result is what its request asks for", async (t) => {
  const playground = await open(t, "text_to_image");
  for (const [name, [values, check]] of Object.entries(REQUESTS)) {
    await playground.go(name);
    await playground.make(await values());
    await check(playground);
  }
  assert.deepEqual(playground.pageErrors, []);
});

test("PDFs are merged in the order shown, and the order can be changed", async (t) => {
  const playground = await open(t, "merge_pdf");
  await playground.fillIn({
    input_file_ids: [
      await pdfFile([211, 212], "one.pdf"),
      await pdfFile([221], "two.pdf"),
    ],
  });
  await playground.choose("input_file_ids", await pdfFile([231], "three.pdf"));
  await playground.press("Move two.pdf up");
  await playground.has("input_file_ids", "two.pdf", "one.pdf", "three.pdf");
  await playground.finish();
  await assertPages(playground, 221, 211, 212, 231);
});

test("the volume of a sound is changed by the slider's decibels, sample by sample", async (t) => {
  const playground = await open(t, "adjust_audio_volume");
  await playground.choose("input_file_id", sound(4_000));
  await playground.press("Decibels");
  await playground.field("volume").locator("input[type=range]").fill("6");
  await playground.finish();
  const [file] = await files(playground);
  const before = tone(4_000);
  const after = samplesOf(file);
  assert.equal(after.length, before.length);
  for (const [index, sample] of after.entries())
    assert.ok(
      Math.abs(sample - before[index] * 10 ** (6 / 20)) <= 2,
      `${index}`,
    );
  await hasDuration(playground, 1);
});
