// Pipelines: built from forms, run by the gateway while the page is closed, and resumed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { forward } from "../support/forward.mjs";
import {
  eventually,
  hasFocus,
  Playground,
  png,
  sound,
  WIDE,
} from "./playground.mjs";
import { suite } from "./suite.mjs";
import { readTasks } from "./tasks.mjs";

const suited = suite({ flags: ["--task-seconds", "0.8"] });
const { open } = suited;

/** Puts a step of the new pipeline into a field by “Use in…”. */
const putStep = (playground, name, target) =>
  playground.useIn(
    target,
    playground.page.locator(`.draft [data-step="${name}"]`),
  );

async function addStep(playground, name) {
  await playground.press("Add as a step", playground.page.locator(".form"));
  await playground.page.locator(`.draft [data-step="${name}"]`).waitFor();
}

async function addPicture(playground, title = "") {
  await playground.fillIn({ prompt: "a lighthouse", width: 160, height: 120 });
  if (title) await playground.fill("title", title);
  await addStep(playground, "text_to_image");
}

async function addVideo(playground) {
  await putStep(playground, "text_to_image", "Image to video");
  await playground.fillIn({ prompt: "slow push in", duration_seconds: 1 });
  await addStep(playground, "image_to_video");
}

/** Starts the new pipeline. */
async function start({ page }, count) {
  await page
    .locator(".draft")
    .getByRole("button", { name: `Run ${count} steps` })
    .press("Enter");
  await page.locator(".pipeline").first().waitFor();
}

const reaches = ({ page }, state) =>
  page.locator(`.pipeline[data-state="${state}"]`).waitFor();
/** Waits until the steps of the shown pipeline are in these states. */
const hasStates = ({ page }, ...states) =>
  hasData(page.locator(".steps > li"), "state", states);
/** Waits until the new pipeline has these steps. */
const hasDraft = ({ page }, ...names) =>
  hasData(page.locator(".draft [data-step]"), "step", names);
const hasNoDraft = ({ page }) =>
  page.locator(".task.new").waitFor({ state: "detached" });
const hasData = (elements, name, expected) =>
  eventually(
    () =>
      elements.evaluateAll(
        (all, name) => all.map((element) => element.dataset[name]),
        name,
      ),
    expected,
  );
/** Shows a step of the shown pipeline. */
const showStep = ({ stage }, number) =>
  stage
    .locator(".steps button")
    .nth(number - 1)
    .press("Enter");
/** Waits until the shown step has a task. */
const hasTask = ({ stage }) => stage.locator("> header h3").waitFor();
const listsNoTasks = async ({ page }) =>
  assert.equal(await page.locator(".task[data-task]").count(), 0);
/** The part of the stage that is about a pipeline, and not about one of its steps. */
const head = ({ stage }) => stage.locator("> header").first();
const notice = (page, text) => page.locator(".notice", { hasText: text });

/** Opens another tab of the person. */
async function openTab({ page }) {
  const tab = new Playground(await page.context().newPage(), suited.stack.url);
  await tab.page.goto(suited.stack.url);
  return tab;
}

/** Makes the emulator fail a request of a path. */
function fail(t, path, words) {
  // A test that fails before the fault would leave it to the next one.
  t.after(() => suited.scene({ faults: [] }));
  return suited.scene({ faults: [{ path, do: words, times: 1 }] });
}

