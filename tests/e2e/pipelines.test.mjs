// Pipelines: built from forms, run by the gateway while the page is closed, and resumed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { forward } from "../support/forward.mjs";
import { sourceModule } from "../support/source.mjs";
import { eventually, hasFocus, Playground, sound } from "./playground.mjs";
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
/** Returns the states of the pipeline's steps, or of their tasks. */
const states = ({ page }) =>
  page
    .locator(".steps > li")
    .evaluateAll((all) => all.map((element) => element.dataset.state));
const draft = ({ page }) =>
  page
    .locator(".draft [data-step]")
    .evaluateAll((all) => all.map((element) => element.dataset.step));
const notice = (page, text) => page.locator(".notice", { hasText: text });

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
  await eventually(
    () => draft(playground),
    ["text_to_image", "image_to_video"],
  );
  await playground.has("video_file_id", "Image to video");
  await playground
    .field("video_file_id")
    .getByText("from a step of the pipeline")
    .waitFor();
  await playground.has("audio_file_id", "song.wav");
  assert.equal(
    await page.getByRole("button", { name: "Run", exact: true }).count(),
    0,
  );
  await addStep(playground, "add_audio_to_video");
  const [, film, song] = await page.locator(".draft .what").allInnerTexts();
  assert.deepEqual(film.split("\n"), [
    "Image to video",
    "“slow push in”",
    "Image: from Text to image",
    "Duration (seconds) 1",
  ]);
  assert.match(song, /Video: from Image to video\nAudio: song.wav/);
  await playground.press("Estimate the cost", page.locator(".draft"));
  await page
    .locator(".draft")
    .getByText("About 16 emulated credits. Nothing is charged. Examples stand")
    .waitFor();
  await page.locator(".draft .step", { hasText: "10 credits" }).waitFor();
  await page.locator(".draft").getByLabel("Title").fill("Lighthouse");
  await start(playground, 3);
  await eventually(() => draft(playground), []);
  await playground.has("video_file_id");
  await page.close();

  const other = new Playground(
    await page.context().newPage(),
    suited.stack.url,
  );
  await other.page.goto(suited.stack.url);
  await reaches(other, "SUCCEEDED");
  await eventually(
    () => states(other),
    ["SUCCEEDED", "SUCCEEDED", "SUCCEEDED"],
  );
  const card = other.page.locator(".pipeline");
  assert.match(
    await card.locator("header").first().innerText(),
    /Lighthouse[\s\S]*Done · 3 of 3 steps/,
  );
  await card.locator(".steps > li").nth(2).locator(".result video").waitFor();
  await card.locator("header button[aria-expanded]").first().press("Enter");
  const flow = card.locator(".flow > li");
  await eventually(
    () =>
      flow
        .locator("img, video")
        .evaluateAll((all) => all.map((element) => element.localName)),
    ["img", "video", "video"],
  );
  assert.deepEqual(
    await flow.evaluateAll((all) => all.map((element) => element.dataset.from)),
    [undefined, "", ""],
  );
  assert.equal(
    await other.page.locator(".tasks > ul > .task").count(),
    0,
    "its tasks are inside of it",
  );
  const creates = /\/(generate|process)\//;
  assert.deepEqual(
    [playground.count("POST", creates), other.count("POST", creates)],
    [0, 0],
  );
  assert.equal(playground.count("POST", /\/pipelines$/), 1);
  assert.deepEqual([...playground.pageErrors, ...other.pageErrors], []);
});

test("a failed step is resumed, and successful ones do not run again", async (t) => {
  const playground = await open(t, "text_to_image");
  await addPicture(playground);
  await addVideo(playground);
  await fail(t, "generate/video/*", "state=FAILED");
  await start(playground, 2);
  await reaches(playground, "FAILED");
  await eventually(() => states(playground), ["SUCCEEDED", "FAILED"]);
  const { page } = playground;
  const still = await page
    .locator(".steps [data-task]")
    .first()
    .getAttribute("data-task");
  await page.locator(".steps").getByText("The task failed").waitFor();

  // Another tab of the person resumes it, and this one shows that when it comes into view.
  const other = new Playground(
    await page.context().newPage(),
    suited.stack.url,
  );
  await other.page.goto(suited.stack.url);
  await playground.press("Resume", other.page);
  await reaches(other, "SUCCEEDED");
  await hasFocus(other.taskHeading("Pipeline"));
  await playground.readsHistory();
  await reaches(playground, "SUCCEEDED");
  await eventually(() => states(playground), ["SUCCEEDED", "SUCCEEDED"]);
  assert.equal(
    await page.locator(".steps [data-task]").first().getAttribute("data-task"),
    still,
  );
  assert.equal(
    await page.locator(".tasks > ul > .task").count(),
    0,
    "the failed attempt is not in the way",
  );
  assert.deepEqual([...playground.pageErrors, ...other.pageErrors], []);
});

