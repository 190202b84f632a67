// The list of tasks has no limit, and is shared between tabs. Tasks that were made in another
// browser with the same session join it, and removed ones stay removed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { forward } from "../support/forward.mjs";
import { BOAT, eventually, hasFocus } from "./playground.mjs";
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
  test(`only some of 2,000 tasks are in the page, and the list scrolls ${place}`, async (t) => {
    const playground = await openWith(t, 2000, { viewport });
    const { page } = playground;
    await page.locator('.task[aria-setsize="2000"]').first().waitFor();
    assert.ok((await page.locator(".task").count()) < 60);

    // A card with the focus stays in the page, however far the list scrolls.
    const second = page.getByRole("button", { name: "Task 1999", exact: true });
    await second.focus();
    await page.evaluate(() => {
      const column = document.querySelector(".tasks");
      const isScroller = column.scrollHeight > column.clientHeight + 1;
      (isScroller ? column : document.scrollingElement).scrollTop = 1e9;
    });
    await page
      .locator('.task[aria-posinset="2000"]')
      .getByText("Task 1", { exact: true })
      .waitFor();
    await hasFocus(second);
    assert.ok((await page.locator(".task").count()) < 60);
    await second.press("Enter");
    await page.locator('.task[aria-posinset="2"][data-open="true"]').waitFor();

    // Cards do not overlap, whatever their heights are.
    const overlapping = (all) => {
      const boxes = all.map((element) => element.getBoundingClientRect());
      return boxes.filter((box, index) => box.top < boxes[index - 1]?.bottom);
    };
    await eventually(() => page.locator(".task").evaluateAll(overlapping), []);

    await page.getByLabel("Search tasks").fill("boat 1321");
    await page.getByText("1 of 2000 tasks match").waitFor();
    await eventually(() => page.locator(".task").count(), 1);
    await playground.task.getByText("Task 1321", { exact: true }).waitFor();
    await page.getByLabel("Search tasks").fill("no such words");
    await page.getByText("0 of 2000 tasks match").waitFor();
    assert.deepEqual(playground.pageErrors, []);
  });
}

