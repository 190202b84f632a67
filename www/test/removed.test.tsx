// @vitest-environment happy-dom
import "fake-indexeddb/auto";
import { render } from "preact";
import { expect, test, vi } from "vitest";
import type { Entry } from "../src/tasks/entry";
import { Removed } from "../src/tasks/Removed";

const now = vi.hoisted(() => Date.now());

vi.mock("../src/tasks/store", async (load) => {
  const { signal } = await import("@preact/signals");
  const removed = {
    key: "a",
    capability: "text_to_image",
    state: "SUCCEEDED",
    values: { prompt: "a lighthouse at dusk" },
    outputs: [{ url: "https://a.test/a.png", kind: "image" }],
    startedAt: now,
    removedAt: now,
  } as unknown as Entry;
  return { ...(await load<object>()), removedEntries: signal([removed]) };
});

test("a removed task shows its picture and its prompt", () => {
  render(<Removed close={() => undefined} />, document.body);
  const row = document.querySelector(".removed li");
  expect(row?.querySelector("img")?.src).toBe("https://a.test/a.png");
  expect(row?.textContent).toContain("a lighthouse at dusk");
});
