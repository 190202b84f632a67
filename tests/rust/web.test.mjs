// The client for Rust on a page: its tests are compiled to wasm, and run in Chromium with a gateway and the emulator.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { after, before, test } from "node:test";
import { startBrowser } from "../support/browser.mjs";
import { freePort } from "../support/port.mjs";
import { startStack } from "../support/stack.mjs";

const BUILD = ["test", "-p", "mediagate", "--target", "wasm32-unknown-unknown", "--test", "web", "--no-run"];

let browser;
let stack;
let foreign;
let runner;
let page;
before(async () => {
  const wasm = built();
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  [stack, foreign] = await Promise.all([
    startStack({ settings: { ALLOWED_ORIGINS: origin }, assets: false }),
    startStack({ assets: false }),
  ]);
  runner = await startRunner(wasm, origin);
  browser = await startBrowser();
  page = `${origin}/?${new URLSearchParams({ gateway: stack.url, foreign: foreign.url })}`;
});
after(async () => {
  await browser?.close();
  runner?.kill();
  await Promise.all([stack?.stop(), foreign?.stop()]);
});

/** The path of the compiled tests. */
function built() {
  const { stdout, stderr, status } = spawnSync("cargo", [...BUILD, "--message-format=json-render-diagnostics"], {
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  assert.equal(status, 0, stderr);
  const messages = stdout.trim().split("\n").map((it) => JSON.parse(it));
  return messages.find((it) => it.target?.name === "web" && it.executable).executable;
}

/** Serves the page that runs the tests. */
async function startRunner(wasm, origin) {
  const process_ = spawn("wasm-bindgen-test-runner", [wasm], {
    env: { ...process.env, NO_HEADLESS: "1", WASM_BINDGEN_TEST_ADDRESS: new URL(origin).host },
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
  const output = tab.locator("#output");
  await tab.waitForFunction(() => /test result: /.test(document.querySelector("#output")?.textContent ?? ""), null, {
    timeout: 120_000,
  }).catch(async () => assert.fail(`no end: ${await output.textContent()}`));
  const text = (await output.textContent()) ?? "";
  assert.match(text, /test result: ok\. [1-9]\d* passed; 0 failed/, text);
});
