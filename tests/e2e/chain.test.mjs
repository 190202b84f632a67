// Results as inputs of further tasks. The gateway moves them, and none of their bytes pass through
// the page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { picture, tone, wav } from "../support/fixtures.mjs";
import { eventually, file, shownSize } from "./playground.mjs";
import { suite } from "./suite.mjs";
import { finishedTask, readTasks, writeTasks } from "./tasks.mjs";

const suited = suite();
const { open } = suited;

/** Puts the newest task's result into a field by “Use in…”. */
async function useIn(playground, target) {
  const { page } = playground;
  await playground.task.getByText("Use in…").press("Enter");
  await playground.task
    .locator(".use")
    .getByRole("button", { name: target, exact: true })
    .press("Enter");
  await page.locator(".notice", { hasText: "into the form" }).last().waitFor();
  await playground.showsForm(target);
}

const chosen = (playground, field) =>
  playground.field(field).locator(".files .name").allInnerTexts();

/** Runs the form, and waits for its task. */
async function runTask(playground, count) {
  await playground.run();
  await playground.page
    .locator(".task")
    .nth(count - 1)
    .waitFor();
  await playground.reaches("SUCCEEDED");
}

async function makePicture(playground, title = "") {
  await playground.fill("prompt", "a lighthouse");
  await playground.fill("width", "160");
  await playground.fill("height", "120");
  if (title) await playground.fill("title", title);
  await runTask(playground, 1);
}

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
  await makePicture(playground);

  await useIn(playground, "Image to video");
  await eventually(() => chosen(playground, "file_id"), ["Text to image"]);
  assert.deepEqual(
    await shownSize(playground.field("file_id").locator("img.preview")),
    [160, 120],
  );
  await playground.field("file_id").getByText("from an earlier task").waitFor();
  await playground.written();
  await page.reload();
  await playground.connected();
  await eventually(() => chosen(playground, "file_id"), ["Text to image"]);
  await playground.fill("prompt", "slow push in");
  await playground.fill("duration_seconds", "1");
  await runTask(playground, 2);

  await useIn(playground, "Add audio to video");
  await eventually(
    () => chosen(playground, "video_file_id"),
    ["Image to video"],
  );
  await playground.choose(
    "audio_file_id",
    file("song.wav", "audio/wav", wav(tone(9_000))),
  );
  await runTask(playground, 3);

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
  await makePicture(playground, "Boat");
  await playground.go("omni_reference_to_video");
  await playground.choose(
    "image_file_ids",
    file("a.png", "image/png", picture(40, 30)),
  );
  const use = page.getByRole("button", { name: "Use the result Boat" }).first();
  await use.press("Enter");
  await use.press("Enter");
  await eventually(
    () => chosen(playground, "image_file_ids"),
    ["a.png", "Boat", "Boat"],
  );
  await page
    .getByRole("button", { name: "Move Boat up" })
    .first()
    .press("Enter");
  await eventually(
    () => chosen(playground, "image_file_ids"),
    ["Boat", "a.png", "Boat"],
  );
  await eventually(
    () => page.evaluate(() => document.activeElement?.ariaLabel),
    "Remove Boat",
  );
  await page.keyboard.press("Enter");
  await eventually(
    () => chosen(playground, "image_file_ids"),
    ["a.png", "Boat"],
  );
  await playground.fill("prompt", "they meet");
  await playground.fill("duration_seconds", "1");
  await runTask(playground, 2);
  await playground.task
    .getByRole("button", { name: "Edit and run again" })
    .click();
  await eventually(
    () => chosen(playground, "image_file_ids"),
    ["a.png", "Boat"],
  );
  assert.equal(playground.count("POST", /\/files$/), 1);
});

test("a region is drawn on a result, and the new result is compared with its original, without a claim about its size", async (t) => {
  const playground = await open(t, "text_to_image");
  const { page } = playground;
  await makePicture(playground);
  await useIn(playground, "Remove background");
  await playground.field("region").getByText("160 × 120 pixels").waitFor();
  await page.getByLabel("x", { exact: true }).fill("900");
  await page.getByLabel("y", { exact: true }).fill("0");
  await page.getByLabel("width", { exact: true }).fill("10");
  await page.getByLabel("height", { exact: true }).fill("10");
  assert.equal(await page.locator(".form .issues li").count(), 0);
  await page.getByLabel("x", { exact: true }).fill("0");
  await runTask(playground, 2);
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
  await playground.fill("prompt", "a lighthouse");
  await playground.fill("title", "emulate: seconds=15");
  await playground.run();
  await page.locator(".task[data-task]").waitFor();
  await useIn(playground, "Remove background");
  await playground
    .field("file_id")
    .getByText("from a task that still runs")
    .waitFor();
  await playground.run();
  await playground.task
    .getByText("It is sent once “emulate: seconds=15” has ended.")
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
  await playground.reaches("SUCCEEDED");
  assert.equal(playground.count("POST", /background_removal$/), 1);
  assert.equal((await readTasks(page)).length, 2);
  assert.deepEqual(playground.pageErrors, []);
});

test("a failed task has no result: the form says so, and nothing is created", async (t) => {
  const playground = await open(t, "text_to_image");
  const { page } = playground;
  await playground.fill("prompt", "a lighthouse");
  await playground.fill("title", "emulate: seconds=8 state=FAILED");
  await playground.run();
  await page.locator(".task[data-task]").waitFor();
  await useIn(playground, "Remove background");
  await playground.run();
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
  await makePicture(playground);
  await page.route("**/api/app/v1/files", (route) =>
    route.fulfill({
      status: 404,
      json: { code: 12, message: "no", data: { reason: "unknown_path" } },
    }),
  );
  await useIn(playground, "Remove background");
  await runTask(playground, 2);
  assert.deepEqual(
    requests.map((request) => request.split(" ")[0]),
    ["GET", "PUT"],
  );

  const [url] = await playground.results();
  await useIn(playground, "Image to video");
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
  await makePicture(playground);
  await useIn(playground, "Remove background");
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
  await useIn(playground, "Talking avatar from audio");
  const input = playground.field("avatar_asset_id").locator("input[type=text]");
  await eventually(() => input.inputValue(), "avatar-123");
  await page.locator(".notice").getByRole("button", { name: "Undo" }).click();
  await eventually(() => input.inputValue(), "");
});
