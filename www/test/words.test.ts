import { expect, test } from "vitest";
import { cost, roughly } from "../src/words";
import { describe } from "../src/words/errors";

test("this page says more of an error if that is about it", () => {
  const remedyOf = (code: string) => describe({ code }).remedy;
  expect(remedyOf("upload_failed")).toBe("Try again. What you entered stays.");
  expect(remedyOf("timeout")).toBe("Try again in a minute.");
  const unknown = describe({ code: "network", unknown: "expired" });
  expect(unknown.heading).toBe("It is unknown whether a task was created");
  expect(unknown.remedy).toMatch(/^The gateway remembers/);
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
