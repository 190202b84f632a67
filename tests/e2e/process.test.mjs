// Processing: each result is opened and compared with the request.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pageWidths, pdf, samplesOf, tone, wav } from "../support/fixtures.mjs";
import { download, file } from "./playground.mjs";
import { suite } from "./suite.mjs";

const { open } = suite();

const document = async (name, widths) =>
  file(name, "application/pdf", await pdf(widths));

/** Returns the widths of the pages of every result, in order. */
async function widthsOf(playground) {
  const files = await Promise.all((await playground.results()).map(download));
  return (await Promise.all(files.map(pageWidths))).flat();
}

test("a PDF is split into the requested pages", async (t) => {
  const playground = await open(t, "split_pdf");
  await playground.choose(
    "input_file_id",
    await document("five pages.pdf", [201, 202, 203, 204, 205]),
  );
  await playground.fill("page_range", "1-2,5");
  await playground.run();
  await playground.reaches("SUCCEEDED");
  assert.deepEqual(await widthsOf(playground), [201, 202, 205]);
  assert.deepEqual(playground.pageErrors, []);
});

test("PDFs are merged in the order shown, and the order can be changed", async (t) => {
  const playground = await open(t, "merge_pdf");
  await playground.choose(
    "input_file_ids",
    await document("one.pdf", [211, 212]),
    await document("two.pdf", [221]),
  );
  await playground.choose("input_file_ids", await document("three.pdf", [231]));
  await playground.page
    .getByRole("button", { name: "Move two.pdf up" })
    .click();
  await playground.run();
  await playground.reaches("SUCCEEDED");
  assert.deepEqual(await widthsOf(playground), [221, 211, 212, 231]);
});

test("pages past the end are an error of the form, of the task or of the request", async (t) => {
  const playground = await open(t, "split_pdf");
  await playground.choose(
    "input_file_id",
    await document("two.pdf", [201, 202]),
  );
  await playground.fill("page_range", "7-9");
  await playground.run();
  const failure = playground.page.locator(".failure, .issues li").first();
  await failure.waitFor();
  assert.match(await failure.innerText(), /page/i);
});

test("a sound is made quieter, sample by sample", async (t) => {
  const playground = await open(t, "adjust_audio_volume");
  const before = tone(12_000);
  await playground.choose(
    "input_file_id",
    file("tone.wav", "audio/wav", wav(before)),
  );
  await playground.fill("volume", "0.5");
  await playground.run();
  await playground.reaches("SUCCEEDED");
  const [url] = await playground.results();
  const after = samplesOf(await download(url));
  assert.equal(after.length, before.length);
  for (const [index, entry] of after.entries())
    assert.ok(
      Math.abs(entry - before[index] / 2) <= 1,
      `sample ${index}: ${entry}`,
    );
  const seconds = await playground.task
    .locator("audio")
    .evaluate(async (audio) => {
      if (audio.readyState < 1)
        await new Promise((ready) => (audio.onloadedmetadata = ready));
      return audio.duration;
    });
  assert.ok(Math.abs(seconds - 1) < 0.05, `${seconds}`);
  assert.deepEqual(playground.pageErrors, []);
});

test("decibels are set with the slider's unit", async (t) => {
  const playground = await open(t, "adjust_audio_volume");
  await playground.choose(
    "input_file_id",
    file("tone.wav", "audio/wav", wav(tone(4_000))),
  );
  await playground.page.getByRole("button", { name: "Decibels" }).click();
  await playground.field("volume").locator("input[type=range]").fill("6");
  await playground.run();
  await playground.reaches("SUCCEEDED");
  const [url] = await playground.results();
  const peak = Math.max(...samplesOf(await download(url)));
  assert.ok(Math.abs(peak - 4_000 * 10 ** (6 / 20)) < 20, `${peak}`);
});
