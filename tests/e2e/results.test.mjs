// Actions on a result: compare it, download it, run its task again, and use it as an input. The
// gateway moves inputs, and none of their bytes pass through the page.
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
import { finishedTask, readTasks, writeTasks } from "./tasks.mjs";

const suited = suite();
const { open } = suited;

const PICTURE = { prompt: "a lighthouse", width: 160, height: 120 };

test("a picture is compared with its original, with a divider that keys move, also after a reload, and is downloaded under the name of its capability", async (t) => {
  const playground = await open(t, "background_removal");
  const { page } = playground;
  await playground.make({ file_id: png(160, 120, "before.png") });
  await page.reload();
  const slider = playground.task.getByRole("slider", {
    name: "Before and after Remove background",
  });
  await slider.waitFor();
  assert.deepEqual(
    await shownSize(playground.task.getByAltText("Before Remove background")),
    [160, 120],
  );
  assert.deepEqual(await shownSize(playground.result), [160, 120]);
  assert.equal(await slider.getAttribute("aria-valuenow"), "50");
  await slider.focus();
  await page.keyboard.down("ArrowRight");
  await page.waitForFunction(
    () =>
      Number(
        document.querySelector(".task img-comparison-slider").ariaValueNow,
      ) > 60,
  );
  await page.keyboard.up("ArrowRight");

  const [saved] = await Promise.all([
    page.waitForEvent("download"),
    page
      .getByRole("button", { name: "Download Remove background" })
      .press("Enter"),
  ]);
  assert.equal(saved.suggestedFilename(), "remove-background.png");
  const [url] = await playground.results();
  assert.deepEqual(await readFile(await saved.path()), await download(url));
  assert.deepEqual(playground.pageErrors, []);
});

test("a sound can be played before and after", async (t) => {
  const playground = await open(t, "adjust_audio_volume");
  await playground.make({ input_file_id: sound(8_000), volume: "0.5" });
  const player = playground.result;
  const [after] = await playground.results();
  assert.equal(await player.getAttribute("src"), after);
  await playground.press("Before", playground.task);
  await eventually(
    async () => (await player.getAttribute("src")).startsWith("blob:"),
    true,
  );
  await playground.press("After", playground.task);
  await eventually(() => player.getAttribute("src"), after);
});

test("a failed task is tried again with its input, also after a reload", async (t) => {
  const playground = await open(t, "background_removal");
  const { page } = playground;
  await playground.make(
    { file_id: png(40, 30, "before.png"), title: "emulate: state=FAILED" },
    "FAILED",
  );
  await playground.reload();
  await playground.go("merge_pdf");
  await playground.press("Edit and run again");
  await playground.showsForm("Remove background");
  await playground.has("file_id", "before.png");
  await playground.make({ title: "" });

  await playground.taskHeading("emulate: state=FAILED").press("Enter");
  await playground.press("Try again");
  await page.locator(".task").nth(2).waitFor();
  await playground.reaches("FAILED");
});

test("a finished task shows its input, time, model, credits and the size of its result", async (t) => {
  const playground = await open(t, "text_to_image");
  const { page } = playground;
  await playground.make({
    prompt: "a lighthouse in the fog",
    width: 160,
    height: 120,
    title: "Fog",
  });
  await page.reload();
  const { task } = playground;
  await task.getByText("a lighthouse in the fog").waitFor();
  await task.getByText("160 × 120 pixels").waitFor();
  await task
    .getByText(/^text-to-image-default · \d+ emulated credits$/)
    .waitFor();
  await task.getByText("Made by the emulator: drawn, no model ran").waitFor();
  // A generated picture has nothing to compare with.
  assert.equal(await page.getByRole("slider").count(), 0);
  assert.match(
    await task.locator("header .facts").first().innerText(),
    /^Fog:\sDone · \d+ s · .*20\d\d.* · Text to image$/,
  );
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
  const { page } = playground;
  const requests = mediaRequests(page, suited.stack.emulator);
  await playground.make(PICTURE);
  await playground.task.getByText("Use in…").press("Enter");
  const offered = await page.locator(".use .chip").allInnerTexts();
  assert.ok(offered.includes("Head swap · Source image"), `${offered}`);
  assert.ok(!offered.includes("Split PDF"));
  await playground.task.getByText("Use in…").press("Enter");

  await playground.useIn("Image to video");
  await playground.has("file_id", "Text to image");
  assert.deepEqual(
    await shownSize(playground.field("file_id").locator("img.preview")),
    [160, 120],
  );
  await playground.field("file_id").getByText("from an earlier task").waitFor();
  await playground.written();
  await playground.reload();
  await playground.has("file_id", "Text to image");
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
  await playground.choose("image_file_ids", png(40, 30));
  const use = page.getByRole("button", { name: "Use the result Boat" }).first();
  await use.press("Enter");
  await use.press("Enter");
  await playground.has("image_file_ids", "a.png", "Boat", "Boat");
  await page
    .getByRole("button", { name: "Move Boat up" })
    .first()
    .press("Enter");
  await playground.has("image_file_ids", "Boat", "a.png", "Boat");
  const remove = playground
    .field("image_file_ids")
    .getByRole("button", { name: "Remove Boat" });
  await hasFocus(remove.first());
  await page.keyboard.press("Enter");
  await playground.has("image_file_ids", "a.png", "Boat");
  await playground.fillIn({ prompt: "they meet", duration_seconds: 1 });
  await playground.finish();
  await playground.press("Reset");
  await playground.has("image_file_ids");
  await playground.press("Edit and run again", playground.task);
  await playground.has("image_file_ids", "a.png", "Boat");
  assert.equal(playground.count("POST", /\/files$/), 1);
});

