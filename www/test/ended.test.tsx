// @vitest-environment happy-dom
import "fake-indexeddb/auto";
import type { Output } from "mediagate";
import { render } from "preact";
import { expect, test, vi } from "vitest";
import { visible } from "../src/parts/visible";
import { current, endings } from "../src/results/stage";
import { endedTitle, followEnds } from "../src/tasks/ended";
import { add, update } from "../src/tasks/store";
import { TaskList } from "../src/tasks/TaskList";
import { soon } from "./soon";

/** Stands in for the browser's notifications, before the page asks if there are any. */
const notification = vi.hoisted(() => {
  const requestPermission = vi.fn(async () => "granted");
  const shown = Object.assign(vi.fn(), { requestPermission });
  vi.stubGlobal("Notification", shown);
  return shown;
});

/** Ends a task, with a result. */
async function end(title: string): Promise<void> {
  const url = `https://a.test/${title}.png`;
  await add({
    key: title,
    saved: { id: title, capability: "text_to_image" },
    capability: "text_to_image",
    title,
    state: "RUNNING",
    outputs: [],
    startedAt: Date.now(),
  });
  const outputs = [{ url, kind: "image" } as Output];
  await update(title, { state: "SUCCEEDED", outputs });
}

test("an end is on the stage, in the tab's title, and in a notification if a person has asked for it", async () => {
  render(<TaskList />, document.body);
  followEnds();
  visible.value = false;
  await end("A boat");
  expect(endedTitle.value).toBe("Done: A boat");
  expect(notification).not.toHaveBeenCalled();
  const bell = () =>
    document.querySelector<HTMLElement>("[title='Notify me when a task ends']");
  await soon(() => expect(bell()?.getAttribute("aria-pressed")).toBe("false"));
  bell()?.click();
  await soon(() => expect(bell()?.getAttribute("aria-pressed")).toBe("true"));
  expect(notification.requestPermission).toHaveBeenCalledOnce();
  await end("A kite");
  expect(endedTitle.value).toBe("2 tasks ended");
  expect(notification.mock.calls[0]?.[0]).toBe("Done: A kite");
  visible.value = true;
  expect(endedTitle.value).toBe("");
  await end("A lamp");
  expect(notification).toHaveBeenCalledOnce();
  expect(endedTitle.value).toBe("");
  expect(current.value?.output.name).toBe("A lamp");
  expect(endings.value).toBe(3);
});
