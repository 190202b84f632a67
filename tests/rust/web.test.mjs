// The client for Rust on a page: its tests are compiled to wasm, and run in Chromium with a gateway
// and the emulator.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { startBrowser } from "../support/browser.mjs";
import { listen } from "../support/listen.mjs";
import { freePort } from "../support/port.mjs";
import { startStack } from "../support/stack.mjs";
import { buildWebTests } from "./support/cargo.mjs";

let browser;
let stack;
let other;
let runner;
let page;
before(async () => {
  const wasm = buildWebTests();
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  stack = await startStack({
    settings: { ALLOWED_ORIGINS: origin },
    assets: false,
  });
  other = await startOther();
  runner = await startRunner(wasm, origin);
  browser = await startBrowser();
  page = `${origin}/?${new URLSearchParams({ gateway: stack.url, other: other.url })}`;
});
after(async () => {
  await browser?.close();
  runner?.kill();
  other?.server.close();
  await stack?.stop();
});

/**
 * Starts a server that is no gateway. Below `/silent` it allows any page and never responds.
 * `/aborted` returns the number of requests there that the browser has aborted. Below `/foreign` it
 * allows no page.
 */
async function startOther() {
  let aborted = 0;
  const server = createServer((request, response) => {
    if (request.url?.startsWith("/foreign")) {
      response.end("{}");
      return;
    }
    response.setHeader("access-control-allow-origin", "*");
    response.setHeader(
      "access-control-allow-headers",
      "authorization, content-type",
    );
    if (request.method === "OPTIONS") response.end();
    else if (request.url === "/aborted") response.end(String(aborted));
    else request.on("close", () => aborted++);
  });
  return { url: await listen(server), server };
}

/** Serves the page that runs the tests. */
async function startRunner(wasm, origin) {
  const process_ = spawn("wasm-bindgen-test-runner", [wasm], {
    env: {
      ...process.env,
      NO_HEADLESS: "1",
      WASM_BINDGEN_TEST_ADDRESS: new URL(origin).host,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(process_.stdout, "data");
  assert.match(String(line), /available at/);
  process_.stdout.resume();
  return process_;
}

test("the tests of the driver for pages pass in Chromium", async () => {
  const tab = await browser.newPage();
  await tab.goto(page);
  const output = async () => (await tab.textContent("#output")) ?? "";
  const hasEnded = () =>
    /test result: /.test(document.querySelector("#output")?.textContent ?? "");
  await tab
    .waitForFunction(hasEnded, null, { timeout: 120_000 })
    .catch(async () => assert.fail(await output()));
  const text = await output();
  assert.ok(/test result: ok\. [1-9]\d* passed; 0 failed/.test(text), text);
});
