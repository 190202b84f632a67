// The client for Rust on a page: its tests are compiled to wasm, and run in Chromium with a gateway
// and the emulator.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { startBrowser } from "../support/browser.mjs";
import { listen } from "../support/listen.mjs";
import { startStack } from "../support/stack.mjs";
import { TIMEOUT_MS, within } from "../support/within.mjs";
import { buildWebTests } from "./support/cargo.mjs";

const TESTS_MS = 300_000;

let browser;
let stack;
let other;
let runner;
let page;
before(async () => {
  runner = startRunner(buildWebTests());
  const origin = await within(TIMEOUT_MS, "the runner's start", url(runner));
  stack = await startStack({
    settings: { ALLOWED_ORIGINS: origin },
    assets: false,
  });
  other = await startOther();
  browser = await startBrowser();
  page = `${origin}/?${new URLSearchParams({ gateway: stack.url, other: other.url })}`;
});
after(async () => {
  try {
    await browser?.close();
  } finally {
    runner?.kill();
    other?.server.close();
    await stack?.stop();
  }
});

/**
 * Starts a server that is no gateway. Below `/silent` it allows any page and never responds. Once a
 * request has arrived there, `/aborted` returns how many of them the browser has aborted. Below
 * `/foreign` it allows no page. Below `/redirect` it redirects to `/redirected`, and `/followed`
 * returns how many requests have arrived there. Its upload URLs are below `/redirect`, too.
 */
async function startOther() {
  let aborted = 0;
  let followed = 0;
  let arrive;
  const arrived = new Promise((resolve) => {
    arrive = resolve;
  });
  const server = createServer((request, response) => {
    if (request.url?.startsWith("/foreign")) {
      response.end("{}");
      return;
    }
    response.setHeader("access-control-allow-origin", "*");
    response.setHeader(
      "access-control-allow-headers",
      "authorization, content-type, idempotency-key",
    );
    response.setHeader("access-control-allow-methods", "*");
    if (request.method === "OPTIONS") response.end();
    else if (request.url?.endsWith("/upload_urls"))
      response.end(
        JSON.stringify({
          code: 0,
          data: {
            file_id: "f",
            upload_url: `http://${request.headers.host}/redirect/put`,
          },
        }),
      );
    else if (request.url?.startsWith("/redirected")) {
      followed++;
      response.end("{}");
    } else if (request.url?.startsWith("/redirect"))
      response.writeHead(307, { location: "/redirected" }).end();
    else if (request.url === "/followed") response.end(String(followed));
    else if (request.url === "/aborted")
      void arrived.then(() => response.end(String(aborted)));
    else {
      request.on("close", () => aborted++);
      arrive();
    }
  });
  return { url: await listen(server), server };
}

/** Serves the page that runs the tests, on a free port. */
function startRunner(wasm) {
  return spawn("wasm-bindgen-test-runner", [wasm], {
    env: {
      ...process.env,
      NO_HEADLESS: "1",
      WASM_BINDGEN_TEST_ADDRESS: "127.0.0.1:0",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
}

/** Resolves to the URL that the runner prints once it listens. */
async function url({ stdout }) {
  for await (const line of createInterface({ input: stdout })) {
    const printed = /available at (http:\/\/[\w.:]+)/.exec(line)?.[1];
    if (!printed) continue;
    stdout.resume();
    return printed;
  }
  throw new Error("the runner ended before it listened");
}

test("the tests of the driver for pages pass in Chromium", async () => {
  const tab = await browser.newPage();
  tab.setDefaultTimeout(TESTS_MS);
  await tab.goto(page);
  const output = async () => (await tab.textContent("#output")) ?? "";
  const hasEnded = () =>
    /test result: /.test(document.querySelector("#output")?.textContent ?? "");
  await tab
    .waitForFunction(hasEnded)
    .catch(async () => assert.fail(await output()));
  const text = await output();
  assert.ok(/test result: ok\. [1-9]\d* passed; 0 failed/.test(text), text);
});
