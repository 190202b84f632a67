import { expect, test } from "vitest";
import { beyond, converted, textOf, volumeOf } from "../src/form/volume";

function volume(text: string) {
  return volumeOf(text) ?? expect.fail(text);
}

test.each([
  ["1", "0dB"],
  ["2", "6dB"],
  ["0.5", "-6dB"],
  ["0.1", "-20dB"],
  ["0", "-100dB"],
])("%s is %s, to the slider's step, and back", (times, decibels) => {
  expect(textOf(converted(volume(times), "decibels"))).toBe(decibels);
  expect(textOf(converted(volume(decibels), "times"))).toBe(times);
});

test.each([
  ["-30dB", "0.032"],
  ["+3dB", "1.4"],
  ["0.37", "0.37"],
])("%s is %s times, since no step is near", (text, times) => {
  expect(textOf(converted(volume(text), "times"))).toBe(times);
});

test.each(["", "loud", "-1", "1.2.3", "6 dB", "6db", "."])(
  "%j is no volume",
  (text) => {
    expect(volumeOf(text)).toBeUndefined();
  },
);

test.each([
  ["4", undefined],
  ["5", "above"],
  ["-40dB", "below"],
  [" .5 ", undefined],
])("the slider ends %s as %s", (text, end) => {
  expect(beyond(volume(text))).toBe(end);
});
