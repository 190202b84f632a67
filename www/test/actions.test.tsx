// @vitest-environment happy-dom
import "fake-indexeddb/auto";
import { render } from "preact";
import { expect, test, vi } from "vitest";
import { toShownError } from "../src/parts/Failure";
import { TaskActions } from "../src/stage/TaskActions";
import type { Entry } from "../src/tasks/entry";

vi.mock("../src/client", async () => {
  const { signal } = await import("@preact/signals");
  const client = () => new Promise(() => undefined);
  return {
    client,
    connection: signal(undefined),
    connected: signal(undefined),
  };
});

test.each([
  [true, "FAILED", "task_failed"],
  [true, "EXPIRED", "task_expired"],
  [false, "FAILED", "invalid_input"],
  [false, "FAILED", "content_refused"],
  [false, "SUCCEEDED", undefined],
])("Try again is offered: %s, after %s with %s", (isOffered, state, code) => {
  const entry: Entry = {
    key: "a",
    capability: "text_to_image",
    values: { prompt: "a" },
    outputs: [],
    startedAt: 0,
    state,
    failure: code ? toShownError({ code }) : undefined,
  };
  render(
    <TaskActions entry={entry} output={0} isBroken={false} />,
    document.body,
  );
  const buttons = [...document.querySelectorAll("button")];
  const words = buttons.map((button) => button.textContent?.trim());
  expect(words.includes("Try again")).toBe(isOffered);
  const edit = buttons[words.indexOf("Edit and run again")];
  expect(edit?.title).toContain("into the form");
});