test("two tabs see each other's changes, and overwrite none", async (t) => {
  const playground = await openWith(t, 8);
  const { page } = playground;
  const other = await page.context().newPage();
  await other.goto(playground.url);
  await other.locator(".task").nth(7).waitFor();
  await other
    .getByRole("button", { name: "Task 8", exact: true })
    .press("Enter");
  await page.locator('.task:first-child[data-open="false"]').waitFor();
  await playground.press("Remove Task 7");
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

async function make(playground, title, count) {
  await playground.fillIn({ ...BOAT, title });
  await playground.run();
  await eventually(
    () => playground.page.locator(".task[data-task]").count(),
    count,
  );
}

const headings = async ({ page }) =>
  (await page.locator(".task h3").allInnerTexts()).map((title) => title.trim());

/** Removes a task, and deletes it before the day ends in which it could be restored. */
async function remove(playground, title) {
  const { page } = playground;
  await page.getByRole("button", { name: `Remove ${title}` }).press("Enter");
  await playground.press("Recently removed");
  await page
    .getByRole("button", { name: `Delete ${title} for good` })
    .press("Enter");
  await playground.closeDialog();
}

/** Returns the number of stored records. */
const stored = async ({ page }) => (await readTasks(page)).length;

test("a task of another browser is in the list, with its results, and can be an input", async (t) => {
  const first = await open(t, "text_to_image_turbo");
  await make(first, "Boat", 1);
  await first.reaches("SUCCEEDED");
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
  assert.equal(
    await page.getByRole("button", { name: "Edit and run again" }).count(),
    0,
  );
  await second.useIn("Remove background");
  await second.has("file_id", "Boat");
  await second.finish();

  // The first browser receives it when its page comes into view again, and its own task stays its
  // own.
  await first.readsHistory();
  await eventually(() => headings(first), ["Remove background", "Boat"]);
  assert.equal(await first.page.getByText("made elsewhere").count(), 1);
  assert.deepEqual([...first.pageErrors, ...second.pageErrors], []);
});

test("a removed task does not come back, here or elsewhere, and the gateway forgets it", async (t) => {
  const first = await open(t, "text_to_image_turbo");
  await make(first, "Boat", 1);
  await make(first, "Kite", 2);
  // The gateway does not forget the entry of a running task.
  await first.page.locator(".task[data-state=SUCCEEDED]").nth(1).waitFor();
  await remove(first, "Boat");
  await eventually(() => first.count("DELETE", /\/tasks\//), 1);
  await eventually(() => stored(first), 1);
  await first.reload();
  const second = await openElsewhere(t, first);
  await eventually(() => headings(second), ["Kite"]);
  await remove(second, "Kite");
  await eventually(() => second.count("DELETE", /\/tasks\//), 1);
  await eventually(() => stored(second), 0);
  await second.reload();
  await second.readsHistory();
  assert.deepEqual(await headings(second), []);
  assert.deepEqual([...first.pageErrors, ...second.pageErrors], []);
});

test("a removed task that runs stays away, and is forgotten once it has ended", async (t) => {
  const first = await open(t, "text_to_image_turbo");
  const { page } = first;
  // The task runs until the test ends it.
  let isRunning = true;
  await page.route(/\/api\/app\/v1\/tasks(\?|$)/, async (route) => {
    const response = await forward(route);
    const json = await response.json();
    if (isRunning) for (const task of json.data.tasks) task.state = "RUNNING";
    await route.fulfill({ response, json });
  });
  await first.holdReads();
  await make(first, "emulate: seconds=8", 1);
  await remove(first, "emulate: seconds=8");
  // Another browser watches it to its end, so that the gateway records the end.
  const second = await openElsewhere(t, first);
  await eventually(
    async () =>
      (await readTasks(page)).map((task) => [
        task.gone,
        task.title,
        task.outputs,
      ]),
    [[true, undefined, []]],
  );
  await page.reload();
  await first.connected();
  await first.readsHistory();
  assert.equal(first.count("DELETE", /\/tasks\//), 0);
  await second.reaches("SUCCEEDED");
  assert.deepEqual(await headings(first), []);
  isRunning = false;
  await eventually(async () => {
    await first.comeBack();
    return stored(first);
  }, 0);
  assert.ok(first.count("DELETE", /\/tasks\//) > 0);
  assert.deepEqual(first.pageErrors, []);
});

/** Mocks the gateway's history: these entries, newest first, in pages. */
async function mock({ page }, entries, pageSize) {
  await page.route(/\/api\/app\/v1\/tasks(\?|$)/, (route) => {
    const from = Number(
      new URL(route.request().url()).searchParams.get("cursor") ?? 0,
    );
    const cursor =
      from + pageSize < entries.length ? String(from + pageSize) : undefined;
    return route.fulfill({
      json: {
        code: 0,
        message: "ok",
        data: { tasks: entries.slice(from, from + pageSize), cursor },
      },
    });
  });
}

function listed(number, more = {}) {
  const created_at = new Date(
    Date.UTC(2026, 0, 1) + number * 1000,
  ).toISOString();
  const id = `id-${number}`;
  return {
    id,
    capability: "text_to_image_turbo",
    title: `Task ${number}`,
    created_at,
    state: "SUCCEEDED",
    outputs: [],
    ...more,
  };
}

test("a button reads older pages, skipping entries that the list has already", async (t) => {
  const playground = await open(t, "text_to_image_turbo");
  const { page } = playground;
  const all = Array.from({ length: 9 }, (_, index) => listed(9 - index));
  await mock(playground, all, 2);
  await writeTasks(page, [6, 7].map(finishedTask));
  await page.reload();
  await eventually(
    () => headings(playground),
    ["Task 9", "Task 8", "Task 7", "Task 6"],
  );
  const more = page.getByRole("button", { name: "Show older" });
  await more.press("Enter");
  await page.getByText("Added 2 older tasks").waitFor();
  await eventually(
    async () => (await headings(playground)).slice(4),
    ["Task 5", "Task 4"],
  );
  await more.press("Enter");
  await eventually(
    async () => (await headings(playground)).slice(6),
    ["Task 3", "Task 2"],
  );
  await more.press("Enter");
  await page.getByText("Added 1 older task").waitFor();
  await more.waitFor({ state: "detached" });
  await hasFocus(playground.tasksHeading);
  await eventually(
    () => headings(playground).then((titles) => titles.length),
    9,
  );
});

test("a create whose response the gateway has lost says so, and that it may have cost credits", async (t) => {
  const playground = await open(t, "text_to_image_turbo");
  const { page } = playground;
  await mock(
    playground,
    [listed(1, { state: undefined, outcome: "unknown" })],
    50,
  );
  await page.reload();
  const text = playground.task.getByText(
    "The response was lost. The task may exist, and may have cost credits.",
  );
  await text.waitFor();
  assert.match(
    await playground.task.locator(".facts").first().innerText(),
    /^Task 1:\sOutcome unknown/,
  );
  assert.equal(
    await page.getByRole("button", { name: "Ask again" }).count(),
    0,
  );
});

test("a create of this browser without a response is not listed twice", async (t) => {
  const playground = await open(t, "text_to_image_turbo");
  const { page } = playground;
  const { saved, ...record } = finishedTask(1);
  const sentAt = Date.now() - 5_000;
  await mock(
    playground,
    [
      listed(1, {
        created_at: new Date(sentAt + 300).toISOString(),
        state: undefined,
        outcome: "unknown",
      }),
    ],
    50,
  );
  await writeTasks(page, [
    {
      ...record,
      state: "",
      step: "unknown",
      startedAt: sentAt - 10,
      sentAt,
      endedAt: sentAt + 400,
    },
  ]);
  await page.reload();
  await playground.task
    .getByText("It is unknown whether a task was created")
    .waitFor();
  await playground.readsHistory();
  assert.equal(await page.locator(".task").count(), 1);
  // After its removal, the history does not bring it back.
  await page.route(/\/tasks\/id-1$/, (route) =>
    route.fulfill({ json: { code: 0, message: "ok", data: {} } }),
  );
  await remove(playground, "Task 1");
  await eventually(
    async () => (await readTasks(page)).map((task) => task.gone),
    [true],
  );
  await playground.readsHistory();
  await eventually(
    () => playground.count("DELETE", /\/tasks\/id-1$/) > 0,
    true,
  );
  await eventually(() => stored(playground), 0);
  // For the page, a list that still has it may have been sent before the gateway forgot it.
  await playground.readsHistory();
  assert.equal(await stored(playground), 0);
  assert.equal(saved.id, "id-1");
});

test("a gateway without a history changes nothing", async (t) => {
  const playground = await open(t, "text_to_image_turbo");
  const { page } = playground;
  await eventually(() => playground.historyReads, 1);
  await page.route(/\/api\/app\/v1\/tasks(\?|$)/, (route) =>
    route.fulfill({
      status: 404,
      json: { code: 12, message: "no", data: { reason: "unknown_path" } },
    }),
  );
  const read = page.waitForResponse(/\/api\/app\/v1\/tasks(\?|$)/);
  await playground.reload();
  await read;
  await eventually(() => playground.historyReads, 2);
  await playground.frames();
  await playground.comeBack();
  await make(playground, "Boat", 1);
  await playground.reaches("SUCCEEDED");
  assert.equal(playground.historyReads, 2);
  assert.equal(
    await page.getByRole("button", { name: "Show older" }).count(),
    0,
  );
  assert.equal(await page.locator(".failure, .notice").count(), 0);
});
