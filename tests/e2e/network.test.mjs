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

const reconnecting = ({ task }) => task.getByText("· reconnecting");

test("a page that is offline for a while says so at once, keeps what is typed, and goes on by itself", async (t) => {
  const playground = await open(t, "text_to_image_turbo");
  const { page } = playground;
  await playground.createTask(8);
  await playground.reaches("RUNNING");
  await page.context().setOffline(true);
  await page.locator(".connection[data-state=offline]").waitFor();
  const words = page.getByText("You are offline. What you type stays.");
  await words.waitFor();
  await playground.fill("prompt", "a lighthouse");
  // Much less than the time after which a silent connection counts as broken.
  await reconnecting(playground).waitFor({ timeout: 10_000 });
  assert.equal(await playground.task.getAttribute("data-state"), "RUNNING");
  assert.equal(await page.locator(".stage .failure").count(), 0);
  await page.context().setOffline(false);
  await playground.connected();
  await words.waitFor({ state: "detached" });
  await reconnecting(playground).waitFor({ state: "detached" });
  await playground.reaches("SUCCEEDED");
  assert.equal(
    await page.locator("textarea[name=prompt]").inputValue(),
    "a lighthouse",
  );
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

test("a result that was not loaded is loaded under a fresh link at a press, or when the line is back, with its thumbnail", async (t) => {
  const playground = await open(t, "text_to_image_turbo");
  const { page, stage, task } = playground;
  const isFile = (url) => url.pathname.startsWith("/files/");
  await page.route(isFile, (route) => route.fulfill({ status: 403 }));
  await playground.make(BOAT);
  const again = stage.getByRole("button", { name: /^Load .* again$/ });
  await again.waitFor();
  const uses = stage.getByText(/^\s*(Download|Open|Use in)/);
  await eventually(() => uses.count(), 0);
  await again.press("Enter");
  await stage.getByText("The result is gone").waitFor();
  const reads = playground.count("GET", /\/tasks\/[^/]+$/);
  await page.unroute(isFile);
  await again.press("Enter");
  assert.deepEqual(await shownSize(playground.result), [64, 48]);
  assert.equal(playground.count("GET", /\/tasks\/[^/]+$/), reads + 1);
  await hasFocus(stage.locator(".result"));
  await eventually(() => uses.count(), 3);

  await page.route(isFile, (route) => route.abort());
  await page.reload();
  await stage.getByText("The result could not be loaded").waitFor();
  await task.locator("span.thumbnail").waitFor();
  await page.unroute(isFile);
  await comeBack(playground);
  assert.deepEqual(await shownSize(playground.result), [64, 48]);
  await task.locator("img.thumbnail").waitFor();
});

test("the parts of the page that are loaded later are loaded when the line is back, if need be under another URL", async (t) => {
  const playground = await open(t, "background_removal");
  const { page } = playground;
  const form = page.locator(".form");
  await page.context().setOffline(true);
  await playground.choose("file_id", png(160, 120));
  await playground.moreOfForm("Show the code");
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
  assert.equal(await form.locator("canvas").count(), 0);
  await page.context().setOffline(false);
  await page.locator(".choice canvas[data-drawn]").nth(1).waitFor();

  // Some browsers never repeat an import that failed.
  const plain = (url) =>
    /\/RegionDrawing-[^/]*\.js$/.test(url.pathname) && url.search === "";
  await page.route(plain, (route) => route.abort());
  await playground.go("background_removal");
  await playground.reload();
  await page.locator(".drawing .facts").waitFor();
});

test("the page shows polls that are slow or fail, over a reload too, and a watch that ended, and a button reads again at once", async (t) => {
  const playground = await open(t, "text_to_image_turbo");
  const { page, stage, task } = playground;
  const json = {
    code: 12,
    message: "there is no such task",
    data: { reason: "unknown_task" },
  };
  const missing = (route) => route.fulfill({ status: 404, json });
  let answer = (_) => {};
  let reads = 0;
  await page.route(READS, (route) => {
    reads += 1;
    return answer(route);
  });
  await page.clock.install();
  await playground.createTask(0.5);
  await eventually(() => reads > 0, true);
  await page.clock.runFor(16_000);
  await task.getByText("· no answer yet").waitFor();
  assert.equal(await stage.locator(".failure").count(), 0);

  answer = missing;
  await page.reload();
  await stage.getByText("The gateway has no such task").waitFor();
  await task.getByText("not watched").waitFor();
  answer = (route) => route.abort();
  await playground.press(/^Watch .* again/, stage);
  await reconnecting(playground).waitFor();
  await page.reload();
  await reconnecting(playground).waitFor();
  answer = (route) =>
    route.fulfill({ status: 502, contentType: "text/html", body: "<html>" });
  const again = stage.getByRole("button", { name: "Reconnect now" });
  const before = reads;
  await again.press("Enter");
  await eventually(() => reads > before, true);
  await page.unroute(READS);
  // The page may have tried by itself meanwhile, and the button may be gone.
  await again.press("Enter", { timeout: 2_000 }).catch(() => undefined);
  await playground.reaches("SUCCEEDED");
  assert.equal(await reconnecting(playground).count(), 0);
});

test("the page says that the media service stopped answering, while the gateway keeps trying", async (t) => {
  const playground = await open(t, "text_to_image_turbo");
  await playground.fillIn({ ...BOAT, title: "emulate: status=503 at=poll" });
  await playground.run();
  await playground.stage
    .getByText(
      /^The media service has not answered for .+\. The gateway keeps trying\.$/,
    )
    .waitFor();
  await playground.task.getByRole("status").getByText("no answer").waitFor();
  assert.equal(await playground.stage.locator(".failure").count(), 0);

  // If the page polls, the gateway's own response reports it.
  await playground.page.route("**/tasks/*/events", (route) =>
    route.fulfill({ status: 404 }),
  );
  await playground.page.reload();
  await playground.stage
    .getByText("The media service does not answer the gateway at present.")
    .waitFor();
});
