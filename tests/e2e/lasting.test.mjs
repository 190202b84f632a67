// Tasks outlive the page that began them.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { test } from "node:test";
import { suite } from "./suite.mjs";

const { open } = suite();

async function begin(playground, seconds) {
  await playground.fill("prompt", "a paper boat");
  await playground.fill("width", "64");
  await playground.fill("height", "64");
  await playground.fill("title", `emulate: seconds=${seconds}`);
  await playground.run();
  await playground.task.waitFor();
}

test("a task goes on after a reload, under the same session, and is created once", async (t) => {
  const playground = await open(t, "text_to_image_turbo");
  await begin(playground, 4);
  await playground.page.reload();
  await playground.task.waitFor();
  assert.notEqual(await playground.task.getAttribute("data-state"), "SUCCEEDED");
  await playground.reaches("SUCCEEDED");
  await playground.task.locator(".result img").waitFor();
  assert.equal(playground.count("POST", /text_to_image_turbo$/), 1);

  const reads = playground.count("GET", /\/tasks\//);
  await playground.page.reload();
  await playground.connected();
  await playground.task.locator(".result img").waitFor();
  await sleep(1_500);
  assert.equal(playground.count("GET", /\/tasks\//), reads, "a finished task is asked for again");
});

test("a second tab shows the task too, and both see its end", async (t) => {
  const playground = await open(t, "text_to_image_turbo");
  const other = await playground.page.context().newPage();
  await other.goto(playground.url);
  await begin(playground, 2);
  await other.locator(".task").waitFor();
  await playground.reaches("SUCCEEDED");
  await other.locator('.task[data-state="SUCCEEDED"] img').waitFor();
});

test("watching stops when it is told to, and goes on when it is told to", async (t) => {
  const playground = await open(t, "text_to_image_turbo");
  await begin(playground, 3);
  await playground.page.getByRole("button", { name: /^Stop watching/ }).click();
  await sleep(500);
  const reads = playground.count("GET", /\/tasks\//);
  await sleep(4_000);
  assert.equal(playground.count("GET", /\/tasks\//), reads);
  await playground.page.getByRole("button", { name: /^Watch .* again/ }).click();
  await playground.reaches("SUCCEEDED");
});

test("a task is removed from the list for good", async (t) => {
  const playground = await open(t, "text_to_image_turbo");
  await begin(playground, 0.2);
  await playground.reaches("SUCCEEDED");
  await playground.page.getByRole("button", { name: "Clear finished" }).click();
  await playground.task.waitFor({ state: "detached" });
  await playground.page.reload();
  await playground.connected();
  assert.equal(await playground.page.locator(".task").count(), 0);
});
