// Pipelines: built from forms, run by the gateway while the page is closed, and resumed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { tone, wav } from "../support/fixtures.mjs";
import { forward } from "../support/forward.mjs";
import { eventually, file, Playground } from "./playground.mjs";
import { suite } from "./suite.mjs";

const suited = suite({ flags: ["--task-seconds", "0.8"] });
const { open } = suited;

/** Puts a step of the new pipeline into a field by “Use in…”. */
async function putStep(playground, name, target) {
  const step = playground.page.locator(`.draft [data-step="${name}"]`);
  await step.getByText("Use in…").press("Enter");
  await step.getByRole("button", { name: target, exact: true }).press("Enter");
  await playground.page
    .locator(".notice", { hasText: "was put into the form" })
    .last()
    .waitFor();
  await playground.showsForm(target);
}

async function addStep(playground, name) {
  await playground.page
    .locator(".form")
    .getByRole("button", { name: "Add as a step" })
    .press("Enter");
  await playground.page.locator(`.draft [data-step="${name}"]`).waitFor();
}

async function addPicture(playground, title = "") {
  await playground.fill("prompt", "a lighthouse");
  await playground.fill("width", "160");
  await playground.fill("height", "120");
  if (title) await playground.fill("title", title);
  await addStep(playground, "text_to_image");
}

async function addVideo(playground) {
  await putStep(playground, "text_to_image", "Image to video");
  await playground.fill("prompt", "slow push in");
  await playground.fill("duration_seconds", "1");
  await addStep(playground, "image_to_video");
}

/** Starts what is built. */
async function start({ page }, count) {
  await page
    .locator(".draft")
    .getByRole("button", { name: `Run ${count} steps` })
    .press("Enter");
  await page.locator(".pipeline").waitFor();
}

const reaches = ({ page }, state) =>
  page.locator(`.pipeline[data-state="${state}"]`).waitFor();
/** The states of the pipeline's steps, or of their tasks. */
const states = ({ page }) =>
  page
    .locator(".steps > li")
    .evaluateAll((all) => all.map((it) => it.dataset.state));
const draft = ({ page }) =>
  page
    .locator(".draft [data-step]")
    .evaluateAll((all) => all.map((it) => it.dataset.step));
const chosen = (playground, field) =>
  playground.field(field).locator(".files .name").allInnerTexts();

/** Has the emulator fail requests of a path. */
const fail = async (path, words) => {
  const init = {
    method: "PATCH",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ faults: [{ path, do: words, times: 1 }] }),
  };
  assert.ok((await fetch(`${suited.stack.admin}/scene`, init)).ok);
};

