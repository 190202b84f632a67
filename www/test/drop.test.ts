// @vitest-environment happy-dom
import "fake-indexeddb/auto";
import { expect, test, vi } from "vitest";
import { dropOn } from "../src/form/dropOn";
import { modelOf } from "../src/form/model";
import { chosen } from "../src/route";
import type { Entry } from "../src/tasks/entry";
import { capabilityOf } from "./capability";

vi.mock("../src/client", async () => {
  const { signal } = await import("@preact/signals");
  const client = () => new Promise(() => undefined);
  return { client, connection: signal("connecting"), connected: signal() };
});

vi.mock("../src/tasks/store", async (load) => {
  const { signal } = await import("@preact/signals");
  const entry = {
    key: "a",
    capability: "text_to_image",
    outputs: [{ url: "https://a.test/a.png", kind: "image" }],
    task: { id: "task" },
  } as unknown as Entry;
  return { ...(await load<object>()), entries: signal([entry]) };
});

/** Returns an event of a drag. Also a result is dragged with a file: its picture. */
function drag(name: string, address: string): DragEvent {
  const file = new File(["a"], "a.png", { type: "image/png" });
  const item = {
    kind: "file",
    type: file.type,
    getAsFile: () => file,
    webkitGetAsEntry: () => null,
  };
  const dataTransfer = { items: [item], getData: () => address };
  return Object.assign(new Event(name, { cancelable: true }), {
    dataTransfer,
  }) as unknown as DragEvent;
}

test("a result that is dropped on a capability opens its form with the result, not with a copy", () => {
  const capability = capabilityOf("background_removal");
  expect(dropOn(capability)["data-target"]).toBe(false);
  document.dispatchEvent(drag("dragstart", "https://a.test/a.png"));
  expect(dropOn(capabilityOf("merge_pdf"))["data-target"]).toBe(false);
  const { onDrop, ...target } = dropOn(capability);
  expect(target["data-target"]).toBe(true);
  const over = drag("dragover", "");
  target.onDragOver(over);
  expect(over.defaultPrevented).toBe(true);
  onDrop(drag("drop", "https://a.test/a.png"));
  const { file_id: dropped } = modelOf(capability).values.value;
  expect(dropped).toMatchObject({ taskId: "task", kind: "image" });
  expect(chosen.value).toBe(capability);
  expect(dropOn(capability)["data-target"]).toBe(false);
});

test("a file that is dropped on a capability opens its form, if that takes the file", () => {
  const image = capabilityOf("head_swap");
  dropOn(image).onDrop(drag("drop", ""));
  expect(chosen.value).toBe(image);
  const refused = drag("drop", "");
  dropOn(capabilityOf("merge_pdf")).onDrop(refused);
  expect(refused.defaultPrevented).toBe(false);
  expect(chosen.value).toBe(image);
});