test("a film of three steps is made while the page is closed", async (t) => {
  const playground = await open(t, "text_to_image");
  const { page } = playground;
  await addPicture(playground);
  await addVideo(playground);
  await putStep(playground, "image_to_video", "Add audio to video");
  await playground.has("video_file_id", "Image to video");
  await playground.choose("audio_file_id", sound(9_000, "song.wav"));
  // The new pipeline stays when the page is left.
  await playground.written();
  await playground.reload();
  await hasDraft(playground, "text_to_image", "image_to_video");
  await playground.has("video_file_id", "Image to video");
  await playground
    .field("video_file_id")
    .getByText("from a step of the pipeline")
    .waitFor();
  await playground.has("audio_file_id", "song.wav");
  assert.equal(await playground.button("Run", { exact: true }).count(), 0);
  await addStep(playground, "add_audio_to_video");
  const [, , song] = await page.locator(".draft .what").allInnerTexts();
  assert.match(song, /Video: from Image to video\nAudio: song.wav/);
  await playground.press("Estimate the cost", page.locator(".draft"));
  await page
    .locator(".draft")
    .getByText("About 16 emulated credits. Nothing is charged. Examples stand")
    .waitFor();
  await page.locator(".draft .step", { hasText: "10 credits" }).waitFor();
  await page.locator(".draft").getByLabel("Title").fill("Lighthouse");
  await start(playground, 3);
  await hasNoDraft(playground);
  await playground.has("video_file_id");
  await page.close();

  const other = await openTab(playground);
  await reaches(other, "SUCCEEDED");
  await other.pick("Lighthouse");
  assert.match(
    await head(other).innerText(),
    /Lighthouse[\s\S]*Done · 3 of 3 steps/,
  );
  await other.stage.locator(".result video").waitFor();
  const steps = other.page.locator(".steps > li");
  const pictures = steps.locator("img");
  await hasData(pictures, "medium", ["image", "video", "video"]);
  await hasData(steps, "from", [undefined, "", ""]);
  // Its tasks are inside of it.
  await listsNoTasks(other);
  const creates = /\/(generate|process)\//;
  assert.deepEqual(
    [playground.count("POST", creates), other.count("POST", creates)],
    [0, 0],
  );
  assert.equal(playground.count("POST", /\/pipelines$/), 1);
  assert.deepEqual([...playground.pageErrors, ...other.pageErrors], []);
});

test("a failed step is corrected in a copy of the rest, or resumed, and successful ones do not run again", async (t) => {
  const playground = await open(t, "text_to_image");
  const { page } = playground;
  const draftCard = page.locator(".draft");
  await addPicture(playground);
  await playground.press("Added as a step");
  await playground.press(
    "Add it again",
    notice(page, "This is already step 1 of the new pipeline"),
  );
  await hasDraft(playground, "text_to_image", "text_to_image_2");
  await playground.press("Undo", notice(page, "Added as step 2"));
  await hasDraft(playground, "text_to_image");
  await addVideo(playground);
  assert.equal(
    await draftCard
      .getByRole("button", { name: "Remove Text to image" })
      .count(),
    0,
  );
  await playground.press("Edit Text to image", draftCard);
  await playground.showsForm("Text to image");
  await playground.fill("prompt", "a paper boat");
  await playground.press("Save the step", page.locator(".form"));
  await draftCard.getByText("“a paper boat”").waitFor();

  // Other tabs show the new pipeline as it changes.
  const other = await openTab(playground);
  await hasDraft(other, "text_to_image", "image_to_video");
  await playground.press("Remove Image to video", draftCard);
  await hasDraft(other, "text_to_image");
  await playground.press("Undo", notice(page, "Removed the step “Image"));
  await hasDraft(other, "text_to_image", "image_to_video");

  await fail(t, "generate/video/*", "state=FAILED");
  await start(playground, 2);
  await reaches(playground, "FAILED");
  await hasStates(playground, "SUCCEEDED", "FAILED");
  await playground.stage.getByText("The task failed").waitFor();
  await showStep(playground, 1);
  const still = await playground.results();

  // The other tab resumes it, and this one shows that when it comes into view.
  await other.page.reload();
  await other.pick("Pipeline");
  await playground.press("Resume", other.stage);
  await reaches(other, "SUCCEEDED");
  await hasFocus(other.page.locator("#stage-heading"));
  await playground.readsHistory();
  await hasStates(playground, "SUCCEEDED", "SUCCEEDED");
  await showStep(playground, 1);
  assert.deepEqual(await playground.results(), still);
  await listsNoTasks(playground);

  // The forms that it was built from outlive the page.
  await page.reload();
  await playground.pick("Pipeline");
  await playground.more("Show the code", head(playground));
  const code = page.getByRole("dialog", { name: "The pipeline in code" });
  await code.getByText("file_id: textToImage,").waitFor();
  await playground.closeDialog();
  await playground.more("Edit a copy", head(playground));
  await hasFocus(page.locator("#draft-heading"));
  await fail(t, "generate/video/*", "state=FAILED");
  await start(playground, 2);
  await playground.press("Correct Image to video");
  await hasDraft(playground, "image_to_video");
  await playground.showsForm("Image to video");
  await playground.has("file_id", "Text to image");
  await playground.fill("prompt", "a slower push in");
  await playground.press("Save the step", page.locator(".form"));
  await notice(page, "Saved step 1").waitFor();
  await playground.press("Run 1 step", draftCard);
  await hasStates(playground, "SUCCEEDED");
  assert.deepEqual([...playground.pageErrors, ...other.pageErrors], []);
});

