// @vitest-environment happy-dom
import type { ModelCatalogue } from "mediagate";
import { fakeMedia } from "mediagate/testing";
import { render } from "preact";
import { beforeEach, expect, test, vi } from "vitest";
import { clearBrowser, openPage } from "./page";
import { soon } from "./soon";

beforeEach(() => {
  clearBrowser();
  vi.stubGlobal("fetch", async () => new Response("bytes"));
});

const never = () => new Promise<never>(() => {});

/** Opens a page with the form of a capability. */
async function open(name: string, media = fakeMedia()) {
  const page = await openPage(media);
  const capability = page.capability.capabilityOf(name);
  const model = page.model.modelOf(capability);
  const [{ TryExample }, { tryExample }, draft, { models }] = await Promise.all(
    [
      import("../src/form/TryExample"),
      import("../src/form/fill"),
      import("../src/pipelines/draft"),
      import("../src/offers"),
    ],
  );
  page.route.go(capability);
  render(<TryExample model={model} />, document.body);
  const { notices } = page.notices;
  return {
    ...page,
    ...{ form: model, draft, models },
    press: () => tryExample(model),
    note: () => document.getElementById("example-note")?.textContent,
    texts: () => notices.value.map(({ text }) => text),
    undo() {
      const notice = notices.value.at(-1);
      if (notice) page.notices.act(notice);
    },
  };
}

test("an example names its price before it runs", async () => {
  const page = await open("image_to_video");
  const catalogue = (price?: object, emulated = false) =>
    ({
      emulated,
      models: [{ model_id: "m", capability: "image_to_video", price }],
    }) as unknown as ModelCatalogue;
  const says = async (models: ModelCatalogue | undefined, note: string) => {
    page.models.value = models;
    await soon(() => expect(page.note()).toBe(note));
  };
  const runs = "It fills in this form and runs it";
  await says(undefined, `${runs}.`);
  await says(catalogue(), `${runs}, which may cost credits.`);
  await says(catalogue({ credits: 4, per: "task" }), `${runs}, for 4 credits.`);
  await says(
    catalogue({ credits: 4, per: "second" }),
    `${runs}, for 16 credits.`,
  );
  await says(
    catalogue({ credits: 4, per: "task" }, true),
    `${runs}. The emulator charges nothing.`,
  );
});

test("the Undo of an example takes back its task until that is sent", async () => {
  const media = fakeMedia({ upload: never });
  const create = vi.spyOn(media, "create");
  const page = await open("background_removal", media);
  page.form.set("title", "mine");
  const tried = page.press();
  await soon(() =>
    expect(page.store.entries.value.map(({ step }) => step)).toEqual([
      "uploading",
    ]),
  );
  await soon(() => expect(media.calls).toHaveLength(1));
  expect(page.texts()).toEqual(["Filled the form with an example"]);
  page.undo();
  await tried;
  await soon(() => expect(page.store.records.value).toEqual([]));
  expect(page.form.values.value.title).toBe("mine");
  expect(page.form.failure.value).toBeUndefined();
  expect(page.texts()).toEqual([]);
  expect(create).not.toHaveBeenCalled();
});

test("the Undo of an example does not promise to take back a sent task", async () => {
  const page = await open("text_to_image");
  page.form.set("prompt", "mine");
  await page.press();
  expect(page.texts()).toEqual([
    "Filled the form with an example. Its task was sent, so Undo brings back only the form.",
  ]);
  page.undo();
  expect(page.form.values.value.prompt).toBe("mine");
  expect(page.store.entries.value).toHaveLength(1);
});

test("an example fills a step of the new pipeline, and runs nothing", async () => {
  const page = await open("add_audio_to_video");
  const step = page.draft.putStep("text_to_image", { prompt: "a kite" });
  const source = { name: "the step", step: step?.name };
  page.form.set("video_file_id", source);
  await soon(() => expect(page.note()).toBe("It fills in this step."));
  await page.press();
  expect(page.form.values.value).toMatchObject({
    video_file_id: source,
    audio_file_id: expect.any(File),
  });
  expect(page.texts()).toEqual(["Filled the step with an example"]);
  page.undo();
  expect(page.form.values.value).toMatchObject({
    video_file_id: source,
    audio_file_id: undefined,
  });

  // A step that uses no other is edited.
  const own = page.draft.putStep("add_audio_to_video", { title: "mine" });
  page.form.restore({ title: "mine" });
  page.draft.editing.value = own?.name;
  await soon(() => expect(page.note()).toBe("It fills in this step."));
  await page.press();
  expect(page.form.values.value.video_file_id).toBeInstanceOf(File);
  expect(page.form.makesStep.value).toBe(true);
  expect(page.store.records.value).toEqual([]);
});
