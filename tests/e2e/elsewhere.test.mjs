// Tasks that were made in another browser with the same session. They join the list, and removed
// ones stay removed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { forward } from "../support/forward.mjs";
import { eventually } from "./playground.mjs";
import { suite } from "./suite.mjs";
import { finishedTask, readTasks, writeTasks } from "./tasks.mjs";

const { open } = suite();

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
  await playground.page.reload();
  await playground.connected();
  return playground;
}

async function make(playground, title, count) {
  await playground.fill("prompt", "a paper boat");
  await playground.fill("title", title);
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
  await page.getByRole("button", { name: "Recently removed" }).press("Enter");
  await page
    .getByRole("button", { name: `Delete ${title} for good` })
    .press("Enter");
  await page.keyboard.press("Escape");
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
  await second.task.getByText("Use in…").press("Enter");
  await second.task
    .locator(".use")
    .getByRole("button", { name: "Remove background" })
    .press("Enter");
  await second.field("file_id").getByText("Boat", { exact: true }).waitFor();
  await second.showsForm("Remove background");
  await second.run();
  await page.locator(".task").nth(1).waitFor();
  await second.reaches("SUCCEEDED");

  // The first browser receives it when its page comes into view again, and its own task stays its
  // own.
  await first.readsHistory();
  await eventually(() => headings(first), ["Remove background", "Boat"]);
  assert.equal(await first.page.getByText("made elsewhere").count(), 1);
  assert.deepEqual([...first.pageErrors, ...second.pageErrors], []);
});

test("a running task of another browser is watched until it ends", async (t) => {
  const first = await open(t, "text_to_image_turbo");
  await make(first, "emulate: seconds=15", 1);
  const second = await openElsewhere(t, first);
  await second.task.waitFor();
  assert.notEqual(await second.task.getAttribute("data-state"), "SUCCEEDED");
  await second.reaches("SUCCEEDED");
  assert.deepEqual(second.pageErrors, []);
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
  await first.page.reload();
  await first.connected();
  const second = await openElsewhere(t, first);
  await eventually(() => headings(second), ["Kite"]);
  await remove(second, "Kite");
  await eventually(() => second.count("DELETE", /\/tasks\//), 1);
  await eventually(() => stored(second), 0);
  await second.page.reload();
  await second.connected();
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
  await eventually(
    () => page.evaluate(() => document.activeElement?.textContent),
    "Tasks",
  );
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
  await page.reload();
  await eventually(() => playground.historyReads, 2);
  await make(playground, "Boat", 1);
  await playground.reaches("SUCCEEDED");
  await playground.comeBack();
  assert.equal(playground.historyReads, 2);
  assert.equal(
    await page.getByRole("button", { name: "Show older" }).count(),
    0,
  );
  assert.equal(await page.locator(".failure, .notice").count(), 0);
});
