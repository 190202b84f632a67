import { expect, test } from "vitest";
import {
  isInOrder,
  pagesIn,
  positionsIn,
  tidied,
  toggled,
} from "../src/form/pageRange";

test("the pages of a range are in its order", () => {
  expect(pagesIn("5,1,1 - 2, last,3-1")).toEqual([5, 1, 1, 2, 3, 2, 1]);
  expect([...positionsIn("5,1,1-2")]).toEqual([
    [5, [1]],
    [1, [2, 3]],
    [2, [4]],
  ]);
  expect(pagesIn("1-99999999999999999999,1-9")).toHaveLength(10_000);
  const ordered = ["1-2,5", "5,1", "1,1", ""].map(isInOrder);
  expect(ordered).toEqual([true, false, false, true]);
});

test.each([
  ["", 3, "3"],
  ["5", 2, "5,2"],
  ["5,1", 2, "5,1-2"],
  ["5,1-3", 2, "5,1,3"],
  ["5-1", 3, "5-4,2-1"],
  ["1,5,1-2", 1, "5,2"],
  ["4-, last,2", 2, "4-,last"],
  ["3-1", 4, "3-1,4"],
])("%j with page %i toggled is %j", (text, page, expected) => {
  expect(toggled(text, page)).toBe(expected);
});

test("a range is tidied only if it has nothing but pages", () => {
  expect(tidied(" 1 - 2, 5 ")).toBe("1-2,5");
  expect(tidied("1 - 2, last")).toBe("1 - 2, last");
});
