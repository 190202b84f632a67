// The form sends exactly the values that it shows.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { test } from "node:test";
import { pdf, picture, tone, wav } from "../support/fixtures.mjs";
import { forward } from "../support/forward.mjs";
import { sourceModule } from "../support/source.mjs";
import { eventually, file } from "./playground.mjs";
import { suite } from "./suite.mjs";

const { open } = suite();

/** Resolves to the body of the next create. */
async function bodyOf(playground, capability) {
  const [request] = await Promise.all([
    playground.page.waitForRequest(
      (request) =>
        request.method() === "POST" && request.url().endsWith(`/${capability}`),
    ),
    playground.run(),
  ]);
  return request.postDataJSON();
}

test("volumes are read, and converted to the slider's step if that is nearly equal", async () => {
  const { volumeOf, textOf, converted, beyond } =
    await sourceModule("form/volume.ts");
  const convert = (text, unit) => textOf(converted(volumeOf(text), unit));
  for (const [times, decibels] of [
    ["1", "0dB"],
    ["2", "6dB"],
    ["0.5", "-6dB"],
    ["0.1", "-20dB"],
    ["0", "-100dB"],
  ]) {
    assert.equal(convert(times, "decibels"), decibels);
    assert.equal(convert(decibels, "times"), times);
  }
  assert.equal(convert("-30dB", "times"), "0.032");
  assert.equal(convert("+3dB", "times"), "1.4");
  assert.equal(convert("0.37", "times"), "0.37");
  for (const text of ["", "loud", "-1", "1.2.3", "6 dB", "6db", "."])
    assert.equal(volumeOf(text), undefined, text);
  for (const [text, end] of [
    ["4", undefined],
    ["5", "above"],
    ["-40dB", "below"],
    [" .5 ", undefined],
  ]) {
    assert.equal(beyond(volumeOf(text)), end, text);
  }
});

test("a volume starts with the shown value, and a change of unit converts it without losing the typed one", async (t) => {
  const playground = await open(t, "adjust_audio_volume");
  const { page } = playground;
  const text = playground.field("volume").locator("input[type=text]");
  const slider = playground.field("volume").locator("input[type=range]");
  const unit = (name) => page.getByRole("button", { name });
  assert.equal(await text.inputValue(), "1");
  assert.equal(await unit("Multiplier").getAttribute("aria-pressed"), "true");

  await text.fill("2");
  await unit("Decibels").click();
  await eventually(() => text.inputValue(), "6dB");
  await text.fill("0.37");
  await unit("Decibels").click();
  await eventually(() => text.inputValue(), "-8.5dB");
  await unit("Multiplier").click();
  await eventually(() => text.inputValue(), "0.37");

  await text.fill("8");
  await playground
    .field("volume")
    .getByText("8 is louder than the slider shows. It ends at 4.")
    .waitFor();
  assert.equal(await slider.inputValue(), "4");

  await text.fill("loud");
  await playground
    .field("volume")
    .getByText("The slider shows only numbers")
    .waitFor();
  assert.equal(await slider.getAttribute("data-following"), "false");
  assert.equal(await unit("Multiplier").getAttribute("aria-pressed"), "false");
  assert.equal(await unit("Decibels").isDisabled(), true);
  assert.equal(await text.inputValue(), "loud");

  await page.getByRole("button", { name: "Reset" }).click();
  await playground.choose(
    "input_file_id",
    file("tone.wav", "audio/wav", wav(tone(1_000))),
  );
  assert.equal((await bodyOf(playground, "adjust_audio_volume")).volume, "1");
});

test("a value that is not offered is reset with the form", async (t) => {
  const playground = await open(t, "image_to_video");
  const ratio = playground.field("aspect_ratio");
  await ratio.getByText("Other", { exact: true }).click();
  await ratio.locator("input[type=text]").fill("3:2");
  await playground.page.getByRole("button", { name: "Reset" }).click();
  await ratio.locator("input[type=text]").waitFor({ state: "detached" });
  assert.equal(await ratio.getByLabel("Default").isChecked(), true);
});

