// The list of tasks has no limit, and is shared between tabs. Tasks that were made in another
// browser with the same session join it, and removed ones stay removed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { BOAT, eventually, hasFocus } from "./playground.mjs";
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

test("only some of 2,000 tasks are in the page, and the list scrolls in its column or with the page", async (t) => {
  const playground = await openWith(t, 2000);
  const { page } = playground;
  const cards = page.locator(".task");
  const views = [
    { width: 1280, height: 800, position: 2 },
    { width: 390, height: 844, position: 3 },
  ];
  for (const { position, ...viewport } of views) {
    await page.setViewportSize(viewport);
    await page.reload();
    await page.locator('.task[aria-setsize="2000"]').first().waitFor();
    assert.ok((await cards.count()) < 60);

    // A card with the focus stays in the page, however far the list scrolls.
    const title = `Task ${2001 - position}`;
    const early = page.getByRole("button", { name: title, exact: true });
    await early.focus();
    await page.evaluate(() => {
      const column = document.querySelector(".tasks");
      const isScroller = column.scrollHeight > column.clientHeight + 1;
      (isScroller ? column : document.scrollingElement).scrollTop = 1e9;
    });
    await page.locator('.task[aria-posinset="2000"]').waitFor();
    await hasFocus(early);
    assert.ok((await cards.count()) < 60);
    await early.press("Enter");
    await page
      .locator(`.task[aria-posinset="${position}"][data-open="true"]`)
      .waitFor();

    // Cards do not overlap, whatever their heights are.
    const overlapping = (all) => {
      const boxes = all.map((element) => element.getBoundingClientRect());
      return boxes.filter((box, index) => box.top < boxes[index - 1]?.bottom);
    };
    await eventually(() => cards.evaluateAll(overlapping), []);
  }
  await page.getByLabel("Search tasks").fill("TASK 1321");
  await page.getByText("1 of 2000 tasks match").waitFor();
  await eventually(() => cards.count(), 1);
  await playground.task.getByText("Task 1321", { exact: true }).waitFor();
  assert.deepEqual(playground.pageErrors, []);
});

test("two tabs see each other's changes, and overwrite none", async (t) => {
  const playground = await openWith(t, 8);
  const { page } = playground;
  const other = await page.context().newPage();
  await other.goto(playground.url);
  await other.locator(".task").nth(7).waitFor();
  await other
    .getByRole("button", { name: "Task 8", exact: true })
    .press("Enter");
  const folded = page.locator('.task:first-child[data-open="false"]');
  await folded.waitFor();
  await playground.press("Remove Task 7");
  await other
    .getByRole("button", { name: "Task 7", exact: true })
    .waitFor({ state: "detached" });
  // A reload would end a write that has only begun.
  await readTasks(page);
  await page.reload();
  await folded.waitFor();
  await eventually(() => page.locator(".task").count(), 7);
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
  await playground.press(`Remove ${title}`, playground.page.locator(".tasks"));
  await playground.press("Recently removed");
  await playground.press(`Delete ${title} for good`);
  await playground.closeDialog();
  await eventually(() => playground.count("DELETE", /\/tasks\//), 1);
}

test("a task of another browser is in the list, with its results, can be an input, and stays away once it is deleted", async (t) => {
  const first = await open(t, "text_to_image_turbo");
  const titles = async () => {
    const all = await first.page.locator(".task h3").allInnerTexts();
    return all.map((title) => title.trim());
  };
  await first.make({ ...BOAT, title: "Boat" });
  const second = await openElsewhere(t, first);
  const { page } = second;
  await second.reaches("SUCCEEDED");
  assert.match(
    await second.task.locator(".facts").first().innerText(),
    /^Boat:\sDone · .* · made elsewhere/,
  );
  await second.task
    .getByText("Made on another device, or before this browser was cleared.")
    .waitFor();
  assert.equal(await second.button("Edit and run again").count(), 0);
  await second.useIn("Remove background");
  await second.has("file_id", "Boat");
  await second.finish();

  // The first browser receives it when its page comes into view again, and its own task stays its
  // own.
  await first.readsHistory();
  await eventually(titles, ["Remove background", "Boat"]);
  assert.equal(await first.page.getByText("made elsewhere").count(), 1);

  await remove(first, "Remove background");
  await remove(second, "Boat");
  await second.reload();
  await second.readsHistory();
  assert.equal(await page.getByText("made elsewhere").count(), 0);
  await first.reload();
  await first.readsHistory();
  assert.deepEqual(await titles(), ["Boat"]);
  assert.deepEqual([...first.pageErrors, ...second.pageErrors], []);
});
