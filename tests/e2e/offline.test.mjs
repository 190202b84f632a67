// An interrupted line: the page says so at once, and loads what failed when the line is back.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pdf, picture } from "../support/fixtures.mjs";
import { eventually, file, shownSize, WASM } from "./playground.mjs";
import { suite } from "./suite.mjs";

const { open } = suite();

const focused = () => document.activeElement?.textContent;

/**
 * Sends the event of a network that is back, once the page listens for it. Playwright's routes do
 * not send it.
 */
async function comeBack(playground) {
  await playground.frames();
  await playground.page.evaluate(() => dispatchEvent(new Event("online")));
}

async function runPicture(playground) {
  await playground.fill("prompt", "a lighthouse");
  await playground.fill("width", "64");
  await playground.fill("height", "48");
  await playground.run();
  await playground.reaches("SUCCEEDED");
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
  assert.equal(await page.getByText("You are offline").count(), 0);
  assert.equal(
    await page.locator("textarea[name=prompt]").inputValue(),
    "a lighthouse",
  );
  await playground.run();
  await playground.reaches("SUCCEEDED");
});

test("a page that could not connect does so by itself when the line is back", async (t) => {
  const playground = await open(t, "text_to_image");
  const { page } = playground;
  await page.route(WASM, (route) => route.abort());
  await page.reload();
  await page.getByRole("button", { name: "Connect again" }).waitFor();
  await page.unroute(WASM);
  await comeBack(playground);
  await playground.connected();
  assert.equal(
    await page.getByRole("button", { name: "Connect again" }).count(),
    0,
  );
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
  assert.match(
    await page.evaluate(focused),
    /Download/,
    "the focus is on the result",
  );
});

test("the parts of the page that are loaded later are loaded when the line is back", async (t) => {
  const playground = await open(t, "background_removal");
  const { page } = playground;
  await page.context().setOffline(true);
  await playground.choose(
    "file_id",
    file("a.png", "image/png", picture(160, 120)),
  );
  await page
    .locator(".form")
    .getByRole("button", { name: "Show the code" })
    .click();
  await page.getByRole("dialog").getByText("You are offline.").waitFor();
  await page.context().setOffline(false);
  await page.getByRole("dialog").locator("pre").waitFor();
  await page.keyboard.press("Escape");
  await page.locator(".drawing .facts").waitFor();
  const cursor = await page
    .locator(".ReactCrop")
    .evaluate((element) => getComputedStyle(element).position);
  assert.equal(cursor, "relative", "with its style sheet");

  await playground.go("split_pdf");
  await page.context().setOffline(true);
  await playground.choose(
    "input_file_id",
    file("a.pdf", "application/pdf", await pdf([201, 202])),
  );
  await eventually(() => page.locator(".form canvas").count(), 0);
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
  await playground.choose(
    "file_id",
    file("a.png", "image/png", picture(160, 120)),
  );
  await page.locator(".drawing .facts").waitFor();
});
