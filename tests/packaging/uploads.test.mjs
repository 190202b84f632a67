// An upload that takes minutes, whose progress a service worker hides.
import assert from "node:assert/strict";
import { createServer, request as send } from "node:http";
import { after, before, test } from "node:test";
import { file, Playground } from "../e2e/playground.mjs";
import { startBrowser } from "../support/browser.mjs";
import { picture } from "../support/fixtures.mjs";
import { listen } from "../support/listen.mjs";
import { startStack } from "../support/stack.mjs";

const TIMEOUT_MS = 180_000;

let browser;
before(async () => {
  browser = await startBrowser();
});
after(() => browser?.close());

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
  const playground = await Playground.open(browser, url);
  playground.closeAfter(t);
  await playground.show("background_removal");
  const { page } = playground;
  page.on("requestfailed", (request) => {
    if (request.method() === "PUT") failed += 1;
  });
  await page.evaluate(async () => {
    await navigator.serviceWorker.register("/worker.js");
  });
  await page.waitForFunction(() => navigator.serviceWorker.controller);
  // A picture of three megabytes.
  const photo = file("photo.png", "image/png", picture(1_000, 1_000));
  await playground.choose("file_id", photo);
  await playground.run();
  await page
    .locator('.task[data-state="SUCCEEDED"]')
    .waitFor({ timeout: TIMEOUT_MS });
  assert.equal(failed, 0);
});
