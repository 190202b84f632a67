// mediagate/react, in StrictMode, which mounts every component twice.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { listen } from "../support/listen.mjs";
import { install, remove, run, tool } from "./support/install.mjs";
import { suite } from "./support/suite.mjs";

/** An upload of this many bytes exceeds what sockets buffer, and has intermediate progress at this speed. */
const UPLOAD_BYTES = 16_000_000;
const suited = suite({ stack: { uploadSpeed: 20_000_000 } });

let folder;
before(async () => {
  folder = await install("react", "react");
  await run(tool("vite"), ["build", "--logLevel", "warn"], folder);
});
after(() => remove(folder));

const open = async (t) => (await suited.visit(t, `${folder}/dist`)).page;

const consoleLines = async (page) => (await page.lines()).filter((it) => !it.includes("React DevTools"));
const create = async () => {
  globalThis.task = await globalThis.media.textToImageTurbo({ prompt: "a paper boat" });
  globalThis.show({ task: globalThis.task });
};

/** For the page, a task is never over. Its stream is refused, or comes from another server. */
function neverOver(streams) {
  globalThis.network ??= fetch;
  globalThis.fetch = async (url, init) => {
    const { pathname } = new URL(url);
    if (pathname.endsWith("/events")) {
      if (streams) return globalThis.network(streams, init);
      return Response.json({ code: 12, message: "no such path" }, { status: 404 });
    }
    const response = await globalThis.network(url, init);
    if (!pathname.includes("/generate/")) return response;
    const body = await response.json();
    Object.assign(body.data.task, { state: "PROCESSING", status: "PROCESSING" });
    return Response.json(body, response);
  };
}

/** A server that never responds, except to preflights: its URL, its first request, and the end of that connection. */
async function startSilence(t) {
  const server = createServer((request, response) => {
    if (request.method !== "OPTIONS") return void server.emit("pending", request.socket);
    const headers = { "access-control-allow-origin": "*", "access-control-allow-headers": "authorization, *" };
    response.writeHead(204, headers).end();
  });
  const sent = once(server, "pending");
  const ended = sent.then(([socket]) => once(socket, "close"));
  const url = await listen(server);
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url, sent, ended };
}

test("a component shows a task until it is over", async (t) => {
  const page = await open(t);
  await page.shows("#task", "unseen");
  await page.evaluate(create);
  await page.shows("#task", "SUCCEEDED");
  assert.deepEqual(await consoleLines(page), []);
});

test("an unmounted component leaves no timer and no request", async (t) => {
  const page = await open(t);
  // A driver may have a timer of its own while it evaluates.
  const idle = await page.evaluate(() => globalThis.timers.size);
  const isIdle = (timers) => !document.getElementById("task") && globalThis.timers.size === timers;
  await page.evaluate(neverOver);
  await page.evaluate(create);
  await page.shows("#task", "PROCESSING");
  await page.waitFor((timers) => globalThis.timers.size === timers + 1, idle);
  await page.evaluate(() => globalThis.show({ task: false }));
  await page.waitFor(isIdle, idle);

  // The same while a request is pending.
  const { url, sent, ended } = await startSilence(t);
  await page.evaluate(neverOver, url);
  await page.evaluate(create);
  await sent;
  await page.evaluate(() => globalThis.show({ task: false }));
  await ended;
  await page.waitFor(isIdle, idle);
});

test("a task that cannot be read is an error", async (t) => {
  const page = await open(t);
  await page.evaluate(() =>
    globalThis.show({ task: globalThis.media.task({ id: "none", capability: "split_video" }) }),
  );
  await page.shows("#task", "invalid_input");
});

test("an upload shows its progress and its id, and aborts the one before", async (t) => {
  const page = await open(t);
  assert.equal(await page.evaluate(() => globalThis.upload(new Blob(["x"]))), undefined);
  await page.shows("#upload", "not_loaded");
  await page.evaluate(() => globalThis.show({ media: globalThis.media }));
  const { aborted, id } = await page.evaluate(async (size) => {
    const file = () => new File([new Uint8Array(size)], "a.png", { type: "image/png" });
    await new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown)));
    const [first, second] = await Promise.all([globalThis.upload(file()), globalThis.upload(file())]);
    return { aborted: first === undefined, id: second };
  }, UPLOAD_BYTES);
  assert.ok(aborted);
  await page.shows("#upload", id);
  const progressed = await page.evaluate(() => globalThis.progressed);
  assert.ok(
    progressed.some(({ loaded, total }) => loaded > 0 && loaded < total),
    JSON.stringify(progressed),
  );
  await page.evaluate(() => globalThis.abort());
  await page.shows("#upload", "idle");
  assert.deepEqual(await consoleLines(page), []);
});
