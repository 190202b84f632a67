// Uploads whose last part takes minutes: a proxy holds a whole file before it passes it on, and a
// service worker hides the progress of a slow upload.
import assert from "node:assert/strict";
import { createServer, request as send } from "node:http";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { file, Playground } from "../e2e/playground.mjs";
import { startBrowser } from "../support/browser.mjs";
import { picture } from "../support/fixtures.mjs";
import { listen } from "../support/listen.mjs";
import { startStack } from "../support/stack.mjs";

/** Milliseconds that are longer than a request without progress may take. */
const HELD_MS = 60_000;
const TIMEOUT_MS = 180_000;

let browser;
before(async () => {
  browser = await startBrowser();
});
after(() => browser?.close());

/** Uploads a picture in the playground, and waits for the result. */
async function upload(t, url, side, prepare = async (_page) => {}) {
  const playground = await Playground.open(browser, url);
  playground.closeAfter(t);
  await playground.show("background_removal");
  await prepare(playground.page);
  const photo = file("photo.png", "image/png", picture(side, side));
  await playground.choose("file_id", photo);
  await playground.run();
  await playground.page
    .locator('.task[data-state="SUCCEEDED"]')
    .waitFor({ timeout: TIMEOUT_MS });
}

test("a file that a proxy holds for a minute is sent once", async (t) => {
  const stack = await startStack({
    flags: ["--task-seconds", "0.1"],
    storage: { before: () => sleep(HELD_MS) },
  });
  t.after(stack.stop);
  // A picture of three megabytes.
  await upload(t, stack.url, 1_000);
  assert.equal(stack.uploads(), 1);
});

/** A service worker that passes every request on. */
const WORKER = `
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => event.respondWith(fetch(event.request)));
`;

test("a slow file is sent from a page whose service worker hides the progress", async (t) => {
  let target = "";
  const site = createServer((request, response) => {
    const { method, url: path, headers } = request;
    if (path === "/worker.js")
      return response
        .writeHead(200, { "content-type": "text/javascript" })
        .end(WORKER);
    const { hostname, port } = new URL(target);
    const passed = send({ hostname, port, path, method, headers }, (answer) =>
      answer.pipe(response.writeHead(answer.statusCode, answer.headers)),
    );
    passed.on("error", () => response.destroy());
    return request.pipe(passed);
  });
  const url = await listen(site);
  t.after(() => {
    site.closeAllConnections();
    site.close();
  });
  const stack = await startStack({
    flags: ["--task-seconds", "0.1"],
    settings: { ALLOWED_ORIGINS: url },
    uploadSpeed: 50_000,
  });
  t.after(stack.stop);
  target = stack.url;
  let failed = 0;
  await upload(t, url, 1_000, async (page) => {
    page.on("requestfailed", (request) => {
      if (request.method() === "PUT") failed += 1;
    });
    await page.evaluate(async () => {
      await navigator.serviceWorker.register("/worker.js");
    });
    await page.waitForFunction(() => navigator.serviceWorker.controller);
  });
  assert.equal(failed, 0);
});
