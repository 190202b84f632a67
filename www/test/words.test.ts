import { expect, test } from "vitest";
import { cost } from "../src/words";
import { describe } from "../src/words/errors";

test("this page has its own remedies for some errors", () => {
  const remedyOf = (code: string) => describe({ code }).remedy;
  expect(remedyOf("upload_failed")).toBe("Try again. What you entered stays.");
  expect(remedyOf("timeout")).toBe("Try again in a minute.");
  const unknown = describe({ code: "network", unknown: "expired" });
  expect(unknown.heading).toBe("It is unknown whether a task was created");
  expect(unknown.remedy).toMatch(/^The gateway remembers/);
});

test("a cost is real, emulated, or unknown", () => {
  expect(cost(1, false)).toBe("About 1 credit.");
  expect(cost(2.5, true)).toBe(
    "About 2.5 emulated credits. Nothing is charged.",
  );
  expect(cost("4", false)).toBe("The media service gave no number.");
});
