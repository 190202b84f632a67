// The fields of a form: their controls, which show a picture, a video or a PDF, and the values that
// they send.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { test } from "node:test";
import { picture } from "../support/fixtures.mjs";
import { forward } from "../support/forward.mjs";
import { BOAT, eventually, pdfFile, png, sound, VIDEO } from "./playground.mjs";
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

/** Scrolls an element to the middle of the view, where the actions of the form do not cover it. */
const center = (locator) =>
  locator.evaluate((element) => element.scrollIntoView({ block: "center" }));

/** Returns the values of a field's number inputs, in order. */
const numbers = (playground, name) =>
  playground
    .field(name)
    .locator("input[type=number]")
    .evaluateAll((inputs) => inputs.map((input) => input.valueAsNumber));

test("a region is drawn on the picture or entered, and each updates the other", async (t) => {
  const playground = await open(t, "background_removal", {
    viewport: { width: 1280, height: 1000 },
  });
  const { page } = playground;
  await playground.choose("file_id", png(400, 300));
  await page.getByText("400 × 300 pixels").waitFor();
  await playground.settled();
  const frame = page.locator(".drawing img");
  await center(frame);
  const { x, y, width, height } = await frame.boundingBox();
  const at = (across, down) => [x + width * across, y + height * down];
  await page.mouse.move(...at(0.25, 0.2));
  await page.mouse.down();
  await page.mouse.move(...at(0.5, 0.5), { steps: 4 });
  await page.mouse.move(...at(0.75, 0.8), { steps: 4 });
  await page.mouse.up();
  const wanted = [100, 60, 200, 180];
  const isDrawn = async () =>
    (await numbers(playground, "region")).every(
      (number, index) => Math.abs(number - wanted[index]) <= 2,
    );
  await eventually(isDrawn, true);
  const drawn = await numbers(playground, "region");

  await page.getByLabel("width", { exact: true }).fill("100");
  const selected = async () =>
    Math.abs(
      (await page.locator(".ReactCrop__crop-selection").boundingBox()).width -
        width / 4,
    ) <= 2;
  await eventually(selected, true);

  await page.locator(".ReactCrop__crop-selection").focus();
  await page.keyboard.press("ArrowRight");
  await eventually(
    async () => (await numbers(playground, "region"))[0] > drawn[0],
    true,
  );
  await playground.finish();
  assert.deepEqual(playground.pageErrors, []);
});

/** Makes the page see another length of every video, in seconds. */
const setLength = (page, seconds) =>
  page.evaluate((value) => {
    Object.defineProperty(HTMLMediaElement.prototype, "duration", {
      configurable: true,
      get() {
        globalThis.isLengthRead = true;
        return value;
      },
    });
  }, seconds);

/** Returns the times of all parts, as text. */
const timesIn = (page) =>
  page
    .locator(".segment input.time")
    .evaluateAll((inputs) => inputs.map((input) => input.value));

