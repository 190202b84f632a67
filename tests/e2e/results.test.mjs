// Actions on a result: compare it, download it, and use it as an input. The gateway moves inputs,
// and none of their bytes pass through the page.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import {
  download,
  eventually,
  hasFocus,
  png,
  shownSize,
  sound,
} from "./playground.mjs";
import { suite } from "./suite.mjs";
import { readTasks } from "./tasks.mjs";

const suited = suite();
const { open } = suited;

const PICTURE = { prompt: "a lighthouse", width: 160, height: 120 };

test("a picture and a sound are compared with their originals, also after a reload, and downloaded under the name of their capability", async (t) => {
  const playground = await open(t, "background_removal");
  const { page } = playground;
  await playground.make({ file_id: png(160, 120, "before.png") });
  await playground.reload();
  const slider = playground.stage.getByRole("slider", {
    name: "Before and after Remove background",
  });
  await slider.waitFor();
  assert.deepEqual(
    await shownSize(playground.stage.getByAltText("Before Remove background")),
    [160, 120],
  );
  assert.deepEqual(await shownSize(playground.result), [160, 120]);
  assert.equal(await slider.getAttribute("aria-valuenow"), "50");
  await slider.focus();
  await page.keyboard.down("ArrowRight");
  await page.waitForFunction(
    () =>
      Number(
        document.querySelector(".stage img-comparison-slider").ariaValueNow,
      ) > 60,
  );
  await page.keyboard.up("ArrowRight");

  const [saved] = await Promise.all([
    page.waitForEvent("download"),
    playground.press("Download Remove background"),
  ]);
  assert.equal(saved.suggestedFilename(), "remove-background.png");
  const [url] = await playground.results();
  assert.deepEqual(await readFile(await saved.path()), await download(url));

  await playground.go("adjust_audio_volume");
  await playground.make({ input_file_id: sound(8_000), volume: "0.5" });
  const source = () => playground.result.getAttribute("src");
  const [after] = await playground.results();
  assert.equal(await source(), after);
  await playground.press("Before", playground.stage);
  await eventually(async () => (await source()).startsWith("blob:"), true);
  await playground.press("After", playground.stage);
  await eventually(source, after);
  assert.deepEqual(playground.pageErrors, []);
});

/**
 * Records the URLs of the media that scripts of the page request. Players and pictures are not
 * scripts.
 */
function mediaRequests(page, emulator) {
  const urls = [];
  page.on("request", (request) => {
    const isScript = ["fetch", "xhr"].includes(request.resourceType());
    if (isScript && request.url().startsWith(emulator))
      urls.push(`${request.method()} ${request.url()}`);
  });
  return urls;
}

test("for a picture, its video and music, no script requests a medium, and only the song is uploaded", async (t) => {
  const playground = await open(t, "text_to_image");
  const { page, stage } = playground;
  const requests = mediaRequests(page, suited.stack.emulator);
  await playground.make({ ...PICTURE, title: "Fog" });
  for (const text of [
    /^160 × 120 pixels · text-to-image-default · \d+ emulated credits$/,
    "Made by the emulator: drawn, no model ran",
  ])
    await stage.getByText(text).waitFor();
  // A generated picture has nothing to compare with.
  assert.equal(await page.getByRole("slider").count(), 0);
  assert.match(
    await stage.locator("header .facts").first().innerText(),
    /^Done · \d+ s · .*20\d\d.* · Text to image · a lighthouse$/,
  );
  await playground.press("Use Fog in…", stage);
  const offered = await stage.locator(".use:popover-open li").allInnerTexts();
  assert.ok(offered.includes("Head swap · Source image"), `${offered}`);
  assert.ok(!offered.includes("Split PDF"));
  await page.keyboard.press("Escape");
  await hasFocus(playground.button("Use Fog in…"));

  await playground.useIn("Image to video");
  await playground.has("file_id", "Fog");
  assert.deepEqual(
    await shownSize(playground.field("file_id").locator("img.preview")),
    [160, 120],
  );
  await playground.field("file_id").getByText("from an earlier task").waitFor();
  await playground.written();
  await playground.reload();
  await playground.has("file_id", "Fog");
  await playground.fillIn({ prompt: "slow push in", duration_seconds: 1 });
  await playground.finish();

  await playground.useIn("Add audio to video");
  await playground.has("video_file_id", "Image to video");
  await playground.choose("audio_file_id", sound(9_000, "song.wav"));
  await playground.finish();

  assert.equal(
    await playground.result.evaluate((element) => element.localName),
    "video",
  );
  assert.deepEqual(
    requests.map((request) => request.split(" ")[0]),
    ["PUT"],
  );
  assert.equal(playground.count("POST", /\/files$/), 2);
  assert.deepEqual(playground.pageErrors, []);
});