test("an empty value beside the offered ones means the default, and is not sent", async (t) => {
  const playground = await open(t, "text_driven");
  const ratio = playground.field("aspect_ratio");
  const note = ratio.getByText("Nothing is entered, so the default is used.");
  await ratio.getByText("Other", { exact: true }).click();
  await note.waitFor();
  await playground.fill("avatar_asset_id", "avatar_public");
  await playground.fill("voice_asset_id", "voice_public");
  await playground.fill("text", "Welcome.");
  const body = await bodyOf(playground, "text_driven");
  assert.equal("aspect_ratio" in body, false);
  await ratio.locator("input[type=text]").fill("3:2");
  await note.waitFor({ state: "detached" });
  assert.equal((await bodyOf(playground, "text_driven")).aspect_ratio, "3:2");
});

test("page ranges keep their order and other content", async () => {
  const { isInOrder, pagesIn, positionsIn, tidied, toggled } =
    await sourceModule("form/pageRange.ts");
  assert.deepEqual(pagesIn("5,1,1 - 2, last,3-1"), [5, 1, 1, 2, 3, 2, 1]);
  assert.deepEqual(
    [...positionsIn("5,1,1-2")],
    [
      [5, [1]],
      [1, [2, 3]],
      [2, [4]],
    ],
  );
  assert.equal(pagesIn("1-99999999999999999999,1-9").length, 10_000);
  for (const [text, page, expected] of [
    ["", 3, "3"],
    ["5", 2, "5,2"],
    ["5,1", 2, "5,1-2"],
    ["5,1-3", 2, "5,1,3"],
    ["5-1", 3, "5-4,2-1"],
    ["1,5,1-2", 1, "5,2"],
    ["4-, last,2", 2, "4-,last"],
    ["3-1", 4, "3-1,4"],
  ]) {
    assert.equal(toggled(text, page), expected, `${text} and ${page}`);
  }
  assert.equal(tidied(" 1 - 2, 5 "), "1-2,5");
  assert.equal(tidied("1 - 2, last"), "1 - 2, last");
  assert.deepEqual(["1-2,5", "5,1", "1,1", ""].map(isInOrder), [
    true,
    false,
    false,
    true,
  ]);
});

test("pages are sent in the order in which they are chosen, and show that order", async (t) => {
  const playground = await open(t, "split_pdf");
  await playground.choose(
    "input_file_id",
    file("a.pdf", "application/pdf", await pdf([201, 202, 203])),
  );
  const choice = playground.page.getByRole("list", {
    name: "Pages of the PDF",
  });
  await choice.locator("canvas[data-drawn]").nth(2).waitFor();
  for (const position of [3, 1, 2])
    await choice
      .locator("label")
      .nth(position - 1)
      .click();
  const text = playground.field("page_range").locator("input[type=text]");
  await eventually(() => text.inputValue(), "3,1-2");
  await eventually(
    () => choice.locator(".position").allInnerTexts(),
    ["2", "3", "1"],
  );
  await choice
    .getByRole("checkbox", { name: "Page 3, at position 1" })
    .waitFor();
  await text.fill("1 - 2, 1");
  await eventually(
    () => choice.locator(".position").allInnerTexts(),
    ["1, 3", "2"],
  );
  await text.blur();
  await eventually(() => text.inputValue(), "1-2,1");
  assert.equal((await bodyOf(playground, "split_pdf")).page_range, "1-2,1");
});

const ASSETS = [
  {
    asset_id: "ava_1",
    category: "avatar",
    title: "Mira",
    preview_url: "https://preview.invalid/mira.png",
  },
  {
    asset_id: "ava_2",
    category: "avatar",
    title: "<b>Jon</b>",
    preview_url: "javascript:alert(1)",
  },
  { asset_id: "voice_1", category: "voice", title: "Calm" },
  { asset_id: "any_1" },
  { title: "no id" },
  "x",
  null,
];