test("the parts of a video are set on its own timeline, which the documented default fits, and a video without a length has none", async (t) => {
  const playground = await open(t, "split_video");
  const { page } = playground;
  const times = () => timesIn(page);
  await setLength(page, 0);
  await playground.choose("input_file_id", VIDEO);
  await page.waitForFunction(() => globalThis.isLengthRead);
  // Waits long enough for a timeline to load and to shorten the default.
  await page.waitForTimeout(500);
  assert.equal(await page.getByRole("slider").count(), 0);
  await eventually(times, ["00:00:00", "00:00:05"]);

  await setLength(page, 4);
  await playground.choose("input_file_id", VIDEO);
  const start = page.getByRole("slider", { name: "Start of part 1, seconds" });
  const end = page.getByRole("slider", { name: "End of part 1, seconds" });
  await end.waitFor();
  await eventually(times, ["00:00:00", "00:00:04"]);
  await start.press("ArrowRight");
  await end.press("ArrowLeft");
  await eventually(times, ["00:00:01", "00:00:03"]);
  // The player shows the frame at the moved edge.
  await page.waitForFunction(
    () =>
      document.querySelector(/** @type {"video"} */ ("video.film"))
        .currentTime === 3,
  );

  await playground.press("Add a part");
  await eventually(times, ["00:00:01", "00:00:03", "00:00:03", "00:00:04"]);
  await page.getByLabel("Start of part 2", { exact: true }).fill("00:00:02");
  await eventually(
    () =>
      page
        .getByRole("slider", { name: "Start of part 2, seconds" })
        .getAttribute("aria-valuenow"),
    "2.0",
  );
  await page.waitForFunction(() => {
    const { data } = document
      .querySelector(/** @type {"canvas"} */ ("canvas.frames"))
      .getContext("2d")
      .getImageData(1100, 40, 10, 10);
    return data.some((value, index) => index % 4 !== 3 && value > 0);
  });
  await playground.finish();
  assert.equal((await playground.results()).length, 2);

  await playground.go("video_logo_removal");
  await playground.choose("input_video_file_id", VIDEO);
  await playground.press(/^Use the video's size/);
  await eventually(() => numbers(playground, "video_size"), [480, 270]);
});

/** Waits until the player has its height, since that moves the timeline down. */
const sized = (page) =>
  page.waitForFunction(
    () =>
      document.querySelector(/** @type {"video"} */ ("video.film")).videoWidth >
      0,
  );

test("a part gets the times that its handles are moved to, at any speed", async (t) => {
  const playground = await open(t, "split_video", {
    viewport: { width: 1280, height: 1000 },
    reducedMotion: "no-preference",
  });
  const { page } = playground;
  await setLength(page, 8);
  const { start, end, become, pointAt, drag } = timeline(page, 8);

  await playground.choose("input_file_id", VIDEO);
  await end.waitFor();
  await sized(page);
  await playground.settled();
  await center(end);
  await become(0, 5);

  await drag(5, [7]);
  await become(0, 7);
  await drag(0, [2], { steps: 1 });
  await become(2, 7);
  await drag(7, [5, 8, 4, 6, 5], { steps: 8 });
  await become(2, 5);
  await drag(2, [3, 4, 1, 2, 3], { steps: 2, pause: 100 });
  await become(3, 5);
  // Drags the whole part, between its handles.
  await drag(4, [2, 6]);
  await become(5, 7);
  // A drag that begins beside the handles: the nearer one comes to the pointer, and moves on with
  // it.
  await drag(1, [3]);
  await become(3, 7);

  // A drag right after another change.
  await page.mouse.click(...(await pointAt(1)));
  await drag(1, [2]);
  await become(2, 7);
  await page.getByLabel("End of part 1", { exact: true }).fill("00:00:08");
  await drag(2, [4]);
  await drag(8, [6]);
  await become(4, 6);

  await end.focus();
  for (const key of ["End", "ArrowLeft", "ArrowLeft", "ArrowRight"])
    await page.keyboard.press(key);
  await become(4, 7);
  // Changes faster than frames: the page renders after each, and its effects come later.
  await start.evaluate(async (handle) => {
    for (let index = 0; index < 3; index += 1) {
      handle.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowLeft" }));
      await new Promise((resolve) => setTimeout(resolve));
    }
  });
  await become(1, 7);

  // In a long video, the handles of a short part are side by side, and each can still be moved by
  // itself.
  await setLength(page, 90);
  await playground.moreOfForm("Reset");
  await end.waitFor({ state: "detached" });
  await playground.choose("input_file_id", VIDEO);
  await end.waitFor();
  await page.getByLabel("Start of part 1", { exact: true }).fill("00:00:06");
  await page.getByLabel("End of part 1", { exact: true }).fill("00:00:09");
  const long = timeline(page, 90);
  await sized(page);
  await center(long.end);
  await long.become(6, 9);
  await long.drag(6, [2]);
  await long.become(2, 9);
  assert.deepEqual(playground.pageErrors, []);
});

/**
 * Returns the operations on the first part of a video's timeline. `length` is in seconds, up to 9.
 */
function timeline(page, length) {
  const [start, end] = ["Start", "End"].map((name) =>
    page.getByRole("slider", { name: `${name} of part 1, seconds` }),
  );
  const shown = () =>
    Promise.all(
      [start, end].map(async (slider) =>
        Number(await slider.getAttribute("aria-valuenow")),
      ),
    );
  /** Resolves to the point of a second, in CSS pixels of the viewport. */
  const pointAt = async (second) => {
    const { x, y, width, height } = await page
      .locator(".segment .noUi-base")
      .boundingBox();
    return /** @type {const} */ ([
      x + (width * second) / length,
      y + height / 2,
    ]);
  };
  return {
    start,
    end,
    pointAt,
    /** Waits until the part has these times, in seconds, and its handles are there. */
    async become(...seconds) {
      const texts = seconds.map((second) => `00:00:0${second}`);
      await eventually(() => timesIn(page), texts);
      await eventually(shown, seconds);
    },
    /**
     * Drags to one second after the other, each in `steps` moves and with a pause in milliseconds
     * after it.
     */
    async drag(from, seconds, { steps = 4, pause = 0 } = {}) {
      await page.mouse.move(...(await pointAt(from)));
      await page.mouse.down();
      for (const second of seconds) {
        await page.mouse.move(...(await pointAt(second)), { steps });
        await page.waitForTimeout(pause);
      }
      await page.mouse.up();
    },
  };
}

test("the pages of a PDF can be chosen from the shown ones, or entered", async (t) => {
  const playground = await open(t, "split_pdf");
  const { page } = playground;
  await playground.choose(
    "input_file_id",
    await pdfFile([201, 202, 203, 204, 205], "five.pdf"),
  );
  const choice = page.getByRole("list", { name: "Pages of the PDF" });
  await choice.locator("canvas[data-drawn]").nth(4).waitFor();
  await playground.settled();
  const clickPages = async (...pages) => {
    for (const number of pages)
      await choice
        .locator("label")
        .nth(number - 1)
        .click();
  };
  await clickPages(1, 2, 5);
  const text = playground.field("page_range").locator("input[type=text]");
  await eventually(() => text.inputValue(), "1-2,5");
  await text.fill("3-4");
  const ticked = () =>
    choice
      .getByRole("checkbox", { checked: true })
      .evaluateAll((boxes) => boxes.map((box) => box.ariaLabel));
  await eventually(ticked, ["Page 3", "Page 4"]);
  await choice.getByRole("checkbox", { name: "Page 4" }).press("Space");
  await eventually(() => text.inputValue(), "3");
  await text.fill("");
  // Pages are sent in the order in which they are chosen, which they show.
  await clickPages(3, 1, 2);
  await eventually(() => text.inputValue(), "3,1-2");
  const positions = choice.locator(".position");
  await eventually(() => positions.allInnerTexts(), ["2", "3", "1"]);
  await choice
    .getByRole("checkbox", { name: "Page 3, at position 1" })
    .waitFor();
  await text.fill("1 - 2, 1");
  await text.blur();
  await eventually(() => text.inputValue(), "1-2,1");
  assert.equal((await bodyOf(playground, "split_pdf")).page_range, "1-2,1");
  await playground.reaches("SUCCEEDED");
  await playground.stage.getByText(/^3 pages/).waitFor();
  assert.deepEqual(playground.pageErrors, []);
});

test("a volume starts with the shown value, and a change of unit converts it without losing the typed one", async (t) => {
  const playground = await open(t, "adjust_audio_volume", {
    forcedColors: "active",
  });
  const { page } = playground;
  const text = playground.field("volume").locator("input[type=text]");
  const slider = playground.field("volume").locator("input[type=range]");
  const unit = (name) => page.getByRole("button", { name });
  await eventually(() => text.inputValue(), "1");
  assert.equal(await unit("Multiplier").getAttribute("aria-pressed"), "true");
  const background = (name) =>
    unit(name).evaluate((button) => getComputedStyle(button).backgroundColor);
  assert.notEqual(
    await background("Multiplier"),
    await background("Decibels"),
    "forced colours leave the pressed button another colour",
  );

  await text.fill("0.37");
  await unit("Decibels").press("Enter");
  await eventually(() => text.inputValue(), "-8.5dB");
  await unit("Multiplier").press("Enter");
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

  await playground.moreOfForm("Reset");
  await playground.choose("input_file_id", sound(1_000));
  assert.equal((await bodyOf(playground, "adjust_audio_volume")).volume, "1");
  await unit("Decibels").press("Enter");
  await slider.fill("6");
  assert.equal((await bodyOf(playground, "adjust_audio_volume")).volume, "6dB");
});

const ASSETS = [
  {
    asset_id: "avatar_1",
    category: "avatar",
    preview_url: "https://preview.invalid/mira.png",
  },
  { asset_id: "avatar_2", category: "avatar", title: "<b>Jon</b>" },
  { asset_id: "voice_1", category: "voice", title: "Calm" },
];

test("listed avatars and voices are offered, any other id or value can be entered, and an empty one is not sent", async (t) => {
  const playground = await open(t, "merge_pdf");
  const { page } = playground;
  await page.route("https://preview.invalid/**", (route) =>
    route.fulfill({ contentType: "image/png", body: picture(40, 40) }),
  );
  let listed = /** @type {unknown} */ (ASSETS);
  await page.route("**/api/app/v1/models", async (route) => {
    const response = await forward(route);
    const { data, ...envelope } = await response.json();
    const json = { ...envelope, data: { ...data, assets: listed } };
    await route.fulfill({ response, json });
  });
  await page.reload();
  await playground.go("text_driven");
  const [avatar, voice, ratio] = [
    "avatar_asset_id",
    "voice_asset_id",
    "aspect_ratio",
  ].map((name) => playground.field(name));
  const id = avatar.locator("input[type=text]");
  await avatar.getByRole("radio").first().focus();
  await page.keyboard.press("Space");
  await eventually(() => id.inputValue(), "avatar_1");
  await page.keyboard.press("ArrowDown");
  await eventually(() => id.inputValue(), "avatar_2");
  await voice.getByRole("radio", { name: "Calm" }).press("Space");
  await id.fill("my_own");
  const checked = avatar.getByRole("radio", { checked: true });
  await checked.waitFor({ state: "detached" });
  await playground.fill("text", "Welcome.");
  const note = ratio.getByText("Nothing is entered, so the default is used.");
  await ratio.getByRole("radio", { name: "Other" }).press("Space");
  await note.waitFor();
  assert.deepEqual(await bodyOf(playground, "text_driven"), {
    avatar_asset_id: "my_own",
    voice_asset_id: "voice_1",
    text: "Welcome.",
  });
  await ratio.locator("input[type=text]").fill("3:2");
  await note.waitFor({ state: "detached" });
  assert.equal((await bodyOf(playground, "text_driven")).aspect_ratio, "3:2");
  await playground.moreOfForm("Reset");
  await ratio.locator("input[type=text]").waitFor({ state: "detached" });
  await ratio.getByRole("radio", { name: "Default", checked: true }).waitFor();

  // If none is listed, the form says what is missing.
  listed = "none";
  await page.reload();
  await avatar.getByText("This gateway lists no avatar").waitFor();
  await voice.getByText("This gateway lists no voice").waitFor();
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

test("zones that accept the dragged files are marked, and a file or result that is dropped or pasted goes into the first empty one that accepts it", async (t) => {
  const playground = await open(t, "image_audio_driven");
  const { page } = playground;
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

  const files = [
    ["a.png", "image/png"],
    ["b.wav", "audio/wav"],
  ];
  assert.equal(await drop(page, "h1", files), true);
  await playground.has("prompt_image_file_id", "a.png");
  await playground.has("prompt_audio_file_id", "b.wav");

  const zone = '[data-field="prompt_image_file_id"] .drop';
  await drop(page, zone, [["notes.txt", "text/plain"]]);
  const remark = playground.field("prompt_image_file_id").locator(".remark");
  await eventually(
    () => remark.innerText(),
    "notes.txt is a file of another kind, and this field needs an image, such as a PNG or JPEG.",
  );
  await playground.has("prompt_image_file_id", "a.png");
  await playground.press("Remove a.png");
  await eventually(() => remark.innerText(), "");

  await playground.go("head_swap");
  await drop(page, "h1", [["a.png", "image/png"]]);
  await playground.has("source_image_file_id", "a.png");
  await page.evaluate(() => {
    const clipboardData = new DataTransfer();
    clipboardData.items.add(new File(["x"], "b.png", { type: "image/png" }));
    document.body.dispatchEvent(
      new ClipboardEvent("paste", { bubbles: true, clipboardData }),
    );
  });
  const target = "target_head_image_file_id";
  await playground.has(target, "b.png");

  assert.equal(
    await drop(page, "footer, .tasks", [["c.mp4", "video/mp4"]]),
    true,
  );
  await page.getByText("No field of this form takes c.mp4, a video.").waitFor();
  const forms = page.getByRole("list", { name: "Forms that take c.mp4" });
  await playground.press("Split video", forms);
  await playground.showsForm("Split video");
  await playground.has("input_file_id", "c.mp4");

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

  await playground.go("text_to_image_turbo");
  await playground.make(BOAT);
  const [url] = await playground.results();
  await playground.go("background_removal");
  await page.locator(".drop").evaluate((zone, text) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.setData("text/uri-list", text);
    const options = { bubbles: true, cancelable: true, dataTransfer };
    zone.dispatchEvent(new DragEvent("drop", options));
  }, url);
  await playground.has("file_id", "Text to image, turbo");
});
