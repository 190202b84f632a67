// A large file from a page, beside a bare XMLHttpRequest: throughput, the wasm's memory, and whether the page stays free.
//
// Chromium reads a file in pieces of 16 KiB on one thread and writes them to the socket on another. What a piece costs
// depends on where the kernel puts the two, so the same upload takes once and then twice as long: the browser is kept
// to one core and the storage to another, and what is compared runs at the same moment.
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, open, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundle } from "../support/bundle.mjs";
import { openSite } from "../support/page.mjs";
import { keepTo } from "../support/process.mjs";
import { quantile } from "../support/rounds.mjs";
import { drained, sendJson } from "../support/server.mjs";

export const title = "Uploads";

const MIB = 2 ** 20;
const KINDS = ["mediagate", "xhr"];

export async function run({ quick }) {
  const storage = fork(new URL("../support/storage.mjs", import.meta.url));
  const [url] = await once(storage, "message");
  keepTo("last", storage.pid);
  const release = keepTo("first");
  const folder = await mkdtemp(join(tmpdir(), "mediagate-bench-"));
  const wasm = await readFile(new URL("../../../pkg/dist/mediagate_bg.wasm", import.meta.url));
  const site = await openSite({ "/app.js": await bundle('export * from "./measure/uploads-page.mjs"'), "/client.wasm": wasm }, gateway(url));
  try {
    const sizes = (quick ? [1, 8, 64, 256] : [1, 4, 16, 64, 256, 1024]).map((it) => it * MIB);
    const size = sizes.at(-1);
    const page = await pageWith(site, url, await sparse(folder, size));
    await alone(page, "xhr", size);
    const raced = await races(page, size, quick ? 2 : 6);
    const points = [];
    for (const it of sizes) points.push([it, await inTurns(page, it, 2)]);
    return { tables: [table(size, points.at(-1)[1], raced)], plots: [plot(points)] };
  } finally {
    await site.stop();
    release();
    storage.disconnect();
    await rm(folder, { recursive: true });
  }
}

/** The gateway's answer to who asks for an upload URL. */
function gateway(url) {
  return async (request, response) => {
    await drained(request);
    sendJson(response, { code: 0, message: "ok", data: { upload_url: url, file_id: "f" } });
  };
}

/** A file that takes no room on the disk; once read, it is in memory. */
async function sparse(folder, size) {
  const path = join(folder, "file.bin");
  const file = await open(path, "w");
  await file.truncate(size);
  await file.close();
  return path;
}

async function pageWith(site, url, path) {
  const page = await site.page();
  await page.evaluate(async () => Object.assign(globalThis, await import("/app.js")));
  await page.evaluate((it) => globalThis.prepare(it), url);
  await page.setInputFiles("input", path);
  page.devtools = await page.context().newCDPSession(page);
  // Not the time that passed: the time that the page's thread was busy.
  await page.devtools.send("Performance.enable", { timeDomain: "threadTicks" });
  return page;
}

/** One upload, and the milliseconds of CPU that it took of the page's main thread. */
async function alone(page, kind, size) {
  const before = await busyMs(page);
  const seen = await page.evaluate(([kind, size]) => globalThis.alone(kind, size), [kind, size]);
  return { ...seen, busy: (await busyMs(page)) - before };
}

async function busyMs(page) {
  const { metrics } = await page.devtools.send("Performance.getMetrics");
  return 1000 * metrics.find((it) => it.name === "TaskDuration").value;
}

/** Each beside a bare one at the same moment, the bare one too, which tells how exact this is. */
async function races(page, size, rounds) {
  const all = { mediagate: [], xhr: [] };
  for (let round = 0; round < rounds; round++) {
    for (const kind of KINDS) {
      all[kind].push(await page.evaluate((given) => globalThis.race(...given), [kind, size, round % 2 === 0]));
    }
  }
  return all;
}

async function inTurns(page, size, rounds) {
  const all = { mediagate: [], xhr: [] };
  for (let round = 0; round < rounds; round++) {
    for (const kind of round % 2 ? KINDS.toReversed() : KINDS) all[kind].push(await alone(page, kind, size));
  }
  // The best round is the least disturbed one; of what it did to the page the worst counts.
  const most = (list, key) => Math.max(...list.map((it) => it[key]));
  const least = (list, key) => Math.min(...list.map((it) => it[key]));
  const summary = (list) => ({ seconds: least(list, "seconds"), growth: most(list, "growth"), blocked: most(list, "blocked"), busy: most(list, "busy") });
  return { mediagate: summary(all.mediagate), xhr: summary(all.xhr) };
}

function table(size, seen, raced) {
  const row = (kind) => {
    const { seconds, growth, blocked, busy } = seen[kind];
    return [size / MIB / seconds, quantile(raced[kind]), Math.min(...raced[kind]), Math.max(...raced[kind]), growth, blocked, busy];
  };
  return {
    title: `A file of ${size / MIB} MiB from a page, with its progress shown`,
    columns: ["MiB/s alone", "÷ bare at once", "least", "most", "growth of wasm memory, bytes", "longest task, ms", "page's CPU, ms"],
    rows: { mediagate: row("mediagate"), "bare XMLHttpRequest": row("xhr") },
    notes: [
      `at once: throughput beside a bare one that runs at the same moment, the median of ${raced.xhr.length}; of a bare one, how exact that is`,
      "longest task: what kept the page from answering, 0 where nothing took 50 ms; page's CPU: of its main thread",
    ],
  };
}

function plot(points) {
  const series = KINDS.map((name) => ({ name, points: points.map(([size, seen]) => [size, 1000 * seen[name].seconds]) }));
  return { title: "Uploads: time against size", x: "bytes", y: "milliseconds", log: true, series };
}
