// @vitest-environment happy-dom
// The finished examples, which `tests/e2e/draw-results.mjs` makes.
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { outputKind } from "mediagate/forms";
import { expect, test } from "vitest";
import { capabilities } from "../src/catalogue";
import { finishedOf } from "../src/examples/finished";
import { capabilityOf } from "./capability";

/** The largest file of each kind in bytes, and of all together. */
const MAX_BYTES = { image: 30_000, video: 120_000, audio: 60_000, pdf: 30_000 };
const MAX_TOTAL_BYTES = 1_200_000;

/** Returns the size of the file at a URL, which the tests have from the folder `www`. */
function bytesOf(url: string): number {
  const path = join(import.meta.dirname, "..", url);
  expect(existsSync(path), url).toBe(true);
  return statSync(path).size;
}

test("each capability has a finished example of its kind, small and with a poster", () => {
  let total = 0;
  for (const capability of capabilities) {
    const { name } = capability;
    const outputs = finishedOf(capability)?.outputs ?? [];
    expect(outputs, name).not.toEqual([]);
    for (const { url, kind, poster } of outputs) {
      expect(kind, name).toBe(outputKind(capability));
      expect(poster !== undefined, name).toBe(kind === "video");
      const bytes = bytesOf(url);
      const posterBytes = poster ? bytesOf(poster) : 0;
      expect(bytes, url).toBeLessThanOrEqual(MAX_BYTES[kind]);
      expect(posterBytes, poster).toBeLessThanOrEqual(MAX_BYTES.image);
      total += bytes + posterBytes;
    }
  }
  expect(total).toBeLessThanOrEqual(MAX_TOTAL_BYTES);
});

test("a finished example has all results of a split, its values in words, and its original", () => {
  const finished = (name: string) => finishedOf(capabilityOf(name));
  expect(finished("split_video")?.outputs).toHaveLength(2);
  const video = finished("image_to_video");
  expect(video?.values).toEqual([
    "lamp.png",
    "“the light goes on”",
    "4 seconds",
  ]);
  expect(video).not.toHaveProperty("before");
  expect(finished("background_removal")?.before?.url).toMatch(/lamp\.png$/);
  expect(finished("head_swap")?.before?.url).toMatch(/ben\.png$/);
});
