// A large file from a page, beside a bare XMLHttpRequest: throughput, the wasm's memory, and whether the page stays free.
//
// Chromium reads a file in pieces of 16 KiB on one thread and writes them to the socket on another. What a piece costs
// depends on where the kernel puts the two, so an upload takes now once, now twice as long. Therefore the browser is kept
// to one core and the storage to another, the bare one is also compared with itself, and both run once at the same moment.
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundle } from "../support/bundle.mjs";
import { openSite } from "../support/page.mjs";
import { keepTo } from "../support/process.mjs";
import { quantile } from "../support/rounds.mjs";
import { drained, sendJson } from "../support/server.mjs";

export const title = "Uploads";

const MIB = 2 ** 20;
const BARE = "bare XMLHttpRequest";
// Who is compared, and what each uploads with. In each round, the bare one is next to both that are compared with it.
const ROWS = { mediagate: "mediagate", [BARE]: "xhr", "bare once more": "xhr" };

export async function run({ quick }) {
  const storage = fork(new URL("../support/storage.mjs", import.meta.url));
  const [url] = await once(storage, "message");
  keepTo("last", storage.pid);
  const release = keepTo("first");
  const folder = await mkdtemp(join(tmpdir(), "mediagate-bench-"));
  let site;
  try {
    const wasm = await readFile(new URL("../../../pkg/dist/mediagate_bg.wasm", import.meta.url));
    site = await openSite({ "/app.js": await bundle('export * from "./measure/uploads-page.mjs"'), "/client.wasm": wasm }, gateway(url));
    const sizes = (quick ? [1, 16, 128] : [1, 4, 16, 64, 256, 1024]).map((it) => it * MIB);
    return await measure(await open(site, url), folder, sizes, quick ? 2 : 5);
  } finally {
    await site?.stop();
    release();
    storage.disconnect();
    await rm(folder, { recursive: true });
  }
}

async function measure(opened, folder, sizes, rounds) {
  const points = [];
  let path;
  for (const size of sizes) {
    path = join(folder, `${size}.bin`);
    // It takes no room on the disk, and once read it is in memory.
    await writeFile(path, "");
    await truncate(path, size);
    await alone(opened, "xhr", path);
    points.push([size, await inTurns(opened, path, rounds)]);
  }
  return { tables: [table(...points.at(-1), await races(opened, path))], plots: [plot(points)] };
}

/** The gateway's answer to who asks for an upload URL. */
function gateway(url) {
  return async (request, response) => {
    await drained(request);
    sendJson(response, { code: 0, message: "ok", data: { upload_url: url, file_id: "f" } });
  };
}

/** A page with the client in it, and the tools that tell how busy it is. */
async function open(site, url) {
  const page = await site.page();
  await page.evaluate(async () => Object.assign(globalThis, await import("/app.js")));
  await page.evaluate((it) => globalThis.prepare(it), url);
  const tools = await page.context().newCDPSession(page);
  // Not the time that passed: the time that the page's thread was busy.
  await tools.send("Performance.enable", { timeDomain: "threadTicks" });
  return { page, tools };
}

/**
 * One upload, and the milliseconds of CPU that it took of the page's main thread. The file is chosen anew each time, since
 * the client knows one that it has sent. It is chosen, and not cut from a larger one: Chromium reads a `File` where it is
 * sent from, but hands the bytes of a cut through another process.
 */
async function alone({ page, tools }, kind, path) {
  await page.setInputFiles("input", path);
  const before = await busyMs(tools);
  const seen = await page.evaluate((kind) => globalThis.alone(kind), kind);
  return { ...seen, busy: (await busyMs(tools)) - before };
}

async function busyMs(tools) {
  const { metrics } = await tools.send("Performance.getMetrics");
  return 1000 * metrics.find((it) => it.name === "TaskDuration").value;
}

async function inTurns(opened, path, rounds) {
  const names = Object.keys(ROWS);
  const seen = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 ? names.toReversed() : names) seen[name].push(await alone(opened, ROWS[name], path));
  }
  return seen;
}

/** The throughput of each beside a bare one at the same moment; each of the two starts first once. */
async function races({ page }, path) {
  const seen = {};
  for (const [name, kind] of Object.entries(ROWS)) {
    if (name === BARE) continue;
    const race = async (ahead) => {
      await page.setInputFiles("input", path);
      return page.evaluate((given) => globalThis.race(...given), [kind, ahead]);
    };
    seen[name] = Math.sqrt((await race(true)) * (await race(false)));
  }
  return seen;
}

function table(size, seen, raced) {
  const row = (name) => {
    const all = (key) => seen[name].map((it) => it[key]);
    const ratios = all("seconds").map((it, round) => seen[BARE][round].seconds / it);
    const beside = name === BARE ? [null, null, null, null] : [quantile(ratios), Math.min(...ratios), Math.max(...ratios), raced[name]];
    return [size / MIB / quantile(all("seconds")), ...beside, Math.max(...all("growth")), Math.max(...all("blocked")), quantile(all("busy"))];
  };
  return {
    title: `A file of ${size / MIB} MiB from a page, with its progress shown`,
    columns: ["MiB/s", "÷ bare", "least", "most", "at once", "growth of wasm memory, bytes", "longest task, ms", "page's CPU, ms"],
    rows: Object.fromEntries(Object.keys(ROWS).map((name) => [name, row(name)])),
    notes: [
      "÷ bare: against the bare one of the same round, the middle, least and most of all rounds; what the bare one gives beside itself is noise",
      "at once: against a bare one at the same moment, which disturbs both alike",
      "longest task: what kept the page from answering, 0 where nothing took 50 ms; page's CPU: of its main thread",
    ],
  };
}

function plot(points) {
  const middle = (seen) => 1000 * quantile(seen.map((it) => it.seconds));
  const series = Object.keys(ROWS).map((name) => ({ name, points: points.map(([size, seen]) => [size, middle(seen[name])]) }));
  return { title: "Uploads: time against size", x: "bytes", y: "milliseconds", log: true, series };
}
