// An interrupted line: the page says so at once, loads what failed when the line is back, and goes
// on watching its tasks.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  BOAT,
  eventually,
  hasFocus,
  pdfFile,
  png,
  READS,
  shownSize,
  WASM,
} from "./playground.mjs";
import { suite } from "./suite.mjs";

const { open } = suite();

/**
 * Sends the event of a network that is back, once the page listens for it. Playwright's routes do
 * not send it.
 */
async function comeBack(playground) {
  await playground.frames();
  await playground.page.evaluate(() => dispatchEvent(new Event("online")));
}

async function runPicture(playground) {
  await playground.make({ prompt: "a lighthouse", width: 64, height: 48 });
}

const isFile = (url) => url.pathname.startsWith("/files/");

test("the page says at once that it is offline, and no longer when it is back", async (t) => {
  const playground = await open(t, "text_to_image");
  const { page } = playground;
  await page.context().setOffline(true);
  await page.locator(".connection[data-state=offline]").waitFor();
  await page.getByText("You are offline. What you type stays.").waitFor();
  await playground.fill("prompt", "a lighthouse");
  await page.context().setOffline(false);
  await playground.connected();
  await page.getByText("You are offline").waitFor({ state: "detached" });
  assert.equal(
    await page.locator("textarea[name=prompt]").inputValue(),
    "a lighthouse",
  );
  await playground.finish();
});

test("a page that could not connect does so at a press, which does not lose the focus, or by itself when the line is back", async (t) => {
  const playground = await open(t, "text_to_image");
  const { page } = playground;
  const again = playground.button("Connect again");
  await page.route(WASM, (route) => route.abort());
  await page.reload();
  await again.press("Enter");
  await hasFocus(again);
  await page.unroute(WASM);
  await again.press("Enter");
  await playground.connected();
  await playground.showsForm("Text to image");

  await page.route(WASM, (route) => route.abort());
  await page.reload();
  await again.waitFor();
  await page.unroute(WASM);
  await comeBack(playground);
  await playground.connected();
  await again.waitFor({ state: "detached" });
});

test("a result that was not loaded is loaded when the line is back, with its thumbnail", async (t) => {
  const playground = await open(t, "text_to_image");
  const { page } = playground;
  await page.route(isFile, (route) => route.abort());
  await runPicture(playground);
  await playground.task.getByText("The result could not be loaded").waitFor();
  await playground.task.locator("span.thumbnail").waitFor();
  await page.unroute(isFile);
  await comeBack(playground);
  assert.deepEqual(await shownSize(playground.result), [64, 48]);
  await playground.task.locator("img.thumbnail").waitFor();
});

test("a result whose link has expired has no dead buttons, and is loaded again under a fresh one", async (t) => {
  const playground = await open(t, "text_to_image");
  const { page } = playground;
  await page.route(isFile, (route) => route.fulfill({ status: 403 }));
  await runPicture(playground);
  const again = playground.task.getByRole("button", {
    name: "Load Text to image again",
  });
  await again.waitFor();
  const dead = playground.task
    .locator(".result")
    .getByText(/Download|Open|Use in/);
  assert.equal(await dead.count(), 0);
  await again.press("Enter");
  await playground.task.getByText("The result is gone").waitFor();
  const reads = playground.count("GET", /\/tasks\/[^/]+$/);
  await page.unroute(isFile);
  await again.press("Enter");
  assert.deepEqual(await shownSize(playground.result), [64, 48]);
  assert.equal(playground.count("GET", /\/tasks\/[^/]+$/), reads + 1);
  await hasFocus(playground.task.locator(".result"));
});

test("the parts of the page that are loaded later are loaded when the line is back", async (t) => {
  const playground = await open(t, "background_removal");
  const { page } = playground;
  await page.context().setOffline(true);
  await playground.choose("file_id", png(160, 120));
  await playground.press("Show the code", page.locator(".form"));
  await page.getByRole("dialog").getByText("You are offline.").waitFor();
  await page.context().setOffline(false);
  await page.getByRole("dialog").locator("pre").waitFor();
  await playground.closeDialog();
  await page.locator(".drawing .facts").waitFor();
  const cursor = await page
    .locator(".ReactCrop")
    .evaluate((element) => getComputedStyle(element).position);
  assert.equal(cursor, "relative", "with its style sheet");

  await playground.go("split_pdf");
  await page.context().setOffline(true);
  await playground.choose("input_file_id", await pdfFile([201, 202]));
  await playground.has("input_file_id", "a.pdf");
  assert.equal(await page.locator(".form canvas").count(), 0);
  await page.context().setOffline(false);
  await page.locator(".choice canvas[data-drawn]").nth(1).waitFor();
});

test("a part that fails twice is imported under another URL", async (t) => {
  const playground = await open(t, "background_removal");
  const { page } = playground;
  // Some browsers never repeat an import that failed.
  const plain = (url) =>
    /\/RegionDrawing-[^/]*\.js$/.test(url.pathname) && url.search === "";
  await page.route(plain, (route) => route.abort());
  await playground.choose("file_id", png(160, 120));
  await page.locator(".drawing .facts").waitFor();
});

const reconnecting = ({ task }) => task.getByText("· reconnecting");

test("a device that is offline for a while shows it at once, and goes on by itself", async (t) => {
  const playground = await open(t, "text_to_image_turbo");
  const { page } = playground;
  await playground.createTask(20);
  await playground.reaches("RUNNING");
  await page.context().setOffline(true);
  // Much less than the time after which a silent connection counts as broken.
  await reconnecting(playground).waitFor({ timeout: 10_000 });
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
  await playground.press(/^Watch .* again/, playground.task);
  await playground.reaches("SUCCEEDED");
});

test("the page says that the media service stopped answering, while the gateway keeps trying", async (t) => {
  const playground = await open(t, "text_to_image_turbo");
  await playground.fillIn({ ...BOAT, title: "emulate: status=503 at=poll" });
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
  await page.clock.install();
  await playground.createTask(60);
  await eventually(() => polls > 0, true);
  await page.clock.runFor(16_000);
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
  await eventually(async () => {
    await page.clock.runFor(1_000);
    return polls >= 2;
  }, true);
  await named.waitFor();
});
