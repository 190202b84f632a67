// The history has no limit: thousands of tasks are stored, shown in part, found, and shared between
// tabs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "./playground.mjs";
import { suite } from "./suite.mjs";
import { finishedTask, readTasks, writeTasks } from "./tasks.mjs";

const { open } = suite();

const numbered = (count) =>
  Array.from({ length: count }, (_, index) => finishedTask(index + 1));

/** Opens a page with this many tasks in its database. */
async function openWith(t, count, options) {
  const playground = await open(t, "text_to_image_turbo", options);
  await writeTasks(playground.page, numbered(count));
  await playground.page.reload();
  await playground.task.waitFor();
  return playground;
}

for (const [
  place,
  viewport,
] of /** @type {[string, { width: number, height: number }][]} */ ([
  ["in its column", { width: 1280, height: 800 }],
  ["with the page", { width: 390, height: 844 }],
])) {
  test(`only some of 5,000 tasks are in the page, and the list scrolls ${place}`, async (t) => {
    const playground = await openWith(t, 5000, { viewport });
    const { page } = playground;
    await page.locator('.task[aria-setsize="5000"]').first().waitFor();
    assert.ok((await page.locator(".task").count()) < 60);

    // A card with the focus stays in the page, however far the list scrolls.
    const second = page.getByRole("button", { name: "Task 4999", exact: true });
    await second.focus();
    await page.evaluate(() => {
      const column = document.querySelector(".tasks");
      const isScroller = column.scrollHeight > column.clientHeight + 1;
      (isScroller ? column : document.scrollingElement).scrollTop = 1e9;
    });
    await page
      .locator('.task[aria-posinset="5000"]')
      .getByText("Task 1", { exact: true })
      .waitFor();
    assert.equal(
      await second.evaluate((element) => element === document.activeElement),
      true,
    );
    assert.ok((await page.locator(".task").count()) < 60);
    await second.press("Enter");
    await page.locator('.task[aria-posinset="2"][data-open="true"]').waitFor();

    // Cards do not overlap, whatever their heights are.
    const boxes = await page
      .locator(".task")
      .evaluateAll((all) =>
        all.map((element) => element.getBoundingClientRect().toJSON()),
      );
    for (const [index, box] of boxes.slice(1).entries())
      assert.ok(box.top >= boxes[index].bottom, JSON.stringify(boxes));

    await page.getByLabel("Search tasks").fill("boat 4321");
    await page.getByText("1 of 5000 tasks match").waitFor();
    assert.equal(await page.locator(".task").count(), 1);
    await playground.task.getByText("Task 4321", { exact: true }).waitFor();
    await page.getByLabel("Search tasks").fill("no such words");
    await page.getByText("0 of 5000 tasks match").waitFor();
    assert.deepEqual(playground.pageErrors, []);
  });
}

test("two tabs see each other's changes, and overwrite none", async (t) => {
  const playground = await openWith(t, 8);
  const { page } = playground;
  const other = await page.context().newPage();
  await other.goto(playground.url);
  await other.locator(".task").nth(7).waitFor();
  await other.getByRole("button", { name: "Task 8", exact: true }).click();
  await page.locator('.task:first-child[data-open="false"]').waitFor();
  await page.getByRole("button", { name: "Remove Task 7" }).click();
  await other
    .getByRole("button", { name: "Task 7", exact: true })
    .waitFor({ state: "detached" });
  await page.getByLabel("Search tasks").fill("TASK 3");
  await page.getByText("1 of 7 tasks match").waitFor();
  // A reload would end a write that has only begun.
  await eventually(
    async () =>
      (await readTasks(page)).filter((task) => task.removedAt === undefined)
        .length,
    7,
  );
  await page.reload();
  await page.locator('.task:first-child[data-open="false"]').waitFor();
  await eventually(() => page.locator(".task").count(), 7);
});
