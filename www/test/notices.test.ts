import { expect, test } from "vitest";
import { notices, notify } from "../src/notices/store";

test("notices do not pile up: one with an equal text is replaced, and the oldest go", () => {
  for (const text of ["a", "b", "a", "c", "d"]) notify({ text });
  const texts = notices.value.map((notice) => notice.text);
  expect(texts).toEqual(["a", "c", "d"]);
});
