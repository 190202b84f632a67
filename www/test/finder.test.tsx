// @vitest-environment happy-dom
import "fake-indexeddb/auto";
import { render } from "preact";
import { expect, test } from "vitest";
import { Finder } from "../src/finder/Finder";
import { soon } from "./soon";

test("Escape empties the field of the finder, and only the next one is for the dialog", async () => {
  render(<Finder />, document.body);
  const input = document.querySelector("input") as HTMLInputElement;
  const isTaken = () => {
    const event = new KeyboardEvent("keydown", {
      key: "Escape",
      bubbles: true,
      cancelable: true,
    });
    input.dispatchEvent(event);
    return event.defaultPrevented;
  };
  input.value = "trim";
  input.dispatchEvent(new Event("input", { bubbles: true }));
  await soon(() =>
    expect(document.querySelectorAll(".finder li").length).toBeLessThan(3),
  );
  expect(isTaken()).toBe(true);
  await soon(() => expect(input.value).toBe(""));
  expect(isTaken()).toBe(false);
});