test("listed avatars and voices are offered by category, and any other id can be entered", async (t) => {
  const playground = await open(t, "merge_pdf");
  const { page } = playground;
  await page.route("https://preview.invalid/**", (route) =>
    route.fulfill({ contentType: "image/png", body: picture(40, 40) }),
  );
  await page.route("**/api/app/v1/models", async (route) => {
    const response = await forward(route);
    const { data, ...envelope } = await response.json();
    await route.fulfill({
      response,
      json: { ...envelope, data: { ...data, assets: ASSETS } },
    });
  });
  await page.reload();
  await playground.go("text_driven");
  const [avatar, voice] = ["avatar_asset_id", "voice_asset_id"].map((name) =>
    playground.field(name),
  );
  await eventually(
    () => avatar.locator(".asset code").allInnerTexts(),
    ["ava_1", "ava_2", "any_1"],
  );
  assert.deepEqual(await voice.locator(".asset code").allInnerTexts(), [
    "voice_1",
    "any_1",
  ]);
  assert.deepEqual(
    await avatar
      .locator("img")
      .evaluateAll((all) =>
        all
          .map((image) => image.src)
          .filter((source) => !/^https?:/.test(source)),
      ),
    [],
  );
  await avatar.getByRole("radio").first().focus();
  await page.keyboard.press("Space");
  await eventually(
    () => avatar.locator("input[type=text]").inputValue(),
    "ava_1",
  );
  await page.keyboard.press("ArrowDown");
  await eventually(
    () => avatar.locator("input[type=text]").inputValue(),
    "ava_2",
  );
  await voice.getByText("Calm").click();
  await avatar.locator("input[type=text]").fill("my_own");
  assert.equal(await avatar.getByRole("radio", { checked: true }).count(), 0);
  await playground.fill("text", "Welcome.");
  const { avatar_asset_id, voice_asset_id } = await bodyOf(
    playground,
    "text_driven",
  );
  assert.deepEqual([avatar_asset_id, voice_asset_id], ["my_own", "voice_1"]);
});

test("if no avatar is listed, the form says what is missing", async (t) => {
  const playground = await open(t, "merge_pdf");
  await playground.page.route("**/api/app/v1/models", async (route) => {
    const response = await forward(route);
    const { data, ...envelope } = await response.json();
    await route.fulfill({
      response,
      json: { ...envelope, data: { ...data, assets: "none" } },
    });
  });
  await playground.page.reload();
  await playground.go("text_driven");
  await playground
    .field("avatar_asset_id")
    .getByText("This gateway lists no avatar")
    .waitFor();
  await playground
    .field("voice_asset_id")
    .getByText("This gateway lists no voice")
    .waitFor();
});

test("labels say what a field is for", async () => {
  const { label } = await sourceModule("words/index.ts");
  const name = (name, kind, media = undefined) => label({ name, kind, media });
  assert.equal(name("segments", "segments"), "Parts to keep");
  assert.equal(name("audio_file_ids", "files", "audio"), "Audio files");
  assert.equal(name("image_file_ids", "files", "image"), "Images");
  assert.equal(name("source_image_file_id", "file", "image"), "Source image");
});

/** Drags files over an element and drops them. Returns true if the browser does not open them. */
function drop(page, selector, files) {
  return page.locator(selector).evaluate((target, all) => {
    const dataTransfer = new DataTransfer();
    for (const [name, type] of all)
      dataTransfer.items.add(new File(["x"], name, { type }));
    const send = (name) =>
      target.dispatchEvent(
        new DragEvent(name, { bubbles: true, cancelable: true, dataTransfer }),
      );
    return [send("dragover"), send("drop")].every((isDefault) => !isDefault);
  }, files);
}

const names = (playground, name) =>
  playground.field(name).locator(".item .name").allInnerTexts();

test("a file that is dropped or pasted beside the fields goes into the first empty one that accepts it", async (t) => {
  const playground = await open(t, "image_audio_driven");
  const { page } = playground;
  const files = [
    ["a.png", "image/png"],
    ["b.wav", "audio/wav"],
  ];
  assert.equal(await drop(page, "h1", files), true);
  await eventually(() => names(playground, "prompt_image_file_id"), ["a.png"]);
  await eventually(() => names(playground, "prompt_audio_file_id"), ["b.wav"]);

  await playground.go("head_swap");
  await drop(page, "h1", [["a.png", "image/png"]]);
  await eventually(() => names(playground, "source_image_file_id"), ["a.png"]);
  await page.evaluate(() => {
    const clipboardData = new DataTransfer();
    clipboardData.items.add(new File(["x"], "b.png", { type: "image/png" }));
    document.body.dispatchEvent(
      new ClipboardEvent("paste", { bubbles: true, clipboardData }),
    );
  });
  const target = "target_head_image_file_id";
  await eventually(() => names(playground, target), ["b.png"]);

  assert.equal(
    await drop(page, "footer, .tasks", [["c.mp4", "video/mp4"]]),
    true,
  );
  await page.getByText("No field of this form takes c.mp4, a video.").waitFor();
  const forms = page.getByRole("list", { name: "Forms that take c.mp4" });
  await forms.getByRole("button", { name: "Split video" }).press("Enter");
  await playground.showsForm("Split video");
  await eventually(() => names(playground, "input_file_id"), ["c.mp4"]);
});

