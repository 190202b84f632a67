// The example of a page in Yew, in Chromium, with a gateway and the emulator.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname } from "node:path";
import { after, before, test } from "node:test";
import { startEngine } from "../support/engines/index.mjs";
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
let engine;
before(async () => {
  server = createServer(respond);
  url = await listen(server);
  stack = await startStack({
    settings: { ALLOWED_ORIGINS: url },
    assets: false,
  });
  engine = await startEngine("chromium");
});
after(async () => {
  try {
    await engine?.close();
  } finally {
    server?.close();
    await stack?.stop();
  }
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

/** Opens the page. Returns it with its input for the picture and its button. */
async function open(t) {
  const page = await engine.open();
  t.after(() => page.close());
  await page.goto(url);
  const { playwright } = page;
  const input = playwright.getByLabel("Picture");
  const button = playwright.getByRole("button", { name: "Make a video" });
  return { page, input, button };
}

const png = (name, buffer) => ({ name, mimeType: "image/png", buffer });

/** Runs in the page: returns true if it shows a video of a known length. */
const showsVideo = () => document.querySelector("video")?.duration > 0;

/** Runs in the page: records each text with the state of the button from now on. */
function recordStages() {
  globalThis.stages = [];
  const record = () =>
    globalThis.stages.push({
      text: document.querySelector("section").textContent,
      isBusy: document.querySelector("button").disabled,
    });
  new MutationObserver(record).observe(document.body, {
    subtree: true,
    childList: true,
    characterData: true,
    attributes: true,
  });
}

test("a person chooses a picture, follows its progress, and sees the video", async (t) => {
  const { page, input, button } = await open(t);
  await input.setInputFiles(png("one.png", picture(64, 64)));
  await page.evaluate(recordStages);
  await button.click();
  await page.waitFor(showsVideo);
  assert.ok(await button.isEnabled());
  const stages = await page.evaluate(() => globalThis.stages);
  const following = stages.filter((stage) => stage.text === "Making the video");
  assert.ok(following.length > 0, JSON.stringify(stages));
  assert.ok(
    following.every((stage) => stage.isBusy),
    JSON.stringify(stages),
  );
});

test("a failure is described in words, and the work can be repeated", async (t) => {
  const { page, input, button } = await open(t);
  await input.setInputFiles(png("none.png", Buffer.alloc(0)));
  await button.click();
  await page.waitFor(() =>
    document
      .querySelector("[role=alert]")
      ?.textContent.includes("the file is empty"),
  );
  await input.setInputFiles(png("one.png", picture(64, 64)));
  await button.click();
  await page.waitFor(showsVideo);
});
