// A large file from a page, beside a bare XMLHttpRequest: throughput, the wasm's memory, and whether the page stays free.
import { mkdtemp, open, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundle } from "../support/bundle.mjs";
import { openSite } from "../support/page.mjs";
import { drained, sendJson } from "../support/server.mjs";

export const title = "Uploads";

const MIB = 2 ** 20;

export async function run({ quick }) {
  const folder = await mkdtemp(join(tmpdir(), "mediagate-bench-"));
  const wasm = await readFile(new URL("../../../pkg/dist/mediagate_bg.wasm", import.meta.url));
  const site = await openSite({ "/app.js": await bundle('export * from "./measure/uploads-page.mjs"'), "/client.wasm": wasm }, storage);
  try {
    const page = await site.page();
    await page.evaluate(async () => Object.assign(globalThis, await import("/app.js")));
    await page.evaluate(() => globalThis.prepare(document));
    const upload = (kind, size) => send(page, folder, kind, size);
    await upload("mediagate", MIB);
    const size = quick ? 256 * MIB : 1024 * MIB;
    const large = await inTurns(upload, size, 3);
    const sizes = (quick ? [1, 8, 64] : [1, 4, 16, 64, 256, 512]).map((it) => it * MIB);
    const points = { mediagate: [[size, 1000 * large.mediagate.seconds]], xhr: [[size, 1000 * large.xhr.seconds]] };
    for (const it of sizes) {
      const { mediagate, xhr } = await inTurns(upload, it, 2);
      points.mediagate.unshift([it, 1000 * mediagate.seconds]);
      points.xhr.unshift([it, 1000 * xhr.seconds]);
    }
    const series = Object.entries(points).map(([name, it]) => ({ name, points: it.sort((a, b) => a[0] - b[0]) }));
    const plot = { title: "Uploads: time against size", x: "bytes", y: "milliseconds", log: true, series };
    return { tables: [table(large, size)], plots: [plot] };
  } finally {
    await site.stop();
    await rm(folder, { recursive: true });
  }
}

/** The service and its storage, as the gateway shows them. */
async function storage(request, response) {
  await drained(request);
  const data = { upload_url: `http://${request.headers.host}/storage`, file_id: "f" };
  return request.method === "PUT" ? response.writeHead(200).end() : sendJson(response, { code: 0, message: "ok", data });
}

/** Chromium reads the file from the disk as it sends it; a sparse one costs no disk. */
async function send(page, folder, kind, size) {
  const path = join(folder, `${size}.bin`);
  const file = await open(path, "w");
  await file.truncate(size);
  await file.close();
  await page.setInputFiles("input", path);
  const seen = await page.evaluate((kind) => globalThis.upload(kind, document.querySelector("input").files[0]), kind);
  await rm(path);
  return seen;
}

async function inTurns(upload, size, rounds) {
  const all = { mediagate: [], xhr: [] };
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 ? ["xhr", "mediagate"] : ["mediagate", "xhr"];
    for (const kind of order) all[kind].push(await upload(kind, size));
  }
  // The best round is the least disturbed one.
  const most = (list, key) => Math.max(...list.map((it) => it[key]));
  return Object.fromEntries(
    Object.entries(all).map(([kind, list]) => [kind, { seconds: Math.min(...list.map((it) => it.seconds)), growth: most(list, "growth"), blocked: most(list, "blocked") }]),
  );
}

function table({ mediagate, xhr }, size) {
  const row = ({ seconds, growth, blocked }) => [size / MIB / seconds, growth, blocked];
  return {
    title: `A file of ${size / MIB} MiB from a page, with its progress shown`,
    columns: ["MiB/s", "growth of wasm memory, bytes", "longest task, ms"],
    rows: { mediagate: row(mediagate), xhr: row(xhr) },
    ratio: { column: 0, to: "xhr" },
    notes: ["longest task: what kept the page from answering, 0 where nothing took 50 ms"],
  };
}
