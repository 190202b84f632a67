import { expect, test } from "vitest";
import type { Field, Kind } from "../src/catalogue";
import { cost, label, roughly } from "../src/words";
import { describeCode } from "../src/words/errors";

test("labels say what a field is for", () => {
  const named = (name: string, kind: Kind, media?: string) =>
    label({ name, kind, media } as Field);
  expect(named("segments", "segments")).toBe("Parts to keep");
  expect(named("audio_file_ids", "files", "audio")).toBe("Audio files");
  expect(named("image_file_ids", "files", "image")).toBe("Images");
  expect(named("source_image_file_id", "file", "image")).toBe("Source image");
});

test("an error has a heading, whatever word its code is", () => {
  expect(describeCode("upstream_credentials")).toEqual({
    heading: "The media service refused this gateway's key",
    remedy: expect.stringMatching(/^Only the operator/),
  });
  expect(describeCode("constructor")).toEqual({
    heading: "Constructor",
    remedy: undefined,
  });
});

test.each([
  [9, "a few seconds", "a few seconds"],
  [26, "about 25 s", "about 25 seconds"],
  [61, "about 1 min", "about 1 minute"],
  [200, "about 3 min", "about 3 minutes"],
])("%i seconds are said roughly", (seconds, short, spoken) => {
  expect(roughly(seconds, "short")).toBe(short);
  expect(roughly(seconds, "spoken")).toBe(spoken);
});

test("a cost is real, emulated, or unknown", () => {
  expect(cost(1, false)).toBe("About 1 credit.");
  expect(cost(2.5, true)).toBe(
    "About 2.5 emulated credits. Nothing is charged.",
  );
  expect(cost("4", false)).toBe("The media service gave no number.");
});
