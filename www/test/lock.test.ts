// @vitest-environment happy-dom
import { expect, test, vi } from "vitest";
import { soon } from "./soon";

/** Returns `withLock` of another page of a browser without locks. */
async function openPage() {
  vi.resetModules();
  return (await import("../src/parts/lock")).withLock;
}

test("without the browser's locks, a page waits until another ends its work", async () => {
  const order: string[] = [];
  let end = () => {};
  const first = (await openPage())("a", async () => {
    order.push("first");
    await new Promise<void>((resolve) => (end = resolve));
    order.push("ended");
  });
  await soon(() => expect(order).toEqual(["first"]));
  const withLock = await openPage();
  const second = withLock("a", async () => void order.push("second"));
  await withLock("b", async () => void order.push("other"));
  end();
  await Promise.all([first, second]);
  expect(order).toEqual(["first", "other", "ended", "second"]);
});
