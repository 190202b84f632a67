// Photos that their camera turned. The drawing, the stored photo and the result have one frame of
// reference.
import assert from "node:assert/strict";
import { test } from "node:test";
import sharp from "sharp";
import { file } from "./playground.mjs";
import { suite } from "./suite.mjs";

const stored = [];
const { open } = suite({
  flags: ["--task-seconds", "0.1"],
  storage: { before: async (_upload, body) => stored.push(body) },
});

/** Makes a photo of 64 by 32 pixels, which EXIF turns by an orientation of 1 to 8. */
const photo = async (orientation) =>
  file(
    "photo.jpg",
    "image/jpeg",
    await sharp({
      create: { width: 64, height: 32, channels: 3, background: "#a05020" },
    })
      .jpeg()
      .withMetadata({ orientation })
      .toBuffer(),
  );

for (const [orientation, size] of /** @type {const} */ ([
  [1, [64, 32]],
  [3, [64, 32]],
  [6, [32, 64]],
]))
  test(`a photo of the orientation ${orientation} is stored in the way that it is shown`, async (t) => {
    stored.length = 0;
    const playground = await open(t, "background_removal");
    await playground.make({ file_id: await photo(orientation) });
    assert.equal(stored.length, 1);
    const {
      width,
      height,
      orientation: left = 1,
    } = await sharp(stored[0]).metadata();
    assert.deepEqual([width, height, left], [...size, 1]);
  });
