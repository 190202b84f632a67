// Generation, with real files and results that the browser decodes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { picture } from "../support/fixtures.mjs";
import { download, file, shownSize } from "./playground.mjs";
import { suite } from "./suite.mjs";

const { open } = suite();

test("a picture is uploaded, becomes a video, and the video plays", async (t) => {
  const playground = await open(t, "image_to_video");
  await playground.choose(
    "file_id",
    file("harbour.png", "image/png", picture(640, 480)),
  );
  await playground.field("file_id").locator("img.preview").waitFor();
  await playground.fill("prompt", "slow push in");
  await playground.fill("duration_seconds", "1");
  await playground.run();
  await playground.field("file_id").getByText("uploaded").waitFor();
  await playground.reaches("SUCCEEDED");

  const shown = playground.result;
  const [width, height] = await shownSize(shown);
  assert.ok(width > 0 && height > 0, `${width} x ${height}`);
  const moved = await shown.evaluate(async (element) => {
    if (!(element instanceof HTMLVideoElement)) return true;
    await element.play();
    await new Promise(
      (resolve) =>
        (element.ontimeupdate = () =>
          element.currentTime > 0 && resolve(undefined)),
    );
    return element.currentTime > 0;
  });
  assert.ok(moved);
  assert.equal(playground.count("PUT", /./), 1);
  assert.equal(playground.count("POST", /image_to_video$/), 1);
  assert.deepEqual(playground.pageErrors, []);
});

test("the uploaded bytes are the chosen bytes", async (t) => {
  const playground = await open(t, "background_removal");
  const bytes = picture(97, 61);
  await playground.choose("file_id", file("odd size.png", "image/png", bytes));
  await playground.run();
  await playground.reaches("SUCCEEDED");
  assert.deepEqual(await shownSize(playground.result), [97, 61]);
});

test("text becomes a picture of the requested size", async (t) => {
  const playground = await open(t, "text_to_image");
  await playground.fill("prompt", "a lighthouse at dusk, ünïcödé ✓");
  await playground.fill("width", "320");
  await playground.fill("height", "200");
  await playground.fill("seed", "7");
  await playground.run();
  await playground.reaches("SUCCEEDED");
  assert.deepEqual(await shownSize(playground.result), [320, 200]);
  const [url] = await playground.results();
  assert.equal((await download(url)).subarray(1, 4).toString(), "PNG");
  assert.deepEqual(playground.pageErrors, []);
});
