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

test("a photo is stored in the way that it is shown", async (t) => {
  const playground = await open(t, "background_removal");
  for (const [orientation, size] of /** @type {const} */ ([
    [1, [64, 32]],
    [3, [64, 32]],
    [6, [32, 64]],
  ])) {
    stored.length = 0;
    await playground.make({ file_id: await photo(orientation) });
    assert.equal(stored.length, 1);
    const image = await sharp(stored[0]).metadata();
    const { width, height, orientation: left = 1 } = image;
    assert.deepEqual([width, height, left], [...size, 1], `${orientation}`);
  }
});