test("a region is drawn on a result, and the new result is compared with its original, without a claim about its size", async (t) => {
  const playground = await open(t, "text_to_image");
  const { page } = playground;
  await playground.make(PICTURE);
  await playground.useIn("Remove background");
  await playground.field("region").getByText("160 × 120 pixels").waitFor();
  await page.getByLabel("x", { exact: true }).fill("900");
  await page.getByLabel("y", { exact: true }).fill("0");
  await page.getByLabel("width", { exact: true }).fill("10");
  await page.getByLabel("height", { exact: true }).fill("10");
  assert.equal(await page.locator(".form .issues li").count(), 0);
  await page.getByLabel("x", { exact: true }).fill("0");
  await playground.finish();
  await playground.task
    .getByRole("slider", { name: "Before and after Remove background" })
    .waitFor();
  assert.deepEqual(
    await shownSize(playground.task.getByAltText("Before Remove background")),
    [160, 120],
  );
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
  await playground.task
    .getByText("It is sent once “Boat” has ended.")
    .waitFor();
  assert.match(
    await playground.task.locator(".facts").first().innerText(),
    /^Remove background:\sWaiting/,
  );
  await page.getByRole("button", { name: "Waiting…" }).waitFor();
  await playground.written();
  await page.reload();
  await playground.task.getByText("It is sent once").waitFor();
  assert.equal(playground.count("POST", /background_removal$/), 0);
  await release();
  await playground.reaches("SUCCEEDED");
  assert.equal(playground.count("POST", /background_removal$/), 1);
  assert.equal((await readTasks(page)).length, 2);
  assert.deepEqual(playground.pageErrors, []);
});

test("a failed task has no result: the form says so, and nothing is created", async (t) => {
  const playground = await open(t, "text_to_image");
  const { page } = playground;
  const release = await playground.holdReads();
  await playground.fillIn({ ...PICTURE, title: "emulate: state=FAILED" });
  await playground.submit();
  await playground.created();
  await playground.useIn("Remove background");
  await playground.submit();
  await release();
  const { code, text } = await playground.failure();
  assert.equal(code, "unusable_result");
  assert.match(
    text,
    /The result could not be used\s+“emulate: .*” has failed, so it has no result to use\./,
  );
  assert.equal(await page.locator(".task").count(), 1);
  assert.equal(playground.count("POST", /background_removal$/), 0);
});

test("the page moves a result that the gateway does not, or says that it may not read it", async (t) => {
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
  await playground.finish();
  assert.deepEqual(
    requests.map((request) => request.split(" ")[0]),
    ["GET", "PUT"],
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
  assert.equal(await page.locator(".task").count(), 2);
});

test("a page that is left while the gateway moves a result sends one create", async (t) => {
  const playground = await open(t, "text_to_image");
  const { page } = playground;
  await playground.make(PICTURE);
  await playground.useIn("Remove background");
  const waiting = [];
  await page.route("**/api/app/v1/files", (route) => void waiting.push(route));
  await playground.run();
  await playground.task.getByText("moving the result").waitFor();
  await eventually(() => waiting.length, 1);
  const [{ step, sentAt }] = (await readTasks(page)).filter(
    (task) => task.capability === "background_removal",
  );
  assert.deepEqual([step, sentAt], ["moving", undefined]);
  await page.unroute("**/api/app/v1/files");
  await page.reload();
  await page.locator(".task").nth(1).waitFor();
  await playground.reaches("SUCCEEDED");
  assert.equal(playground.count("POST", /background_removal$/), 1);
});

test("the id of an asset can be put into a field for one, and taken out again", async (t) => {
  const playground = await open(t, "text_to_image_turbo");
  const { page } = playground;
  await writeTasks(page, [
    { ...finishedTask(1), outputs: [{ assetId: "avatar-123" }] },
  ]);
  await page.reload();
  await playground.useIn("Talking avatar from audio");
  const input = playground.field("avatar_asset_id").locator("input[type=text]");
  await eventually(() => input.inputValue(), "avatar-123");
  await playground.press("Undo", page.locator(".notice"));
  await eventually(() => input.inputValue(), "");
});
