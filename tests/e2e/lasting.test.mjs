// Tasks outlive the page that created them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { picture } from "../support/fixtures.mjs";
import { eventually, file } from "./playground.mjs";
import { suite } from "./suite.mjs";
import { changeTasks, readTasks } from "./tasks.mjs";

const { open } = suite();

async function createSmall(playground, seconds) {
  await playground.fill("width", "64");
  await playground.fill("height", "64");
  await playground.createTask(seconds);
  // A reload would end a write that has only begun, and then the create would be repeated with its
  // key.
  await readTasks(playground.page);
}

test("a task goes on after a reload, under the same session, and is created once", async (t) => {
  const playground = await open(t, "text_to_image_turbo");
  await createSmall(playground, 8);
  await playground.page.reload();
  await playground.task.waitFor();
  assert.notEqual(
    await playground.task.getAttribute("data-state"),
    "SUCCEEDED",
  );
  await playground.reaches("SUCCEEDED");
  await playground.result.waitFor();
  assert.equal(playground.count("POST", /text_to_image_turbo$/), 1);

  // A reload would end a write that has only begun.
  await readTasks(playground.page);
  const reads = playground.count("GET", /\/tasks\//);
  await playground.page.reload();
  await playground.connected();
  await playground.result.waitFor();
  await sleep(1_500);
  assert.equal(
    playground.count("GET", /\/tasks\//),
    reads,
    "a finished task is neither read nor followed again",
  );
});

test("a second tab shows the task too, and both see its end", async (t) => {
  const playground = await open(t, "text_to_image_turbo");
  const other = await playground.page.context().newPage();
  await other.goto(playground.url);
  await createSmall(playground, 2);
  await other.locator(".task").waitFor();
  await playground.reaches("SUCCEEDED");
  await other.locator('.task[data-state="SUCCEEDED"] .result img').waitFor();
});

test("watching can be stopped and resumed", async (t) => {
  const playground = await open(t, "text_to_image_turbo");
  await createSmall(playground, 6);
  await eventually(() => playground.streams(), 1);
  await playground.page.getByRole("button", { name: /^Stop watching/ }).click();
  await playground.task
    .getByText("The media service cannot cancel a task")
    .waitFor();
  await eventually(() => playground.streams(), 0);
  const reads = playground.count("GET", /\/tasks\//);
  // Waits longer than the task takes.
  await sleep(7_000);
  assert.equal(playground.count("GET", /\/tasks\//), reads);
  assert.notEqual(
    await playground.task.getAttribute("data-state"),
    "SUCCEEDED",
  );
  await playground.page
    .getByRole("button", { name: /^Watch .* again/ })
    .click();
  await playground.reaches("SUCCEEDED");
  await eventually(() => playground.streams(), 0);
});

test("a removed task stays removed, and is forgotten a day later", async (t) => {
  const playground = await open(t, "text_to_image_turbo");
  await createSmall(playground, 0.2);
  await playground.reaches("SUCCEEDED");
  await playground.page.getByRole("button", { name: "Clear finished" }).click();
  await playground.task.waitFor({ state: "detached" });
  // Waits for the earlier write.
  await readTasks(playground.page);
  await playground.page.reload();
  await playground.connected();
  assert.equal(await playground.page.locator(".task").count(), 0);
  await changeTasks(playground.page, { removedAt: Date.now() - 90_000_000 });
  await playground.page.reload();
  // If the gateway does not forget it at once, the page tries again when the person comes back.
  await eventually(async () => {
    await playground.comeBack();
    await sleep(500);
    return (await readTasks(playground.page)).length;
  }, 0);
  assert.equal(await playground.page.locator(".task").count(), 0);
});

test("typed text and chosen files survive a reload", async (t) => {
  const playground = await open(t, "image_to_video");
  await playground.choose(
    "file_id",
    file("harbour.png", "image/png", picture(64, 48)),
  );
  await playground.fill("prompt", "slow push in");
  await playground.fill("title", "first");
  await playground.fill("title", "");
  await playground.written();
  await playground.page.reload();
  await playground.field("file_id").getByText("harbour.png").waitFor();
  assert.equal(
    await playground.page.locator("textarea[name=prompt]").inputValue(),
    "slow push in",
  );
  assert.equal(
    await playground.page.locator("input[name=title]").inputValue(),
    "",
  );
  await playground.connected();
  await playground.fill("duration_seconds", "1");
  await playground.run();
  await playground.reaches("SUCCEEDED");
});

test("a page that is left during a create finds its task again, and it is created once", async (t) => {
  const playground = await open(t, "text_to_image_turbo");
  const { page } = playground;
  const isCreate = (request) =>
    request.method() === "POST" && /turbo$/.test(request.url());
  const keys = [];
  page.on(
    "request",
    (request) =>
      isCreate(request) && keys.push(request.headers()["idempotency-key"]),
  );
  const sent = page.waitForRequest(isCreate);
  await playground.fill("prompt", "a paper boat");
  await playground.fill("title", "emulate: slow=3000 seconds=0.2");
  await playground.run();
  await playground.task.getByText("sending").waitFor();
  await sent;
  const replay = page.waitForResponse((response) =>
    isCreate(response.request()),
  );
  await page.reload();
  assert.equal(await (await replay).headerValue("idempotent-replayed"), "true");
  await playground.reaches("SUCCEEDED");
  assert.equal(await page.locator(".task").count(), 1);
  assert.equal(keys.length, 2);
  assert.equal(keys[0], keys[1]);
});