test("each ready-made pipeline begins with one click, and runs", async (t) => {
  const playground = await open(t, "text_to_image", { viewport: WIDE });
  const { page } = playground;
  const names = ["Make a film", "Product clip", "Talking host", "Cut-downs"];
  for (const name of names) {
    await playground.press(name, page.locator(".capabilities"));
    await start(playground, 3);
    await hasNoDraft(playground);
  }
  await eventually(
    () =>
      page
        .locator('.pipeline[data-state="SUCCEEDED"] h3')
        .evaluateAll((all) => all.map((element) => element.textContent.trim())),
    names.toReversed(),
  );
  assert.deepEqual(playground.pageErrors, []);
});

test("a stop ends unsent steps, and a removed pipeline and its tasks do not come back", async (t) => {
  const playground = await open(t, "text_to_image");
  const { page } = playground;
  await addPicture(playground, "emulate: seconds=20");
  await addVideo(playground);
  await start(playground, 2);
  await hasTask(playground);
  await showStep(playground, 2);
  await playground.stage.getByText("Waits for Text to image").waitFor();
  await playground.press("Stop Pipeline");
  await page.locator(".stage .step", { hasText: "not sent" }).waitFor();
  await reaches(playground, "CANCELLED");
  await playground.press("Remove Pipeline");
  await page.locator(".pipeline").waitFor({ state: "detached" });
  // A read of the history meanwhile does not end the chance to undo.
  await playground.readsHistory();
  await playground.press("Undo", notice(page, "Removed"));
  await hasFocus(playground.taskHeading("Pipeline"));
  await hasTask(playground);
  assert.equal(playground.count("DELETE", /./), 0);
  await playground.press("Remove Pipeline");
  await notice(page, "Removed").waitFor();
  // A reload does not end it either, but would end a write that has only begun.
  await playground.written();
  await readTasks(page);
  await playground.reload();
  const view = playground.button("Recently removed");
  await view.press("Enter");
  await playground.press("Restore Pipeline");
  await playground.closeDialog();
  await playground.pick("Pipeline");
  await hasTask(playground);
  assert.equal(playground.count("DELETE", /./), 0);
  await playground.press("Remove Pipeline");
  await view.press("Enter");
  await playground.press("Delete Pipeline for good");
  await eventually(() => playground.count("DELETE", /\/pipelines\//), 1);
  await eventually(() => playground.count("DELETE", /\/tasks\//), 1);
  await playground.reload();
  await playground.readsHistory();
  await page.getByRole("heading", { name: "Try one of these" }).waitFor();
  assert.equal(await page.locator(".task").count(), 0);
});

test("a start with errors is marked in the form, and one whose response is lost is repeated, and starts one pipeline", async (t) => {
  const playground = await open(t, "text_to_image");
  const { page } = playground;
  const isStart = "**/api/app/v1/pipelines";
  await playground.press("Add as a step", page.locator(".form"));
  await playground.field("prompt").getByText("is missing. Write it.").waitFor();
  assert.equal(await page.locator(".draft").count(), 0);
  await addPicture(playground);
  // The gateway only recognises the repetition if its file has the id of the first start.
  await playground.go("background_removal");
  await playground.choose("file_id", png(64, 48));
  await addStep(playground, "background_removal");
  await page.route(isStart, async (route) => {
    await forward(route);
    await route.abort();
  });
  await playground.press("Run 2 steps", page.locator(".draft"));
  const unknown = page
    .locator(".draft")
    .getByText("It is unknown whether the pipeline was started");
  await unknown.waitFor();
  await page.unroute(isStart);
  await page.reload();
  await unknown.waitFor();
  await reaches(playground, "SUCCEEDED");
  await playground.pick("New pipeline");
  const starts = () =>
    playground.requests.filter(
      ({ method, path }) => method === "POST" && path.endsWith("/pipelines"),
    );
  const lost = starts().length;
  await playground.press("Run 2 steps", page.locator(".draft"));
  await hasNoDraft(playground);
  assert.equal(await page.locator(".pipeline").count(), 1);
  const keys = starts().map(({ headers }) => headers["idempotency-key"]);
  assert.equal(new Set(keys).size, 1);
  assert.ok(lost > 0 && keys.length > lost);
  assert.equal(playground.count("POST", /\/upload_urls$/), 1);
});
