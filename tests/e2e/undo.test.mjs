// A person can bring back what was removed, filled in or reset.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pdf } from "../support/fixtures.mjs";
import { BOAT, eventually, file, hasFocus, png } from "./playground.mjs";
import { suite } from "./suite.mjs";
import { changeTasks, finishedTask, listTasks, readTasks } from "./tasks.mjs";

const { open } = suite();

const notice = (page, text) => page.locator(".notice", { hasText: text });

const undo = (page, text) =>
  notice(page, text).getByRole("button", { name: "Undo" });

const prompt = (page) => page.locator("textarea[name=prompt]");

test("a removed task that runs comes back and is watched again", async (t) => {
  const playground = await open(t, "text_to_image_turbo");
  const { page } = playground;
  const release = await playground.holdReads();
  await playground.fillIn({ ...BOAT, title: "A boat" });
  await playground.submit();
  await playground.created();
  await eventually(() => playground.streams(), 1);
  await playground.press("Remove A boat");
  await notice(
    page,
    "Removed “A boat”. A running task goes on at the media service, and may be charged.",
  ).waitFor();
  await playground.task.waitFor({ state: "detached" });
  await eventually(() => playground.streams(), 0);
  await hasFocus(playground.stageHeading);
  await undo(page, "Removed").press("Enter");
  await notice(page, "Removed").waitFor({ state: "detached" });
  await hasFocus(playground.taskHeading("A boat"));
  await release();
  await playground.reaches("SUCCEEDED");
  assert.equal(playground.count("POST", /turbo$/), 1);
});

/** Resolves to the number of tasks whose inputs are stored. */
const storedInputs = async ({ page }) =>
  (await readTasks(page)).filter(({ metadata }) => metadata?.values).length;

