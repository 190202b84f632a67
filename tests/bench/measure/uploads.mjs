// Uploads a large file from a page, beside a bare XMLHttpRequest, and measures the throughput, the
// wasm's memory, and long tasks of the page.
//
// Chromium reads a file in pieces of 16 KiB on one thread and writes them to the socket on another.
// The cost of a piece depends on the cores that the kernel picks for the two, so that the duration
// of an upload varies by a factor of two. Therefore the browser is pinned to one core and the
// storage to another, the bare upload is also compared with itself, and both also run at the same
// time.
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundle } from "../support/bundle.mjs";
import { openSite } from "../support/page.mjs";
import { pinTo } from "../support/process.mjs";
import { quantile } from "../support/rounds.mjs";
import { discardBody, sendJson } from "../support/server.mjs";

export const title = "Uploads";

const MIB = 2 ** 20;
const BARE = "bare XMLHttpRequest";
// The rows, with the kind of upload of each. In each round, the bare upload is next to both that
// are compared with it.
const ROWS = { mediagate: "mediagate", [BARE]: "xhr", "bare once more": "xhr" };

export async function run({ quick }) {
  const storage = fork(new URL("../support/storage.mjs", import.meta.url));
  const [url] = await once(storage, "message");
  pinTo("last", storage.pid);
  const release = pinTo("first");
  const folder = await mkdtemp(join(tmpdir(), "mediagate-bench-"));
  let site;
  try {
    const wasm = await readFile(
      new URL("../../../pkg/dist/wasm/mediagate_bg.wasm", import.meta.url),
    );
    site = await openSite(
      {
        "/app.js": await bundle('export * from "./measure/uploads-page.mjs"'),
        "/client.wasm": wasm,
      },
      gateway(url),
    );
    const sizes = (quick ? [1, 16, 128] : [1, 4, 16, 64, 256, 1024]).map(
      (size) => size * MIB,
    );
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
    // A sparse file: it takes no space on the disk, and is in memory once read.
    await writeFile(path, "");
    await truncate(path, size);
    await measureOne(opened, "xhr", path);
    points.push([size, await inTurns(opened, path, rounds)]);
  }
  return {
    tables: [table(...points.at(-1), await races(opened, path))],
    plots: [plot(points)],
  };
}

function gateway(url) {
  return async (request, response) => {
    await discardBody(request);
    sendJson(response, {
      code: 0,
      message: "ok",
      data: { upload_url: url, file_id: "f" },
    });
  };
}

async function open(site, url) {
  const page = await site.page();
  await page.evaluate(async () =>
    Object.assign(globalThis, await import(/** @type {any} */ ("/app.js"))),
  );
  await page.evaluate((url) => globalThis.prepare(url), url);
  const tools = await page.context().newCDPSession(page);
  // Measures the CPU time of the page's thread, not elapsed time.
  await tools.send("Performance.enable", { timeDomain: "threadTicks" });
  return { page, tools };
}

/**
 * Measures one upload, with the milliseconds of CPU of the page's main thread. The file is chosen
 * again each time, because the client does not upload a `File` twice. It is not a slice of a larger
 * file, because Chromium passes the bytes of a slice through another process.
 */
async function measureOne({ page, tools }, kind, path) {
  await page.setInputFiles("input", path);
  const before = await busyMs(tools);
  const seen = await page.evaluate((kind) => globalThis.measureOne(kind), kind);
  return { ...seen, busy: (await busyMs(tools)) - before };
}

async function busyMs(tools) {
  const { metrics } = await tools.send("Performance.getMetrics");
  return 1000 * metrics.find((metric) => metric.name === "TaskDuration").value;
}

async function inTurns(opened, path, rounds) {
  const names = Object.keys(ROWS);
  const seen = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 ? names.toReversed() : names)
      seen[name].push(await measureOne(opened, ROWS[name], path));
  }
  return seen;
}

/**
 * Measures the throughput of each kind relative to a bare upload at the same time. Each of the two
 * starts first once.
 */
async function races({ page }, path) {
  const seen = {};
  for (const [name, kind] of Object.entries(ROWS)) {
    if (name === BARE) continue;
    const race = async (ahead) => {
      await page.setInputFiles("input", path);
      return page.evaluate(
        (values) => globalThis.race(...values),
        [kind, ahead],
      );
    };
    seen[name] = Math.sqrt((await race(true)) * (await race(false)));
  }
  return seen;
}

function table(size, seen, raced) {
  const row = (name) => {
    const all = (key) => seen[name].map((round) => round[key]);
    const ratios = all("seconds").map(
      (seconds, round) => seen[BARE][round].seconds / seconds,
    );
    const compared =
      name === BARE
        ? [null, null, null, null]
        : [
            quantile(ratios),
            Math.min(...ratios),
            Math.max(...ratios),
            raced[name],
          ];
    return [
      size / MIB / quantile(all("seconds")),
      ...compared,
      Math.max(...all("growth")),
      Math.max(...all("longestTask")),
      quantile(all("busy")),
    ];
  };
  return {
    title: `A file of ${size / MIB} MiB from a page, with its progress shown`,
    columns: [
      "MiB/s",
      "÷ bare",
      "lowest",
      "highest",
      "at once",
      "growth of wasm memory, bytes",
      "longest task, ms",
      "page's CPU, ms",
    ],
    rows: Object.fromEntries(
      Object.keys(ROWS).map((name) => [name, row(name)]),
    ),
    notes: [
      "÷ bare: against the bare one of the same round, the median, lowest and highest of all rounds; " +
        "the values of the bare one against itself are noise",
      "at once: against a bare one at the same time",
      "longest task: of the page's main thread, 0 if none took 50 ms; " +
        "page's CPU: CPU time of that thread",
    ],
  };
}

function plot(points) {
  const median = (seen) => 1000 * quantile(seen.map((round) => round.seconds));
  const series = Object.keys(ROWS).map((name) => ({
    name,
    points: points.map(([size, seen]) => [size, median(seen[name])]),
  }));
  return {
    title: "Uploads: time against size",
    x: "bytes",
    y: "milliseconds",
    log: true,
    series,
  };
}