test("a failed step is corrected: the rest becomes a new pipeline with the finished results", async (t) => {
  const playground = await open(t, "text_to_image");
  const { page } = playground;
  await addPicture(playground);
  await notice(page, "Added as step 1 of the new pipeline").waitFor();
  await playground.press("Added as a step");
  await notice(page, "This is already step 1 of the new pipeline").waitFor();
  assert.deepEqual(await draft(playground), ["text_to_image"]);
  await playground.press(
    "Add it again",
    notice(page, "This is already step 1"),
  );
  await eventually(
    () => draft(playground),
    ["text_to_image", "text_to_image_2"],
  );
  await playground.press("Undo", notice(page, "Added as step 2"));
  await eventually(() => draft(playground), ["text_to_image"]);
  await addVideo(playground);
  await fail(t, "generate/video/*", "state=FAILED");
  await start(playground, 2);
  await reaches(playground, "FAILED");

  // The forms that it was built from outlive the page.
  await page.reload();
  const card = page.locator(".pipeline").first();
  await card
    .getByRole("button", { name: "Show the code" })
    .last()
    .press("Enter");
  const code = page.getByRole("dialog");
  await code.getByText("file_id: textToImage,").waitFor();
  await playground.closeDialog();
  await playground.press("Edit a copy", card);
  await eventually(
    () => draft(playground),
    ["text_to_image", "image_to_video"],
  );
  await hasFocus(page.getByRole("heading", { name: "New pipeline" }));
  await playground.press("Correct Image to video", card);
  await eventually(() => draft(playground), ["image_to_video"]);
  await playground.showsForm("Image to video");
  await playground.has("file_id", "Text to image");
  await playground.fill("prompt", "a slower push in");
  await playground.press("Save the step", page.locator(".form"));
  await notice(page, "Saved step 1").waitFor();
  await playground.press("Run 1 step", page.locator(".draft"));
  await reaches(playground, "SUCCEEDED");
  await eventually(() => states(playground), ["SUCCEEDED"]);
  assert.deepEqual(playground.pageErrors, []);
});

test("the rest of a pipeline leaves out steps that may have cost credits already", async () => {
  const { remaining } = await sourceModule("pipelines/remaining.ts");
  const built = [
    { name: "picture", values: {} },
    {
      name: "film",
      values: { file_id: { step: "picture", name: "Picture", kind: "image" } },
    },
    {
      name: "small",
      values: { input_file_id: { step: "film", name: "Film" } },
    },
    { name: "talk", values: {} },
    {
      name: "short",
      values: { input_file_id: { step: "talk", name: "Talk" } },
    },
  ];
  const output = (kind, position) => ({ kind, taskId: "t", output: position });
  const outputs = [output("video", 0), output("image", 1)];
  const steps = [
    { name: "picture", state: "SUCCEEDED", uses: [], outputs },
    { name: "film", state: "FAILED", uses: ["picture"], outputs: [] },
    { name: "small", state: "SKIPPED", uses: ["film"], outputs: [] },
    { name: "talk", state: "UNKNOWN", uses: [], outputs: [] },
    { name: "short", state: "SKIPPED", uses: ["talk"], outputs: [] },
  ];
  const [film, small, ...others] = remaining(built, steps);
  assert.deepEqual(others, []);
  assert.deepEqual(film.values.file_id, {
    ...output("image", 1),
    name: "Picture",
  });
  assert.deepEqual(small, built[2]);
});

test("each ready-made pipeline begins with one click, and runs", async (t) => {
  const playground = await open(t, "text_to_image");
  const { page } = playground;
  const plans = {
    "Product clip": [
      "background_removal",
      "image_to_video",
      "add_audio_to_video",
    ],
    "Talking host": ["text_to_image", "image_audio_driven", "resize_video"],
    "Cut-downs": ["subtitle_removal", "split_video", "resize_video"],
  };
  for (const [name, steps] of Object.entries(plans)) {
    await page.getByRole("button", { name, exact: true }).press("Enter");
    await eventually(() => draft(playground), steps);
    await start(playground, 3);
    await eventually(() => draft(playground), []);
  }
  await eventually(
    () =>
      page
        .locator('.pipeline[data-state="SUCCEEDED"] h3')
        .evaluateAll((all) => all.map((element) => element.textContent.trim())),
    Object.keys(plans).toReversed(),
  );
  assert.deepEqual(playground.pageErrors, []);
});

