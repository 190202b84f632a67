import { expect, test, vi } from "vitest";
import { write } from "../src/storage";

vi.mock("../src/opened", () => ({ opened: Promise.resolve(undefined) }));

vi.mock("../src/tab", () => ({ tab: Promise.resolve("a") }));

test("a browser that stores nothing denies a value", async () => {
  expect(await write({ title: "Boat" })).toBe("denied");
});
