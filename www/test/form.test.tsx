// @vitest-environment happy-dom
import "fake-indexeddb/auto";
import { render } from "preact";
import { expect, test, vi } from "vitest";
import { CapabilityForm } from "../src/form/CapabilityForm";
import { factsReady, withKnown } from "../src/form/checks/live";
import { modelOf } from "../src/form/model";
import { notices } from "../src/notices/store";
import { opened } from "../src/opened";
import { capabilityOf } from "./capability";
import { soon } from "./soon";

vi.mock("../src/client", async () => {
  const { signal } = await import("@preact/signals");
  const client = () => new Promise(() => undefined);
  return { client, connection: signal("connecting") };
});

vi.mock("mediagate/preview", () => ({
  inspectFile: async () => ({ width: 160, height: 120 }),
}));

test("files beyond the limit are not stored, and the page says so", async () => {
  const file = new File(["a"], "a.wav", { type: "audio/wav" });
  Object.defineProperty(file, "size", { value: 1_000_000_001 });
  modelOf(capabilityOf("adjust_audio_volume")).set("input_file_id", file);
  await soon(() => expect(notices.value).toHaveLength(1));
  expect(notices.value[0]?.text).toBe(
    "“a.wav” stays here until you leave the page. This page stores 1.0 GB of files at most. Delete tasks with files, or reset forms, then choose it again.",
  );
  expect(await (await opened)?.fileBytes()).toBe(0);
});

test.each([
  ["QuotaExceededError", "This browser has no room left."],
  ["NotReadableError", "This browser could not store it."],
])("a file that is not stored because of a %s says so", async (name, cause) => {
  const store = (await opened) ?? expect.fail("there is no store");
  const set = vi
    .spyOn(store.values, "set")
    .mockRejectedValue(new DOMException("", name));
  const file = new File(["a"], `${name}.wav`, { type: "audio/wav" });
  modelOf(capabilityOf("adjust_audio_volume")).set("input_file_id", file);
  await soon(() =>
    expect(notices.value.at(-1)?.text).toContain(
      `“${name}.wav” stays here until you leave the page. ${cause}`,
    ),
  );
  set.mockRestore();
});

test("a form says that a region without an area is not sent", async () => {
  const region = { x: 0, y: 0, width: 0, height: 0 };
  const capability = capabilityOf("background_removal");
  render(<CapabilityForm capability={capability} />, document.body);
  modelOf(capability).set("region", region);
  await soon(() =>
    expect(document.body.textContent).toContain(
      "Without a width and a height, no region is sent.",
    ),
  );
});

test("a region is compared with the size of the chosen picture", async () => {
  const { fields } = capabilityOf("background_removal");
  const values = {
    file_id: new File(["x"], "a.png", { type: "image/png" }),
    region: { x: 900, y: 0, width: 10, height: 10 },
  };
  expect(withKnown([], fields, values)).toEqual([]);
  await factsReady(fields, values);
  const [issue, ...others] = withKnown([], fields, values);
  expect(issue?.message).toContain("which is 160 × 120 pixels");
  expect(others).toEqual([]);
});

test("the width comes before the height, both have presets, and their ratio can be kept", async () => {
  const capability = capabilityOf("text_to_image");
  render(<CapabilityForm capability={capability} />, document.body);
  const press = (selector: string) =>
    document.querySelector<HTMLElement>(selector)?.click();
  const size = () =>
    [...document.querySelectorAll<HTMLInputElement>("input.number")]
      .slice(0, 2)
      .map(({ name, value }) => `${name} ${value}`);
  press(".sizes button:nth-of-type(2)");
  await soon(() => expect(size()).toEqual(["width 1280", "height 720"]));
  press(".sizes .keep input");
  modelOf(capability).set("width", 640);
  await soon(() => expect(size()).toEqual(["width 640", "height 360"]));
  modelOf(capability).set("height", 180);
  await soon(() => expect(size()).toEqual(["width 320", "height 180"]));
});

test("a list has a line for each item, without blank ones", async () => {
  const capability = capabilityOf("text_driven");
  render(<CapabilityForm capability={capability} />, document.body);
  const lines = () =>
    document.querySelector<HTMLTextAreaElement>("[data-field=links] textarea");
  await soon(() => expect(lines()).not.toBeNull());
  const text = lines() as HTMLTextAreaElement;
  text.value = " https://a.example\n\nhttps://b.example";
  text.dispatchEvent(new Event("input", { bubbles: true }));
  await soon(() =>
    expect(modelOf(capability).values.value.links).toEqual([
      "https://a.example",
      "https://b.example",
    ]),
  );
});

test("a marked field is in view, also among more options", async () => {
  const capability = capabilityOf("text_to_image");
  render(<CapabilityForm key="own" capability={capability} />, document.body);
  const more = document.querySelector<HTMLDetailsElement>("details.more");
  expect(more?.open).toBe(false);
  const model = modelOf(capability);
  model.issues.value = ["prompt", "seed"].map((path) => ({
    path,
    reason: "missing",
    message: "is missing",
    severity: "error",
  }));
  model.rejections.value += 1;
  await soon(() => expect(more?.open).toBe(true));
  expect(document.activeElement?.getAttribute("name")).toBe("prompt");
});