test("a film of three steps is made while the page is closed", async (t) => {
  const playground = await open(t, "text_to_image");
  const { page } = playground;
  await addPicture(playground);
  await addVideo(playground);
  await putStep(playground, "image_to_video", "Add audio to video");
  await eventually(
    () => chosen(playground, "video_file_id"),
    ["Image to video"],
  );
  await playground.choose(
    "audio_file_id",
    file("song.wav", "audio/wav", wav(tone(9_000))),
  );
  // What is built stays when the page is left.
  await playground.written();
  await page.reload();
  await playground.connected();
  await eventually(
    () => draft(playground),
    ["text_to_image", "image_to_video"],
  );
  await eventually(
    () => chosen(playground, "video_file_id"),
    ["Image to video"],
  );
  await playground
    .field("video_file_id")
    .getByText("from a step of the pipeline")
    .waitFor();
  await eventually(() => chosen(playground, "audio_file_id"), ["song.wav"]);
  assert.equal(
    await page.getByRole("button", { name: "Run", exact: true }).count(),
    0,
  );
  await addStep(playground, "add_audio_to_video");
  await page.locator(".draft").getByLabel("Title").fill("Lighthouse");
  await start(playground, 3);
  await eventually(() => draft(playground), []);
  await eventually(() => chosen(playground, "video_file_id"), []);
  assert.equal(
    await page.locator(".pipeline").getAttribute("data-state"),
    "RUNNING",
  );
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
    /Lighthouse[\s\S]*SUCCEEDED · 3 of 3 steps/,
  );
  const film = card.locator(".steps > li").nth(2).locator(".result video");
  await film.waitFor();
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

test("a step that failed is resumed, and what succeeded is not run again", async (t) => {
  const playground = await open(t, "text_to_image");
  await addPicture(playground);
  await addVideo(playground);
  await fail("generate/video/*", "state=FAILED");
  await start(playground, 2);
  await reaches(playground, "FAILED");
  await eventually(() => states(playground), ["SUCCEEDED", "FAILED"]);
  const { page } = playground;
  const still = await page
    .locator(".steps [data-task]")
    .first()
    .getAttribute("data-task");
  await page.locator(".steps").getByText("The task failed").waitFor();

  // Another tab of the same person resumes it; this one shows so when it comes into view.
  const other = new Playground(
    await page.context().newPage(),
    suited.stack.url,
  );
  await other.page.goto(suited.stack.url);
  await other.page.getByRole("button", { name: "Resume" }).press("Enter");
  await reaches(other, "SUCCEEDED");
  await eventually(
    () =>
      other.page.evaluate(() => document.activeElement?.textContent?.trim()),
    "Pipeline",
  );
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

test("what is not sent is stopped; removed, it does not come back, and its tasks neither", async (t) => {
  const playground = await open(t, "text_to_image");
  const { page } = playground;
  await addPicture(playground, "emulate: seconds=6");
  await addVideo(playground);
  await start(playground, 2);
  await page.getByText("waits for Text to image").waitFor();
  await page.locator(".steps [data-task]").waitFor();
  await page.getByRole("button", { name: "Stop Pipeline" }).click();
  await page.locator(".steps .step", { hasText: "not sent" }).waitFor();
  await reaches(playground, "CANCELLED");
  await page.getByRole("button", { name: "Remove Pipeline" }).click();
  await page.locator(".pipeline").waitFor({ state: "detached" });
  // The history that is read meanwhile does not end what can be undone.
  await playground.readsHistory();
  await page
    .locator(".notice", { hasText: "Removed" })
    .getByRole("button", { name: "Undo" })
    .click();
  await page.locator(".pipeline .steps [data-task]").waitFor();
  assert.equal(playground.count("DELETE", /./), 0);
  await page.getByRole("button", { name: "Remove Pipeline" }).click();
  await page
    .locator(".notice", { hasText: "Removed" })
    .getByRole("button", { name: "Dismiss" })
    .click();
  await eventually(() => playground.count("DELETE", /\/pipelines\//), 1);
  await eventually(() => playground.count("DELETE", /\/tasks\//), 1);
  const history = page.waitForResponse((it) =>
    /\/tasks$/.test(new URL(it.url()).pathname),
  );
  await page.reload();
  await (await history).finished();
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
  await page
    .locator(".draft")
    .getByRole("button", { name: "Run 2 steps" })
    .press("Enter");
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
    (it) => it.method === "POST" && it.path.endsWith("/pipelines"),
  );
  assert.equal(
    new Set(sent.map((it) => it.headers["idempotency-key"])).size,
    1,
  );
  assert.ok(keys.length > 0 && sent.length > keys.length);
});

test("a step is changed, and removed where no other uses it", async (t) => {
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
  await draftCard.getByRole("button", { name: "Show the code" }).click();
  const code = page.getByRole("dialog", { name: "The pipeline in code" });
  await code.getByText("file_id: textToImage,").waitFor();
  await page.keyboard.press("Escape");
  await code.waitFor({ state: "hidden" });
  await draftCard.getByRole("button", { name: "Edit Text to image" }).click();
  await playground.showsForm("Text to image");
  await playground.fill("prompt", "a paper boat");
  await page
    .locator(".form")
    .getByRole("button", { name: "Save the step" })
    .click();
  await draftCard
    .getByText("“a paper boat” · used by Image to video")
    .waitFor();
  assert.deepEqual(await draft(playground), [
    "text_to_image",
    "image_to_video",
  ]);
  await draftCard
    .getByRole("button", { name: "Remove Image to video" })
    .click();
  await page
    .locator(".notice", { hasText: "Removed the step" })
    .getByRole("button", { name: "Undo" })
    .click();
  await eventually(
    () => draft(playground),
    ["text_to_image", "image_to_video"],
  );
  const tab = new Playground(await page.context().newPage(), suited.stack.url);
  await tab.page.goto(suited.stack.url);
  await eventually(() => draft(tab), ["text_to_image", "image_to_video"]);
  await draftCard
    .getByRole("button", { name: "Remove Image to video" })
    .click();
  await eventually(() => draft(tab), ["text_to_image"]);
  await tab.page.close();
  await draftCard.getByRole("button", { name: "Remove Text to image" }).click();
  await draftCard.waitFor({ state: "detached" });
  // Without its step, the form can be run by itself again.
  await playground.go("image_to_video");
  await eventually(() => chosen(playground, "file_id"), []);
  await page.getByRole("button", { name: "Run", exact: true }).waitFor();
});

test("what is wrong is marked in the form, or named beside its step", async (t) => {
  const playground = await open(t, "text_to_image");
  const { page } = playground;
  await page
    .locator(".form")
    .getByRole("button", { name: "Add as a step" })
    .click();
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
  await page
    .locator(".draft")
    .getByRole("button", { name: "Run 1 step" })
    .click();
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
  await page
    .locator(".draft")
    .getByRole("button", { name: "Run 1 step" })
    .click();
  await page
    .locator(".draft")
    .getByText("This gateway runs no pipelines")
    .waitFor();
});