test("a result that is dragged from the list goes into the field", async (t) => {
  const playground = await open(t, "text_to_image");
  const { page } = playground;
  await playground.fill("prompt", "a lighthouse");
  for (const side of ["width", "height"]) await playground.fill(side, "64");
  await playground.run();
  await playground.reaches("SUCCEEDED");
  const [url] = await playground.results();
  await playground.go("background_removal");
  await page.locator(".drop").evaluate((zone, text) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.setData("text/uri-list", text);
    const options = { bubbles: true, cancelable: true, dataTransfer };
    zone.dispatchEvent(new DragEvent("drop", options));
  }, url);
  await eventually(() => names(playground, "file_id"), ["Text to image"]);
});

test("a folder that is dropped is refused by its name", async (t) => {
  const { page } = await open(t, "background_removal");
  const folder = await mkdtemp(join(tmpdir(), "mediagate-folder-"));
  t.after(() => rm(folder, { recursive: true }));
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: [folder], dragOperationsMask: 1 };
  const { x, y } = await page.locator("h1").boundingBox();
  for (const type of /** @type {const} */ (["dragEnter", "dragOver", "drop"]))
    await session.send("Input.dispatchDragEvent", { type, x, y, data });
  await page
    .getByText(`${basename(folder)} is a folder. Drop the files in it.`)
    .waitFor();
});

test("zones that accept the dragged files are marked until these leave the page", async (t) => {
  const { page } = await open(t, "image_audio_driven");
  const marked = () =>
    page
      .locator(".drop")
      .evaluateAll((all) => all.map((element) => element.dataset.target));
  const drag = (name) =>
    page.evaluate((type) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(["x"], "a.wav", { type: "audio/wav" }));
      document.body.dispatchEvent(
        new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer }),
      );
    }, name);
  await drag("dragover");
  await eventually(marked, ["false", "true"]);
  await drag("dragleave");
  await eventually(marked, ["false", "false"]);
});

test("a file of a wrong kind is refused by name, and one of an unknown type is accepted", async (t) => {
  const playground = await open(t, "background_removal");
  const zone = '[data-field="file_id"] .drop';
  await drop(playground.page, zone, [["notes.txt", "text/plain"]]);
  const notice = playground.field("file_id").locator(".remark");
  await eventually(
    () => notice.innerText(),
    "notes.txt is a file of the type text/plain, and this field needs an image.",
  );
  await playground.choose(
    "file_id",
    file("a.wav", "audio/wav", wav(tone(1_000))),
  );
  await eventually(
    () => notice.innerText(),
    "a.wav is a sound, and this field needs an image.",
  );
  assert.deepEqual(await names(playground, "file_id"), []);
  await drop(playground.page, zone, [
    ["raw", ""],
    ["b.png", "image/png"],
  ]);
  await eventually(() => names(playground, "file_id"), ["raw"]);
  await eventually(
    () => notice.innerText(),
    "This field takes one file: only raw was taken.",
  );
  await playground.page.getByRole("button", { name: "Remove raw" }).click();
  await eventually(() => notice.innerText(), "");
});

test("with forced colours the states of controls differ by more than their colours on the page", async (t) => {
  const playground = await open(t, "adjust_audio_volume", {
    forcedColors: "active",
  });
  const background = (name) =>
    playground.page
      .getByRole("button", { name })
      .evaluate((button) => getComputedStyle(button).backgroundColor);
  assert.notEqual(await background("Multiplier"), await background("Decibels"));
});