test("results and files in a list keep a person's order, and each can be removed", async (t) => {
  const playground = await open(t, "text_to_image");
  const { page } = playground;
  await playground.make({ ...PICTURE, title: "Boat" });
  await playground.go("merge_pdf");
  assert.equal(await page.getByText("Or a result").count(), 0);
  await playground.go("omni_reference_to_video");
  const field = playground.field("image_file_ids");
  const has = (...names) => playground.has("image_file_ids", ...names);
  await playground.choose("image_file_ids", png(40, 30));
  const use = page.getByRole("button", { name: "Use the result Boat" }).first();
  await use.press("Enter");
  await use.press("Enter");
  await has("a.png", "Boat", "Boat");
  await field
    .getByRole("button", { name: "Move Boat up" })
    .first()
    .press("Enter");
  await has("Boat", "a.png", "Boat");
  await hasFocus(field.getByRole("button", { name: "Remove Boat" }).first());
  await page.keyboard.press("Enter");
  await has("a.png", "Boat");
  await playground.fillIn({ prompt: "they meet", duration_seconds: 1 });
  await playground.finish();
  await playground.moreOfForm("Reset");
  await has();
  await playground.more("Edit and run again");
  await has("a.png", "Boat");
  assert.equal(playground.count("POST", /\/files$/), 1);
});

test("a running task can be an input, also after a reload, and the create waits for it", async (t) => {
  const playground = await open(t, "text_to_image");
  const { page } = playground;
  const release = await playground.holdReads();
  await playground.fillIn({ ...PICTURE, title: "Boat" });
  await playground.submit();
  await playground.created();
  await playground.useIn("Remove background");
  await playground
    .field("file_id")
    .getByText("from a task that still runs")
    .waitFor();
  await playground.run();
  await playground.stage
    .getByText("It is sent once “Boat” has ended.")
    .waitFor();
  await playground.button("Waiting…").waitFor();
  await playground.written();
  await page.reload();
  await playground.stage.getByText("It is sent once").waitFor();
  assert.equal(playground.count("POST", /background_removal$/), 0);
  await release();
  await playground.reaches("SUCCEEDED");
  assert.equal(playground.count("POST", /background_removal$/), 1);
  assert.equal((await readTasks(page)).length, 2);
  assert.deepEqual(playground.pageErrors, []);
});

test("the page moves a result that the gateway does not, compares it with its original, or says that it may not read it", async (t) => {
  const playground = await open(t, "text_to_image");
  const { page } = playground;
  const requests = mediaRequests(page, suited.stack.emulator);
  await playground.make(PICTURE);
  await page.route("**/api/app/v1/files", (route) =>
    route.fulfill({
      status: 404,
      json: { code: 12, message: "no", data: { reason: "unknown_path" } },
    }),
  );
  await playground.useIn("Remove background");
  await playground.field("region").getByText("160 × 120 pixels").waitFor();
  await playground.finish();
  assert.deepEqual(
    requests.map((request) => request.split(" ")[0]),
    ["GET", "PUT"],
  );
  assert.deepEqual(
    await shownSize(playground.stage.getByAltText("Before Remove background")),
    [160, 120],
  );

  const [url] = await playground.results();
  await playground.useIn("Image to video");
  await playground.fill("prompt", "slow push in");
  await page.route(url ?? "", (route) =>
    route.request().resourceType() === "fetch"
      ? route.abort()
      : route.continue(),
  );
  await playground.run();
  const { code, text } = await playground.failure();
  assert.equal(code, "unusable_result");
  assert.match(
    text,
    /The host of the result does not let this page read it\. Download it/,
  );
  assert.equal(await page.locator(".task[data-task]").count(), 2);
  assert.equal(await page.locator(".task[data-step=refused]").count(), 1);
});
