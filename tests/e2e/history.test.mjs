// The list of tasks has no limit, and is shared between tabs. Tasks that were made in another
// browser with the same session join it, and removed ones stay removed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { BOAT, eventually, hasFocus, Playground } from "./playground.mjs";
import { suite } from "./suite.mjs";
import { finishedTask, listTasks, readTasks } from "./tasks.mjs";

const { open } = suite();

/** Opens a page with this many tasks of the history. */
async function openWith(t, count) {
  const playground = await open(t, "text_to_image_turbo");
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  await listTasks(
    playground.page.context(),
    numbers.map(finishedTask).reverse(),
  );
  await playground.page.reload();
  await playground.task.waitFor();
  return playground;
}

test("only some of 2,000 tasks are tiles, a button adds more, and the search finds any", async (t) => {
  const playground = await openWith(t, 2000);
  const { page } = playground;
  const tiles = page.locator(".task");
  await eventually(() => tiles.count(), 40);
  const more = playground.button("Show 40 more");
  await more.focus();
  await page.keyboard.press("Enter");
  await eventually(() => tiles.count(), 80);
  await hasFocus(more);
  await page.getByLabel("Search tasks").fill("TASK 1321");
  await page.getByText("1 of 2000 tasks match").waitFor();
  await eventually(() => tiles.count(), 1);
  await playground.pick("Task 1321");
  assert.deepEqual(playground.pageErrors, []);
});

test("two tabs see each other's changes, and overwrite none", async (t) => {
  const playground = await openWith(t, 8);
  const { page } = playground;
  const other = new Playground(await page.context().newPage(), playground.url);
  await other.show("text_to_image_turbo");
  await playground.pick("Task 8");
  await playground.press("Remove Task 8");
  await other.taskHeading("Task 8").waitFor({ state: "detached" });
  await other.pick("Task 7");
  await other.press("Remove Task 7");
  await playground.taskHeading("Task 7").waitFor({ state: "detached" });
  // A reload would end a write that has only begun.
  await readTasks(page);
  await page.reload();
  await playground.task.waitFor();
  await eventually(() => page.locator(".task").count(), 6);
});

/** Opens a second browser with the first one's session, and no other data of it. */
async function openElsewhere(t, { page }) {
  const playground = await open(t, "text_to_image_turbo");
  const session = await page.evaluate(() => ({ ...localStorage }));
  const entries = Object.entries(session).filter(([name]) =>
    name.startsWith("mediagate:"),
  );
  assert.equal(entries.length, 1, Object.keys(session).join());
  await playground.page.evaluate((all) => {
    for (const [name, value] of all) localStorage.setItem(name, value);
  }, entries);
  await playground.reload();
  return playground;
}

/** Removes a task, and deletes it before the day ends in which it could be restored. */
async function remove(playground, title) {
  await playground.pick(title);
  await playground.press(`Remove ${title}`, playground.stage);
  await playground.press("Recently removed");
  await playground.press(`Delete ${title} for good`);
  await playground.closeDialog();
  await eventually(() => playground.count("DELETE", /\/tasks\//), 1);
}

test("a task of another browser is in the list, with its results, can be an input, and stays away once it is deleted", async (t) => {
  const first = await open(t, "text_to_image_turbo");
  const titles = ({ page }) => page.locator(".task h3").allInnerTexts();
  await first.make({ ...BOAT, title: "Boat" });
  const second = await openElsewhere(t, first);
  await second.reaches("SUCCEEDED");
  assert.match(
    await second.stage.locator(".facts").first().innerText(),
    /^Done · .* · made elsewhere/,
  );
  await second.stage
    .getByText("Made on another device, or before this browser was cleared.")
    .waitFor();
  assert.equal(await second.stage.getByText("Edit and run again").count(), 0);
  await second.useIn("Remove background");
  await second.has("file_id", "Boat");
  await second.finish();

  // The first browser receives it when its page comes into view again, and its own task stays its
  // own.
  await first.readsHistory();
  await eventually(() => titles(first), ["Remove background", "Boat"]);
  const elsewhere = first.stage.getByText("made elsewhere");
  await first.pick("Remove background");
  assert.equal(await elsewhere.count(), 1);
  await first.pick("Boat");
  assert.equal(await elsewhere.count(), 0);

  await remove(first, "Remove background");
  await remove(second, "Boat");
  await second.reload();
  await second.readsHistory();
  assert.deepEqual(await titles(second), ["Remove background"]);
  await first.reload();
  await first.readsHistory();
  assert.deepEqual(await titles(first), ["Boat"]);
  assert.deepEqual([...first.pageErrors, ...second.pageErrors], []);
});
