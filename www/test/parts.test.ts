import { formatTime, parseTime } from "mediagate/forms";
import { expect, test } from "vitest";
import { type Part, withNewPart } from "../src/form/parts";

/** Parses parts such as `0-5 5-8`, with times in seconds. */
function partsOf(text: string): Part[] {
  return text.split(" ").map((part) => {
    const [start_time = "", end_time = ""] = part
      .split("-")
      .map((time) => (time ? formatTime(Number(time)) : ""));
    return { start_time, end_time };
  });
}

function textOf(parts: readonly Part[]): string {
  return parts
    .map((part) => `${parseTime(part.start_time)}-${parseTime(part.end_time)}`)
    .join(" ");
}

test.each([
  { to: "the end of the video", before: "0-5", length: 8, after: "0-5 5-8" },
  { to: "the latest end", before: "3-6 0-2", length: 8, after: "3-6 0-2 6-8" },
  { to: "half of the last part", before: "0-5", length: 5, after: "0-2 2-5" },
  { to: "the whole of a second", before: "0-1", length: 1, after: "0-1 0-1" },
  { to: "the length of the last", before: "0-7", length: 0, after: "0-7 7-14" },
])("a new part goes to $to", ({ before, length, after }) => {
  expect(textOf(withNewPart(partsOf(before), length))).toBe(after);
});

test("a new part is valid without a valid part before it", () => {
  expect(textOf(withNewPart([], 0))).toBe("0-5");
  expect(textOf(withNewPart([], 3))).toBe("0-3");
  const [, added] = withNewPart(partsOf("4-"), 8);
  expect(textOf(added ? [added] : [])).toBe("0-8");
});
