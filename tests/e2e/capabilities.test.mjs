// Every capability, from its form to its result: once with its example, and some with values whose
// results are compared with the request. The emulator's own tests compare those of the others.
import assert from "node:assert/strict";
import { test } from "node:test";
import { documented } from "../support/catalogue.mjs";
import { pageWidths } from "../support/fixtures.mjs";
import {
  download,
  eventually,
  pdfFile,
  png,
  shownSize,
} from "./playground.mjs";
import { suite } from "./suite.mjs";

const { open } = suite();

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
  audio: ({ result }) =>
    eventually(() => result.evaluate((player) => player.duration > 0), true),
  pdf: ({ stage }) => stage.locator("canvas[data-drawn]").first().waitFor(),
};

test("in every form, one click on an example gives a result of its kind, and only then loads its files", async (t) => {
  const playground = await open(t, "text_to_image");
  const { page } = playground;
  const inputs = /\/(ada|ben|lamp|logo|melody|notes|report|singer|street)-/;
  assert.equal(playground.count("GET", inputs), 0);
  const tasks = page.locator(".reach .count");
  const refusals = page.locator(".form .issues li:not(.doubt), .failure");
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
    const result = playground.stage.locator(".result").first();
    assert.equal(await result.getAttribute("data-kind"), kind, name);
    await SHOWN[kind](playground);
  }
  // The stage shows no input of a generated example.
  assert.equal(playground.count("GET", /\/singer-/), 1);
  assert.deepEqual(playground.pageErrors, []);
});

test("a result is what its request asks for", async (t) => {
  const playground = await open(t, "text_to_image");
  const { result } = playground;
  const prompt = "ünïcödé ✓";
  await playground.make({ prompt, width: 320, height: 200, seed: 7 });
  assert.deepEqual(await shownSize(result), [320, 200]);

  await playground.go("image_to_video");
  await playground.make({
    file_id: png(160, 120),
    prompt: "slow push in",
    duration_seconds: 1,
  });
  const duration = () => result.evaluate((player) => player.duration);
  await eventually(async () => Math.round(await duration()), 1);
  await playground.field("file_id").getByText("uploaded").waitFor();
  assert.equal(playground.count("PUT", /./), 1);
  assert.equal(playground.count("POST", /image_to_video$/), 1);

  // PDFs are merged in the order shown, and the order can be changed.
  await playground.go("merge_pdf");
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
  const [merged] = await playground.results();
  assert.deepEqual(
    await pageWidths(await download(merged)),
    [221, 211, 212, 231],
  );
  assert.deepEqual(playground.pageErrors, []);
});