test("a stop ends unsent steps, and a removed pipeline and its tasks do not come back", async (t) => {
  const playground = await open(t, "text_to_image");
  const { page } = playground;
  await addPicture(playground, "emulate: seconds=20");
  await addVideo(playground);
  await start(playground, 2);
  await page.getByText("waits for Text to image").waitFor();
  await page.locator(".steps [data-task]").waitFor();
  await playground.press("Stop Pipeline");
  await page.locator(".steps .step", { hasText: "not sent" }).waitFor();
  await reaches(playground, "CANCELLED");
  await playground.press("Remove Pipeline");
  await page.locator(".pipeline").waitFor({ state: "detached" });
  // A read of the history meanwhile does not end the chance to undo.
  await playground.readsHistory();
  await playground.press("Undo", notice(page, "Removed"));
  await page.locator(".pipeline .steps [data-task]").waitFor();
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
  await page.locator(".pipeline .steps [data-task]").waitFor();
  assert.equal(playground.count("DELETE", /./), 0);
  await playground.press("Remove Pipeline");
  await view.press("Enter");
  await playground.press("Delete Pipeline for good");
  await eventually(() => playground.count("DELETE", /\/pipelines\//), 1);
  await eventually(() => playground.count("DELETE", /\/tasks\//), 1);
  await playground.reload();
  await playground.readsHistory();
  await page
    .getByText("Run a capability, and its task appears here.")
    .waitFor();
  assert.equal(await page.locator(".task").count(), 0);
});

test("a start whose response is lost is repeated, and starts one pipeline", async (t) => {
  const playground = await open(t, "text_to_image");
  const { page } = playground;
  await addPicture(playground);
  await addVideo(playground);
  const keys = [];
  await page.route("**/api/app/v1/pipelines", async (route) => {
    keys.push(route.request().headers()["idempotency-key"]);
    await forward(route);
    await route.abort();
  });
  await playground.press("Run 2 steps", page.locator(".draft"));
  await page
    .locator(".draft")
    .getByText("It is unknown whether the pipeline was started")
    .waitFor();
  await page.unroute("**/api/app/v1/pipelines");
  await page.reload();
  await page
    .locator(".draft")
    .getByText("It is unknown whether the pipeline was started")
    .waitFor();
  await reaches(playground, "SUCCEEDED");
  await start(playground, 2);
  await eventually(() => draft(playground), []);
  assert.equal(await page.locator(".pipeline").count(), 1);
  const sent = playground.requests.filter(
    (request) =>
      request.method === "POST" && request.path.endsWith("/pipelines"),
  );
  assert.equal(
    new Set(sent.map((request) => request.headers["idempotency-key"])).size,
    1,
  );
  assert.ok(keys.length > 0 && sent.length > keys.length);
});

test("a step can be changed, and removed if no other uses it", async (t) => {
  const playground = await open(t, "text_to_image");
  const { page } = playground;
  await addPicture(playground);
  await addVideo(playground);
  const draftCard = page.locator(".draft");
  assert.equal(
    await draftCard
      .getByRole("button", { name: "Remove Text to image" })
      .count(),
    0,
  );
  await playground.press("Show the code", draftCard);
  const code = page.getByRole("dialog", { name: "The pipeline in code" });
  await code.getByText("file_id: textToImage,").waitFor();
  await playground.closeDialog();
  await playground.press("Edit Text to image", draftCard);
  await playground.showsForm("Text to image");
  await playground.fill("prompt", "a paper boat");
  await playground.press("Save the step", page.locator(".form"));
  await draftCard.getByText("“a paper boat”").waitFor();
  assert.deepEqual(await draft(playground), [
    "text_to_image",
    "image_to_video",
  ]);
  await playground.press("Remove Image to video", draftCard);
  await playground.press("Undo", notice(page, "Removed the step"));
  await eventually(
    () => draft(playground),
    ["text_to_image", "image_to_video"],
  );
  const tab = new Playground(await page.context().newPage(), suited.stack.url);
  await tab.page.goto(suited.stack.url);
  await eventually(() => draft(tab), ["text_to_image", "image_to_video"]);
  await playground.press("Remove Image to video", draftCard);
  await eventually(() => draft(tab), ["text_to_image"]);
  await tab.page.close();
  await playground.press("Remove Text to image", draftCard);
  await draftCard.waitFor({ state: "detached" });
  // Without its step, the form can be run by itself again.
  await playground.go("image_to_video");
  await playground.has("file_id");
  await page.getByRole("button", { name: "Run", exact: true }).waitFor();
});

test("an error is marked in the form, or described beside its step", async (t) => {
  const playground = await open(t, "text_to_image");
  const { page } = playground;
  await playground.press("Add as a step", page.locator(".form"));
  await playground.field("prompt").getByText("is missing. Write it.").waitFor();
  assert.equal(await page.locator(".draft").count(), 0);
  await addPicture(playground);
  const issue = {
    path: "steps.text_to_image.input.seed",
    reason: "out_of_range",
    message: "is too large",
  };
  const data = {
    reason: "invalid_fields",
    outcome: "not_sent",
    errors: [issue],
  };
  await page.route("**/api/app/v1/pipelines", (route) =>
    route.fulfill({
      status: 422,
      json: { code: 12, message: "1 problem", data },
    }),
  );
  await playground.press("Run 1 step", page.locator(".draft"));
  await page
    .locator(".draft .issues", { hasText: "Text to image Seed is too large" })
    .waitFor();
  await page.unroute("**/api/app/v1/pipelines");
  await page.route("**/api/app/v1/pipelines", (route) =>
    route.fulfill({
      status: 404,
      json: { code: 12, message: "no", data: { reason: "unknown_path" } },
    }),
  );
  await playground.press("Run 1 step", page.locator(".draft"));
  await page
    .locator(".draft")
    .getByText("This gateway runs no pipelines")
    .waitFor();
});
