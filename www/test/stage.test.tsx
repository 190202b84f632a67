// @vitest-environment happy-dom
import { type FakeSnapshot, fakeMedia } from "mediagate/testing";
import { render } from "preact";
import { beforeEach, expect, test } from "vitest";
import { clearBrowser, openPage } from "./page";
import { soon } from "./soon";

beforeEach(clearBrowser);

/** Opens a page whose tasks all end with these outputs. */
async function open(outputs: FakeSnapshot["outputs"] = []) {
  const end: FakeSnapshot = { state: "SUCCEEDED", outputs };
  const page = await openPage(fakeMedia({ text_to_image: [end] }));
  const { Stage } = await import("../src/stage/Stage");
  const { linkedResult } = await import("../src/stage/linked");
  const run = async (key: string) => {
    await page.submit.submitTask(key, "text_to_image", { prompt: key });
    await soon(() =>
      expect(page.store.findEntry(key)?.state).toBe("SUCCEEDED"),
    );
  };
  render(<Stage />, document.body);
  return { ...page, linkedResult, run };
}

test("another form takes the result of a link off the stage", async () => {
  const { stage, route, capability, linkedResult } = await open();
  const image = capability.capabilityOf("text_to_image");
  const result = linkedResult(image, "https://a.test/a.png");
  if (!result) expect.fail("the link has no result");
  route.go(image);
  stage.choose({ kind: "linked", result });
  stage.followChoices();
  expect(stage.shown.value?.kind).toBe("linked");
  route.go(capability.capabilityOf("merge_pdf"));
  expect(stage.shown.value?.kind).toBe("example");
});

test("a result beside one of an unknown kind can be enlarged, and stays large when another task ends", async () => {
  const { stage, run } = await open([
    { url: "https://a.test/a.bin" },
    { url: "https://a.test/b.png", kind: "image" },
  ]);
  const enlarge = () =>
    document.querySelector<HTMLElement>(
      "[aria-label='Enlarge Text to image 2']",
    );
  await run("a");
  stage.showRun({ kind: "task", key: "a", output: 1 });
  await soon(() => expect(enlarge()?.title).toBe("Enlarge"));
  enlarge()?.click();
  stage.showEnd({ kind: "task", key: "b" });
  expect(stage.shown.value).toMatchObject({ entry: { key: "a" }, output: 1 });
});

test("Try again leaves the focus on the stage", async () => {
  const { stage, submit, capability } = await open();
  const { name } = capability.capabilityOf("text_to_image");
  const failure = new Error("no");
  submit.refuse("a", name, { prompt: "a" }, failure);
  const again = () =>
    [...document.querySelectorAll("button")].find((button) =>
      button.textContent?.includes("Try again"),
    );
  await soon(() => expect(again()).toBeDefined());
  again()?.focus();
  again()?.click();
  await soon(() => expect(document.activeElement?.id).toBe("stage-heading"));
  expect(stage.shown.value).not.toMatchObject({ entry: { key: "a" } });
});

test("a cancel of Try again brings back what was not started", async () => {
  const upload = () => new Promise<never>(() => undefined);
  const page = await openPage(fakeMedia({ upload }));
  const { submit, rerun, store } = page;
  const file_id = new File(["a"], "a.png", { type: "image/png" });
  const failure = new Error("no");
  submit.refuse("a", "background_removal", { file_id }, failure);
  const refused = store.findEntry("a");
  if (!refused) expect.fail("nothing is listed");
  const again = rerun.rerun(refused);
  const newest = () => store.entries.value[0]?.key ?? "a";
  await soon(() => expect(newest()).not.toBe("a"));
  submit.cancelSubmission(newest());
  await again;
  const listed = [{ key: "a", step: "refused" }];
  await soon(() => expect(store.entries.value).toMatchObject(listed));
});

test("a start saves the step that a form edits, or shows what is wrong with it", async () => {
  const { capability, model } = await openPage(fakeMedia());
  const { draft, editing, putStep } = await import("../src/pipelines/draft");
  const { startDraft } = await import("../src/pipelines/start");
  editing.value = putStep("text_to_image", { prompt: "a" })?.name;
  const form = model.modelOf(capability.capabilityOf("text_to_image"));
  form.set("prompt", " ");
  await startDraft();
  expect(form.shown.value).toHaveLength(1);
  expect(draft.value.steps[0]?.values).toEqual({ prompt: "a" });
  form.set("prompt", "c");
  await startDraft();
  // The scripted client starts no pipeline, so the new one stays as it was saved.
  expect(draft.value.steps[0]?.values).toMatchObject({ prompt: "c" });
});

test("a result of a link that cannot be loaded is not offered", async () => {
  const { stage, capability, linkedResult } = await open();
  const image = capability.capabilityOf("text_to_image");
  expect(linkedResult(image, "javascript:alert(1)")).toBeUndefined();
  const result = linkedResult(image, "https://a.test/a.png");
  if (!result) expect.fail("the link has no result");
  stage.choose({ kind: "linked", result });
  await soon(() =>
    expect(document.querySelector(".stage a.open")).not.toBeNull(),
  );
  document.querySelector(".stage img")?.dispatchEvent(new Event("error"));
  await soon(() => expect(document.querySelector(".stage a.open")).toBeNull());
});

test.each([
  ["omni_reference_to_video", "image_file_ids"],
  ["video_logo_removal", "logo_file_id"],
  ["split_video", "segments"],
])("a link to %s cannot put nothing into %s", async (name, field) => {
  const page = await open();
  const { fillFromAddress } = await import("../src/form/link");
  const { CapabilityForm } = await import("../src/form/CapabilityForm");
  const capability = page.capability.capabilityOf(name);
  page.route.go(capability);
  for (const list of ["[null]", '[{"name":"n","url":"javascript:1"}]']) {
    const query = new URLSearchParams({ [field]: list });
    history.replaceState(null, "", `#${name}?${query}`);
    fillFromAddress();
    expect(page.model.modelOf(capability).values.value[field]).toEqual([]);
    render(<CapabilityForm capability={capability} />, document.body);
  }
});
