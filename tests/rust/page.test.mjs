// The example of a page in Yew, in Chromium, with a gateway and the emulator.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname } from "node:path";
import { after, before, test } from "node:test";
import { startBrowser } from "../support/browser.mjs";
import { picture } from "../support/fixtures.mjs";
import { listen } from "../support/listen.mjs";
import { startStack } from "../support/stack.mjs";

const FOLDER = new URL("../../examples/page/", import.meta.url);
const TYPES = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".wasm": "application/wasm",
};

let server;
let url;
let stack;
let browser;
before(async () => {
  server = createServer(respond);
  url = await listen(server);
  stack = await startStack({
    settings: { ALLOWED_ORIGINS: url },
    assets: false,
  });
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  server?.close();
  await stack?.stop();
});

/** Serves the example's folder. Its page names the gateway of this test. */
async function respond(request, response) {
  const path = request.url === "/" ? "index.html" : `.${request.url}`;
  const file = await readFile(new URL(path, FOLDER)).catch(() => null);
  if (!file) {
    response.writeHead(404).end();
    return;
  }
  response.setHeader("content-type", TYPES[extname(path)]);
  response.end(
    path === "index.html"
      ? String(file).replace("http://127.0.0.1:8787", stack.url)
      : file,
  );
}

/** Opens the page, and chooses a picture. */
async function opened() {
  const page = await browser.newPage();
  await page.goto(url);
  await page.getByLabel("Picture").setInputFiles({
    name: "one.png",
    mimeType: "image/png",
    buffer: picture(64, 64),
  });
  return page;
}

test("a person chooses a picture, follows its progress, and sees the video", async () => {
  const page = await opened();
  const button = page.getByRole("button", { name: "Make a video" });
  await button.click();
  await page.getByText("Making the video").waitFor();
  assert.ok(await button.isDisabled());
  const video = page.locator("video");
  await video.waitFor({ timeout: 60_000 });
  await page.waitForFunction(
    () => (document.querySelector("video")?.duration ?? 0) > 0,
  );
  assert.ok(await button.isEnabled());
  await page.close();
});

test("a failure is described in words, and the work can be repeated", async () => {
  const page = await opened();
  const input = page.getByLabel("Picture");
  const button = page.getByRole("button", { name: "Make a video" });
  await input.setInputFiles({
    name: "none.png",
    mimeType: "image/png",
    buffer: Buffer.alloc(0),
  });
  await button.click();
  await page.getByRole("alert").waitFor();
  assert.match(
    (await page.getByRole("alert").textContent()) ?? "",
    /the file is empty/,
  );
  await input.setInputFiles({
    name: "one.png",
    mimeType: "image/png",
    buffer: picture(64, 64),
  });
  await button.click();
  await page.locator("video").waitFor({ timeout: 60_000 });
  await page.close();
});
