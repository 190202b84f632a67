// Measures the gateway in workerd, beside a Worker that only adds the API key, fal's server proxy,
// and a JavaScript Worker that also charges at most once for a key.
import { request as httpRequest } from "node:http";
import { token } from "../../support/token.mjs";
import {
  call,
  callers,
  plainCallers,
  request,
  throughFalProxy,
} from "../support/callers.mjs";
import { loadAll } from "../support/load.mjs";
import { cpuMs, residentBytes } from "../support/process.mjs";
import { startUpstream } from "../support/upstream.mjs";
import {
  startDurablePeer,
  startGateway,
  startPeer,
} from "../support/workerd.mjs";

export const title = "Gateway";

const SUBJECTS = 64;
/** The row of the peer that does comparable work for a create. */
const DURABLE = "JavaScript with a Durable Object";

export async function run({ quick }) {
  const upstream = await startUpstream();
  const workers = await startAll(upstream.url);
  try {
    const requests = await requestsFor(workers, upstream.url);
    const subjects = (kind) =>
      Object.fromEntries(
        Object.keys(workers).map((name) => [
          name,
          { worker: workers[name], next: () => requests[name][kind]() },
        ]),
      );
    const options = quick
      ? { rounds: 1, seconds: 1 }
      : { rounds: 3, seconds: 4 };
    const tables = [
      table(
        "Task status",
        "pass-through",
        await loadAll(subjects("status"), options),
      ),
      table(
        "Create, for 64 subjects",
        DURABLE,
        await loadAll(subjects("create"), options),
      ),
      startTable(workers),
      await measureRelay(upstream, quick ? 1 << 27 : 1 << 30),
    ];
    return { tables };
  } finally {
    await Promise.all(Object.values(workers).map((worker) => worker.stop()));
    await upstream.stop();
  }
}

/**
 * Starts the Workers one after the other, and sends each a request, because a start ends with the
 * first response.
 */
async function startAll(upstream) {
  const starts = {
    mediagate: () => startGateway(upstream),
    [DURABLE]: () => startDurablePeer(upstream),
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

async function requestsFor(workers, upstream) {
  return {
    mediagate: await callers(workers.mediagate.url, SUBJECTS),
    [DURABLE]: plainCallers(SUBJECTS),
    "pass-through": plainCallers(SUBJECTS),
    "fal proxy": throughFalProxy(plainCallers(SUBJECTS), upstream),
  };
}

const table = (title, peer, rows) => ({
  title: `${title}; milliseconds`,
  columns: ["requests/s", "p50", "p99", "CPU per request"],
  rows,
  ratio: { column: 0, to: peer },
});

const startTable = (workers) => ({
  title: "CPU of workerd from its start to the first response, milliseconds",
  columns: ["CPU"],
  rows: Object.fromEntries(
    Object.entries(workers).map(([name, worker]) => [name, [worker.startCpu]]),
  ),
  notes: [
    "Cloudflare's limit is 1,000 for a Worker's own part of it; a pass-through has next to none",
  ],
});

/** Uploads a file through the gateway's relay, and measures the growth of the process's memory. */
async function measureRelay(upstream, size) {
  const worker = await startGateway(upstream.url, {
    UPLOAD_MODE: "relay",
    UPLOAD_HOSTS: "127.0.0.1",
  });
  try {
    const bearer = token("uploader");
    const upload = { file_name: "film.mp4", content_type: "video/mp4", size };
    const { upload_url: url } = await call(
      worker.url,
      request(bearer, "POST", "/api/app/v1/upload_urls", upload),
    );
    const before = residentBytes(worker.pid);
    let peak = before;
    const watching = setInterval(
      () => (peak = Math.max(peak, residentBytes(worker.pid))),
      20,
    );
    const start = performance.now();
    const headers = {
      authorization: `Bearer ${bearer}`,
      "content-type": "video/mp4",
      "content-length": String(size),
    };
    const status = await put(url, headers, size);
    const seconds = (performance.now() - start) / 1000;
    clearInterval(watching);
    if (status !== 200 || upstream.stored !== size)
      throw new Error(
        `the relay responded with ${status} and stored ${upstream.stored} bytes`,
      );
    const rows = {
      mediagate: [
        size / 2 ** 20,
        size / 2 ** 20 / seconds,
        (peak - before) / 2 ** 20,
      ],
    };
    return {
      title: "A file through the relay",
      columns: ["MiB", "MiB/s", "growth of workerd, MiB"],
      rows,
    };
  } finally {
    await worker.stop();
  }
}

/**
 * Sends `size` bytes as fast as they are accepted. `fetch` would need all bytes at once, or send
 * them without a length.
 */
function put(url, headers, size) {
  const chunk = Buffer.alloc(1 << 18);
  return new Promise((resolve, reject) => {
    const sending = httpRequest(url, { method: "PUT", headers }, (response) =>
      response.resume().on("end", () => resolve(response.statusCode)),
    );
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