test("finished tasks come back together, also after a reload, until they are deleted with their inputs, or a day has passed", async (t) => {
  const playground = await open(t, "background_removal");
  const { page } = playground;
  const cards = page.locator(".task");
  await playground.make({ file_id: png(40, 30, "before.png") });
  await listTasks(page, [4, 3, 2, 1].map(finishedTask));
  await page.reload();
  await cards.nth(4).waitFor();

  // Many are removed only after a question.
  await playground.press("Clear finished (5)");
  const dialog = page.getByRole("dialog", { name: "Remove 5 finished tasks?" });
  await dialog.waitFor();
  await playground.closeDialog();
  assert.equal(await cards.count(), 5);
  await playground.press("Clear finished (5)");
  await playground.press("Remove 5 tasks", dialog);
  await undo(page, "Removed 5 tasks").press("Enter");
  await hasFocus(playground.taskHeading("Remove background"));
  await playground.stage
    .getByText("Edit and run again")
    .waitFor({ state: "attached" });

  await playground.pick("Task 4");
  await playground.press("Remove Task 4");
  await hasFocus(playground.stageHeading);
  await playground.press("Clear finished (4)");
  await notice(page, "Removed 4 tasks").waitFor();
  await hasFocus(playground.tasksHeading);
  // A reload would end a write that has only begun.
  await readTasks(page);
  await playground.reload();
  await playground.readsHistory();
  assert.equal(await cards.count(), 0);
  assert.equal(await storedInputs(playground), 1);
  assert.equal(playground.count("DELETE", /\/tasks\//), 0);
  await playground.press("Recently removed");
  await playground.press("Restore all 5");
  await playground.closeDialog();
  await eventually(() => cards.count(), 5);

  await playground.pick("Task 1");
  await playground.press("Remove Task 1");
  await playground.press("Clear finished (4)");
  await playground.press("Recently removed");
  await playground.press("Restore Task 2");
  await eventually(() => cards.count(), 1);
  await playground.press("Delete Task 3 for good");
  await playground.press("Delete all…");
  await playground.press("Delete all 3 for good");
  await page.getByText("There is nothing to restore.").waitFor();
  await eventually(() => storedInputs(playground), 0);
  await eventually(() => playground.count("DELETE", /\/tasks\//) > 0, true);
  await playground.closeDialog();

  await changeTasks(page, (row) => ({
    ...row,
    metadata: { ...row.metadata, removedAt: Date.now() - 90_000_000 },
  }));
  await page.reload();
  await eventually(
    async () => (await readTasks(page)).some(({ saved }) => saved),
    false,
  );
});

test("a notice stays for 15 seconds, and longer while it has the focus; a phone's form is not covered", async (t) => {
  const playground = await open(t, "text_to_image_turbo", {
    viewport: { width: 390, height: 844 },
  });
  const { page } = playground;
  const reset = () => playground.moreOfForm("Reset");
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  await playground.fill("prompt", "a paper boat");
  await reset();
  await notice(page, "Reset the form").waitFor();
  // The notice's effects choose its edge, and begin its time.
  await page.clock.runFor(100);
  const shown = await page.locator(".notice").boundingBox();
  const buttons = await page.locator(".actions").boundingBox();
  assert.ok(
    shown.y + shown.height <= buttons.y ||
      shown.y >= buttons.y + buttons.height,
    "it covers the buttons",
  );
  await page.clock.runFor(15_000);
  await undo(page, "reset").focus();
  await page.clock.runFor(60_000);
  await undo(page, "reset").press("Enter");
  await eventually(() => prompt(page).inputValue(), "a paper boat");
  await reset();
  await notice(page, "Reset the form").waitFor();
  await page.mouse.move(0, 0);
  await page.clock.runFor(20_000);
  await notice(page, "Reset the form").waitFor({ state: "detached" });
});

test("a failed task is tried again without its form, and what another input replaces comes back", async (t) => {
  const playground = await open(t, "background_removal");
  const { page } = playground;
  const title = page.locator("input[name=title]");
  const failed = { file_id: png(40, 30), title: "emulate: state=FAILED" };
  await playground.make(failed, "FAILED");
  await playground.press("Remove a.png");
  await playground.fill("title", "something else");
  await playground.written();
  await playground.reload();
  await playground.press("Try again", playground.stage);
  await page.locator(".task").nth(1).waitFor();
  await playground.reaches("FAILED");
  await playground.has("file_id");
  assert.equal(await title.inputValue(), "something else");

  await playground.go("merge_pdf");
  await playground.task.getByRole("button").press("Enter");
  await playground.more("Edit and run again");
  await playground.showsForm("Remove background");
  await notice(page, "Filled the form from “emulate: state=FAILED”").waitFor();
  await playground.has("file_id", "a.png");
  await undo(page, "Filled the form").press("Enter");
  await playground.has("file_id");
  assert.equal(await title.inputValue(), "something else");
});

test("a file or an asset that a result replaced comes back, and a late result replaces nothing", async (t) => {
  const playground = await open(t, "split_pdf");
  const { page } = playground;
  const document = async (name) =>
    file(name, "application/pdf", await pdf([201, 202]));
  await playground.make({
    input_file_id: await document("two.pdf"),
    page_range: 2,
  });
  await playground.useIn("Split PDF");
  await playground.has("input_file_id", "Split PDF");
  await undo(page, "into the form").press("Enter");
  await playground.has("input_file_id", "two.pdf");

  // A result whose task has no id can only be moved by the page.
  const [url = ""] = await playground.results();
  await changeTasks(page, (row) => ({
    ...row,
    saved: { id: "", capability: "split_pdf", result: row.snapshot.raw },
  }));
  await page.route("**/api/app/v1/tasks?*", (route) =>
    route.fulfill({ status: 404, json: { code: 12 } }),
  );
  await page.reload();
  await page
    .locator(".stage[data-shows=task] canvas[data-drawn]")
    .first()
    .waitFor();
  const waiting = [];
  await page.route(url, (route) => void waiting.push(route));
  await playground.go("merge_pdf");
  await playground.press("Use the result Split PDF");
  await eventually(() => waiting.length, 1);
  await playground.choose("input_file_ids", await document("a.pdf"));
  await playground.has("input_file_ids", "a.pdf");
  await waiting[0].continue();
  await playground.has("input_file_ids", "a.pdf", "split-pdf.pdf");

  await changeTasks(page, (row) => ({
    ...row,
    saved: { ...row.saved, result: { outputs: [{ asset_id: "avatar-123" }] } },
  }));
  await page.reload();
  await playground.pick("Split PDF");
  await playground.useIn("Talking avatar from audio");
  const input = playground.field("avatar_asset_id").locator("input[type=text]");
  await eventually(() => input.inputValue(), "avatar-123");
  await undo(page, "Put the asset").press("Enter");
  await eventually(() => input.inputValue(), "");
});
