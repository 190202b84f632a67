// The gateway in workerd beside a Worker that only hides a key, and beside fal's server proxy: one service, one machine.
import { request as httpRequest } from "node:http";
import { token } from "../../support/token.mjs";
import { ask, callers, proxied, request, strangers } from "../support/callers.mjs";
import { loadAll } from "../support/load.mjs";
import { cpuMs, residentBytes } from "../support/process.mjs";
import { startUpstream } from "../support/upstream.mjs";
import { startGateway, startPeer } from "../support/workerd.mjs";

export const title = "Gateway";

const SUBJECTS = 64;
/** The row of the build that `--against` names. */
const OTHER = "mediagate, other build";

export async function run({ quick, against }) {
  const upstream = await startUpstream();
  const workers = await startAll(upstream.url, against);
  try {
    const asks = await asksOf(workers, upstream.url);
    const subjects = (kind) => Object.fromEntries(Object.keys(workers).map((it) => [it, { worker: workers[it], next: () => asks[it][kind]() }]));
    const options = quick ? { rounds: 1, seconds: 1 } : { rounds: 3, seconds: 4 };
    const tables = [
      table("Task status", await loadAll(subjects("status"), options)),
      table("Create: for Mediagate at most once by its key, and within budgets", await loadAll(subjects("create"), options)),
      startTable(workers),
      await relayed(upstream, quick ? 1 << 27 : 1 << 30),
    ];
    return { tables };
  } finally {
    await Promise.all([...Object.values(workers), upstream].map((it) => it.stop()));
  }
}

/** One after the other, each asked once: the first answer is part of a start. */
async function startAll(upstream, against) {
  const starts = {
    mediagate: () => startGateway(upstream),
    ...(against && { [OTHER]: () => startGateway(upstream, {}, against) }),
    "pass-through": () => startPeer("pass-through", upstream),
    "fal proxy": () => startPeer("fal-proxy", upstream),
  };
  const workers = {};
  for (const [name, start] of Object.entries(starts)) {
    const worker = await start();
    await (await fetch(`${worker.url}/healthz`)).arrayBuffer();
    workers[name] = { ...worker, startCpu: cpuMs(worker.pid) };
  }
  return workers;
}

async function asksOf(workers, upstream) {
  return {
    mediagate: await callers(workers.mediagate.url, SUBJECTS),
    ...(workers[OTHER] && { [OTHER]: await callers(workers[OTHER].url, SUBJECTS) }),
    "pass-through": strangers(SUBJECTS),
    "fal proxy": proxied(strangers(SUBJECTS), upstream),
  };
}

const table = (title, rows) => ({
  title: `${title}; milliseconds`,
  columns: ["requests/s", "p50", "p99", "CPU a request"],
  rows,
  ratio: { column: 0, to: "pass-through" },
});

const startTable = (workers) => ({
  title: "CPU of workerd from nothing to the first answer, milliseconds",
  columns: ["CPU"],
  rows: Object.fromEntries(Object.entries(workers).map(([name, it]) => [name, [it.startCpu]])),
  notes: ["Cloudflare's limit is 1,000 for a Worker's own part of it; a pass-through has next to none"],
});

/** A file through the gateway's relay, and how much memory the process holds meanwhile. */
async function relayed(upstream, size) {
  const worker = await startGateway(upstream.url, { UPLOAD_MODE: "relay", UPLOAD_HOSTS: "127.0.0.1" });
  try {
    const bearer = token("uploader");
    const upload = { file_name: "film.mp4", content_type: "video/mp4", size };
    const { upload_url: url } = await ask(worker.url, request(bearer, "POST", "/api/app/v1/upload_urls", upload));
    const before = residentBytes(worker.pid);
    let most = before;
    const watching = setInterval(() => (most = Math.max(most, residentBytes(worker.pid))), 20);
    const start = performance.now();
    const headers = { authorization: `Bearer ${bearer}`, "content-type": "video/mp4", "content-length": String(size) };
    const answer = await put(url, headers, size);
    const seconds = (performance.now() - start) / 1000;
    clearInterval(watching);
    if (answer !== 200 || upstream.stored !== size) throw new Error(`the relay answered ${answer} and stored ${upstream.stored} bytes`);
    const rows = { mediagate: [size / 2 ** 20, size / 2 ** 20 / seconds, (most - before) / 2 ** 20] };
    return { title: "A file through the relay", columns: ["MiB", "MiB/s", "growth of workerd, MiB"], rows };
  } finally {
    await worker.stop();
  }
}

/** Sends so many bytes, as fast as they are taken; `fetch` would want them all at once or in chunks without a length. */
function put(url, headers, size) {
  const chunk = Buffer.alloc(1 << 18);
  return new Promise((resolve, reject) => {
    const sending = httpRequest(url, { method: "PUT", headers }, (answer) => answer.resume().on("end", () => resolve(answer.statusCode)));
    sending.on("error", reject);
    let left = size;
    const write = () => {
      while (left > 0) {
        const part = left < chunk.length ? chunk.subarray(0, left) : chunk;
        left -= part.length;
        if (!sending.write(part)) return sending.once("drain", write);
      }
      return sending.end();
    };
    write();
  });
}
