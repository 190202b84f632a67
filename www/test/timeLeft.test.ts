import { expect, test } from "vitest";
import { receiveEta, shareDone, timeLeft } from "../src/tasks/timeLeft";
import { roughly } from "../src/words";

const ETA = { seconds: 200, low: 180, high: 240 };

test("an estimate counts down until nine in ten tasks have ended, and its bar never goes back", () => {
  const eta = { ...ETA, receivedAt: 0 };
  const at = (passed: number) => timeLeft(eta, passed * 1000);
  const words = [0, 130, 160, 190, 230].map((passed) => {
    expect(at(passed).overdue).toBe(false);
    return roughly(at(passed).seconds, "short");
  });
  expect(words).toEqual([
    "about 3 min",
    "about 1 min",
    "about 45 s",
    "about 25 s",
    "about 10 s",
  ]);
  expect(at(240).overdue).toBe(true);
  const shares = Array.from({ length: 600 }, (_, passed) =>
    shareDone(passed, at(passed).seconds),
  );
  expect(shares).toEqual(shares.toSorted((one, other) => one - other));
  expect(shares.at(-1)).toBeLessThan(1);
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

test("an unchanged estimate keeps its receipt, and a newer one replaces it", () => {
  const first = receiveEta(ETA, undefined, 1);
  expect(first).toEqual({ ...ETA, receivedAt: 1 });
  expect(receiveEta({ ...ETA }, first, 2)).toBe(first);
  expect(receiveEta(undefined, first, 2)).toBe(first);
  const newer = { ...ETA, high: 300 };
  expect(receiveEta(newer, first, 2)).toEqual({ ...newer, receivedAt: 2 });
});
