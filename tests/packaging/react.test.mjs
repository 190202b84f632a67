// mediagate/react in Chromium, in StrictMode, which mounts every component twice.
import assert from "node:assert/strict";
import { test } from "node:test";
import { run, tool } from "./support/install.mjs";
import { suite } from "./support/suite.mjs";

const suited = suite();

async function open(t) {
  const folder = await suited.project(t, "react");
  await run(tool("vite"), ["build", "--logLevel", "warn"], folder);
  const { page, lines } = await suited.visit(t, `${folder}/dist`);
  return { page, consoleLines: () => lines.filter((it) => !it.includes("React DevTools")) };
}

const shows = (page, id, text) =>
  page.waitForFunction(([id, text]) => document.getElementById(id)?.textContent === text, [id, text]);
const create = async () => {
  globalThis.task = await globalThis.media.textToImageTurbo({ prompt: "a paper boat" });
  globalThis.show({ task: globalThis.task });
};

test("a component shows a task until it is over", async (t) => {
  const { page, consoleLines } = await open(t);
  await shows(page, "task", "unseen");
  await page.evaluate(create);
  await shows(page, "task", "SUCCEEDED");
  assert.deepEqual(consoleLines(), []);
});

test("an unmounted component leaves no timer and no request", async (t) => {
  const { page } = await open(t);
  // For the page, the task is never over.
  await page.route("**/generate/**", async (route) => {
    const response = await route.fetch();
    const json = await response.json();
    Object.assign(json.data.task, { state: "PROCESSING", status: "PROCESSING" });
    await route.fulfill({ response, json });
  });
  const events = "**/tasks/*/events";
  await page.route(events, (route) => route.fulfill({ status: 404, json: { code: 12, message: "no such path" } }));
  await page.evaluate(create);
  await shows(page, "task", "PROCESSING");
  await page.waitForFunction(() => globalThis.timers.size === 1);
  await page.evaluate(() => globalThis.show({ task: false }));
  await page.waitForFunction(() => !document.getElementById("task") && globalThis.timers.size === 0);

  // The same while a request is pending.
  await page.unroute(events);
  await page.route(events, () => {});
  const ended = page.waitForEvent("requestfailed");
  const sent = page.waitForRequest(events);
  await page.evaluate(create);
  await sent;
  await page.evaluate(() => globalThis.show({ task: false }));
  assert.match((await ended).failure().errorText, /ABORTED/);
  assert.equal(await page.evaluate(() => globalThis.timers.size), 0);
});

test("a task that cannot be read is an error", async (t) => {
  const { page } = await open(t);
  await page.evaluate(() =>
    globalThis.show({ task: globalThis.media.task({ id: "none", capability: "split_video" }) }),
  );
  await shows(page, "task", "invalid_input");
});

test("an upload shows its progress and its id, and aborts the one before", async (t) => {
  const { page, consoleLines } = await open(t);
  assert.equal(await page.evaluate(() => globalThis.upload(new Blob(["x"]))), undefined);
  await shows(page, "upload", "not_loaded");
  await page.evaluate(() => globalThis.show({ media: globalThis.media }));
  // Slow enough for intermediate progress.
  const line = await page.context().newCDPSession(page);
  const speed = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 500_000 };
  await line.send("Network.emulateNetworkConditions", speed);
  const [first, second] = await page.evaluate(async () => {
    const file = () => new File([new Uint8Array(200_000)], "a.png", { type: "image/png" });
    await new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown)));
    return Promise.all([globalThis.upload(file()), globalThis.upload(file())]);
  });
  assert.equal(first, undefined);
  await shows(page, "upload", second);
  const progressed = await page.evaluate(() => globalThis.progressed);
  assert.ok(
    progressed.some(({ loaded, total }) => loaded > 0 && loaded < total),
    JSON.stringify(progressed),
  );
  await page.evaluate(() => globalThis.abort());
  await shows(page, "upload", "idle");
  assert.deepEqual(consoleLines(), []);
});
