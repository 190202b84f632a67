// A connection that fails for a while does not end the watching of a task.
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "./playground.mjs";
import { suite } from "./suite.mjs";

const { open } = suite();

/** Matches the polls and the streams of tasks. */
const READS = /\/tasks\//;

const reconnecting = ({ task }) => task.getByText("· reconnecting");

test("a device that is offline for a while shows it at once, and goes on by itself", async (t) => {
  const playground = await open(t, "text_to_image_turbo");
  const { page } = playground;
  await playground.createTask(8);
  await playground.reaches("RUNNING");
  await page.context().setOffline(true);
  await reconnecting(playground).waitFor({ timeout: 5_000 });
  assert.equal(await playground.task.getAttribute("data-state"), "RUNNING");
  assert.equal(await page.locator(".task .failure").count(), 0);
  await page.context().setOffline(false);
  await reconnecting(playground).waitFor({ state: "detached" });
  await playground.reaches("SUCCEEDED");
});

test("polls that fail show it, over a reload too, and a button tries again at once", async (t) => {
  const playground = await open(t, "text_to_image_turbo");
  const { page } = playground;
  await page.route(READS, (route) => route.abort());
  await playground.createTask(0.5);
  await reconnecting(playground).waitFor();
  await page.reload();
  await reconnecting(playground).waitFor();
  let refused = 0;
  // Placed over the first route, so that no attempt of the page passes between the two.
  await page.route(READS, (route) => {
    refused += 1;
    return route.fulfill({
      status: 502,
      contentType: "text/html",
      body: "<html>",
    });
  });
  const again = playground.task.getByRole("button", { name: "Reconnect now" });
  const before = refused;
  await again.press("Enter");
  await eventually(() => refused > before, true);
  await page.unroute(READS);
  // The page may have tried by itself meanwhile, and the button may be gone.
  await again.press("Enter", { timeout: 2_000 }).catch(() => undefined);
  await playground.reaches("SUCCEEDED");
  assert.equal(await reconnecting(playground).count(), 0);
});

test("the watch of a task that the gateway does not have ends, and the page says so", async (t) => {
  const playground = await open(t, "text_to_image_turbo");
  const { page } = playground;
  const json = {
    code: 12,
    message: "there is no such task",
    data: { reason: "unknown_task" },
  };
  await page.route(READS, (route) => route.fulfill({ status: 404, json }));
  await playground.createTask(0.5);
  await playground.task.getByText("The gateway has no such task").waitFor();
  await playground.task.getByText("not watched").waitFor();
  assert.equal(
    await playground.task.locator(".failure").getAttribute("data-code"),
    "unknown_task",
  );
  await page.unroute(READS);
  await playground.task
    .getByRole("button", { name: /^Watch .* again/ })
    .click();
  await playground.reaches("SUCCEEDED");
});

test("the page says that the media service stopped answering, while the gateway keeps trying", async (t) => {
  const playground = await open(t, "text_to_image_turbo");
  await playground.fill("prompt", "a paper boat");
  await playground.fill("title", "emulate: status=503 at=poll");
  await playground.run();
  await playground.task
    .getByText(
      /^The media service has not answered for .+\. The gateway keeps trying\.$/,
    )
    .waitFor();
  await playground.task
    .getByRole("status")
    .getByText("no answer", { exact: false })
    .waitFor();
  assert.equal(await playground.task.locator(".failure").count(), 0);

  // If the page polls, the gateway's own response reports it.
  await playground.page.route("**/tasks/*/events", (route) =>
    route.fulfill({ status: 404 }),
  );
  await playground.page.reload();
  await playground.task
    .getByText("The media service does not answer the gateway at present.")
    .waitFor();
});

test("a read that takes long shows that there is no answer yet, and who is silent stays known", async (t) => {
  const playground = await open(t, "text_to_image_turbo");
  const { page, task } = playground;
  let polls = 0;
  let answer = (_) => {};
  await page.route(READS, (route) => {
    if (/\/events$/.test(route.request().url()))
      return route.fulfill({ status: 404 });
    polls += 1;
    return answer(route);
  });
  await playground.createTask(60);
  await task.getByText("· no answer yet").waitFor();
  assert.equal(await task.locator(".failure").count(), 0);

  // The gateway says who is silent. Its further responses take longer than the page waits.
  answer = (route) => {
    answer = () => {};
    polls = 0;
    return route.fulfill({
      status: 504,
      headers: { "x-request-id": "1" },
      json: { code: 1405, message: "no response", data: null },
    });
  };
  await page.reload();
  const named = task.getByText("The media service does not answer");
  await named.waitFor();
  await eventually(() => polls >= 2, true);
  await named.waitFor();
});
