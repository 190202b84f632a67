// Measures the playground's first visit on slow 4G with a quarter of the processor, from `serve`.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { startBrowser } from "../../support/browser.mjs";
import { startEmulator } from "../../support/emulator.mjs";
import { SETTINGS } from "../../support/gateway.mjs";
import { freePort } from "../../support/port.mjs";
import { quantile } from "../support/rounds.mjs";

export const title = "First visit of the playground";

const COMMAND = fileURLToPath(
  new URL("../../../gateway/bin/mediagate-gateway.js", import.meta.url),
);

/** Lighthouse's "slow 4G", in milliseconds and bytes per second. */
const SLOW_4G = {
  offline: false,
  latency: 150,
  downloadThroughput: 1_638_400 / 8,
  uploadThroughput: 675_000 / 8,
};
const CPU_SLOWDOWN = 4;
/** Milliseconds that the page is watched for after it is connected. */
const SETTLED_MS = 1_500;

const SCREENS = {
  "phone, 390 × 844": {
    viewport: { width: 390, height: 844 },
    deviceScaleFactor: 3,
    isMobile: true,
    hasTouch: true,
  },
  "desktop, 1440 × 900": { viewport: { width: 1440, height: 900 } },
};

/** @param {{ quick: boolean }} options */
export async function run({ quick }) {
  const gateway = await start();
  const browser = await startBrowser();
  try {
    const names = Object.keys(SCREENS);
    /** @type {Record<string, Awaited<ReturnType<typeof visit>>[]>} */
    const visits = Object.fromEntries(names.map((name) => [name, []]));
    for (let round = 0; round < (quick ? 1 : 7); round++)
      for (const name of names)
        visits[name].push(await visit(browser, gateway.url, SCREENS[name]));
    const row = (of) => [
      ...["firstPaint", "largestPaint", "connected"].map((key) =>
        quantile(of.map((visit) => visit[key])),
      ),
      Math.max(...of.map((visit) => visit.shift)),
      quantile(of.map((visit) => visit.bytes)),
      quantile(of.map((visit) => visit.requests)),
    ];
    return {
      tables: [
        {
          title:
            "The first visit on slow 4G with a quarter of the processor, median",
          columns: [
            "FCP, ms",
            "LCP, ms",
            "connected, ms",
            "CLS, most",
            "bytes",
            "requests",
          ],
          rows: Object.fromEntries(
            names.map((name) => [name, row(visits[name])]),
          ),
          notes: names.map(
            (name) => `${name}: the largest is ${visits[name][0].largest}`,
          ),
        },
      ],
    };
  } finally {
    await browser.close();
    await gateway.stop();
  }
}

/** Starts the emulator, and the command `serve` before it. */
async function start() {
  const emulator = await startEmulator();
  const folder = await mkdtemp(join(tmpdir(), "mediagate-bench-"));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(
    process.execPath,
    [
      ...[COMMAND, "serve", "--port", String(port), "--data", folder],
      "--private-upstream",
    ],
    {
      env: {
        ...process.env,
        ...SETTINGS,
        UPSTREAM_BASE_URL: emulator.url,
        ALLOWED_ORIGINS: url,
        ANONYMOUS_SESSIONS: "on",
        PUBLIC_ASSETS: "*",
        UPLOAD_HOSTS: "127.0.0.1",
        OUTPUT_HOSTS: "127.0.0.1",
        MEDIA_HOSTS: emulator.url,
      },
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  const ended = once(child, "exit");
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
    await emulator.stop();
    await rm(folder, { recursive: true });
  };
  for await (const line of createInterface({ input: child.stderr }))
    if (line.startsWith("the gateway serves")) return { url, stop };
  await stop();
  throw new Error("the gateway did not start: run `cargo xtask build`");
}

/** Opens the page in a context without a cache, and returns the milliseconds, bytes and shifts. */
async function visit(browser, url, screen) {
  const context = await browser.newContext(screen);
  try {
    const page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    await devtools.send("Network.enable");
    await devtools.send("Network.emulateNetworkConditions", SLOW_4G);
    await devtools.send("Emulation.setCPUThrottlingRate", {
      rate: CPU_SLOWDOWN,
    });
    const loaded = { bytes: 0, requests: 0 };
    devtools.on("Network.loadingFinished", ({ encodedDataLength }) => {
      loaded.bytes += encodedDataLength;
      loaded.requests += 1;
    });
    await page.addInitScript(observe);
    await page.goto(url);
    await page.locator(".connection[data-state=connected]").waitFor({
      state: "attached",
    });
    const connected = await page.evaluate(() => performance.now());
    await page.waitForTimeout(SETTLED_MS);
    const painted = await page.evaluate(
      () => /** @type {any} */ (globalThis).painted,
    );
    return { ...painted, ...loaded, connected };
  } finally {
    await context.close();
  }
}

/** Runs in the page, before its own scripts. */
function observe() {
  const painted = { firstPaint: 0, largestPaint: 0, largest: "", shift: 0 };
  Object.assign(globalThis, { painted });
  const watch = (type, note) =>
    new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({
      type,
      buffered: true,
    });
  watch("paint", ({ name, startTime }) => {
    if (name === "first-contentful-paint") painted.firstPaint = startTime;
  });
  watch("largest-contentful-paint", ({ startTime, element, url }) => {
    painted.largestPaint = startTime;
    painted.largest = `${element?.tagName} ${url || element?.textContent.slice(0, 40)}`;
  });
  watch("layout-shift", ({ value, hadRecentInput }) => {
    if (!hadRecentInput) painted.shift += value;
  });
}
