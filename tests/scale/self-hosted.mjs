// Measures `mediagate-gateway serve` on one machine, beside bare workerd: the figures of
// docs/self-hosting.md. Run after `cargo xtask build`, on Linux: node tests/scale/self-hosted.mjs
import { spawn } from "node:child_process";
import { once } from "node:events";
import { lstat, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { callers, createTask } from "../bench/support/callers.mjs";
import { loadAll } from "../bench/support/load.mjs";
import { residentBytes } from "../bench/support/process.mjs";
import { quantile } from "../bench/support/rounds.mjs";
import { cells } from "../bench/support/table.mjs";
import { startUpstream } from "../bench/support/upstream.mjs";
import { LIMITS, ORIGIN, startGateway } from "../bench/support/workerd.mjs";
import { SETTINGS } from "../support/gateway.mjs";
import { request } from "../support/request.mjs";
import { token } from "../support/token.mjs";

const COMMAND = fileURLToPath(
  new URL("../../gateway/bin/mediagate-gateway.js", import.meta.url),
);
const SUBJECTS = 64;
const ROUNDS = { rounds: 5, seconds: 4 };
const STARTS = 7;
const CREATES = 1_000;
const CREATES_AT_ONCE = 16;
const STREAMS = 20;
const SETTLE_MS = 200;
const MIB = 2 ** 20;
/** Bytes of a block, the unit in which the system reports a file's size on the disk. */
const BLOCK_BYTES = 512;
/**
 * Milliseconds that are longer than workerd holds an object without requests in memory, which is 10
 * seconds.
 */
const IDLE_MS = 15_000;

async function startServe(upstream, folder) {
  const start = performance.now();
  const child = spawn(
    process.execPath,
    [COMMAND, "serve", "--port", "0", "--private-upstream", "--data", folder],
    {
      env: {
        ...process.env,
        ...SETTINGS,
        ...LIMITS,
        UPSTREAM_BASE_URL: upstream,
        ALLOWED_ORIGINS: ORIGIN,
      },
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  const url = await served(child);
  const readyMs = performance.now() - start;
  // Keeps a stop from arriving before the start has ended.
  await sleep(SETTLE_MS);
  const {
    pids: [launcher, pid],
  } = JSON.parse(await readFile(join(folder, "gateway.lock"), "utf8"));
  return { url, pid, launcher, readyMs, stop: () => stop(child) };
}

async function served(child) {
  const printed = [];
  for await (const line of createInterface({ input: child.stderr })) {
    printed.push(line);
    const [, url] = /the gateway serves (\S+);/.exec(line) ?? [];
    if (!url) continue;
    // Keep reading, or the pipe would hold this process after the gateway's end.
    child.stderr.resume();
    return url;
  }
  throw new Error(`the gateway did not start:\n${printed.join("\n")}`);
}

/** Ends the gateway as systemd does. Resolves to the milliseconds that this took. */
async function stop(child) {
  const start = performance.now();
  child.kill("SIGTERM");
  const [code] = await once(child, "exit");
  // After another code, workerd may have been left behind, and the time means nothing.
  if (code !== 0) throw new Error(`the gateway ended with ${code}`);
  return performance.now() - start;
}

const newFolder = () => mkdtemp(join(tmpdir(), "mediagate-self-hosted-"));

async function withFolder(work) {
  const folder = await newFolder();
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

const residentOf = (pids) =>
  Object.fromEntries(
    Object.entries(pids).map(([name, pid]) => [name, residentBytes(pid)]),
  );

/**
 * Samples the resident memory of processes. Returns a function that ends this and returns the
 * highest values.
 */
function watchMemory(pids) {
  const peak = residentOf(pids);
  const sample = () => {
    for (const [name, bytes] of Object.entries(residentOf(pids)))
      peak[name] = Math.max(peak[name], bytes);
  };
  const timer = setInterval(sample, 100);
  return () => {
    clearInterval(timer);
    return peak;
  };
}

/** Sends requests of one kind to both, in alternating rounds. */
async function compare(workers, requests) {
  const subject = (name) => ({ worker: workers[name], next: requests[name] });
  return loadAll(
    { serve: subject("serve"), "bare workerd": subject("bare") },
    ROUNDS,
  );
}

/** Measures both under load, and the memory of `serve` before, meanwhile and after. */
async function measureLoad(upstream, folder) {
  const workers = {
    serve: await startServe(upstream, folder),
    bare: await startGateway(upstream),
  };
  await sleep(IDLE_MS);
  const pids = {
    workerd: workers.serve.pid,
    node: workers.serve.launcher,
    bare: workers.bare.pid,
  };
  const idle = residentOf(pids);
  const peakOf = watchMemory(pids);
  const serve = await callers(workers.serve.url, SUBJECTS);
  const bare = await callers(workers.bare.url, SUBJECTS);
  const health = () => ({ method: "GET", path: "/healthz" });
  const rows = {
    "`/healthz`": await compare(workers, { serve: health, bare: health }),
    status: await compare(workers, { serve: serve.status, bare: bare.status }),
    [`create with a key, ${SUBJECTS} subjects`]: await compare(workers, {
      serve: () => serve.create(),
      bare: () => bare.create(),
    }),
  };
  const peak = peakOf();
  await sleep(IDLE_MS);
  const after = residentOf(pids);
  await Promise.all([workers.serve.stop(), workers.bare.stop()]);
  return { rows, memory: { idle, peak, after } };
}

/** Sends creates of these subjects, some at once, each with its own key. */
async function create(url, subjects) {
  const left = [...subjects];
  const worker = async () => {
    for (
      let subject = left.pop();
      subject !== undefined;
      subject = left.pop()
    ) {
      const { status, text } = await request(
        `${url}/api/app/v1/generate/image/text_to_image_turbo`,
        {
          bearer: token(subject),
          headers: { "idempotency-key": crypto.randomUUID() },
          body: { prompt: "p".repeat(200) },
        },
      );
      if (status !== 200) throw new Error(text);
    }
  };
  await Promise.all(Array.from({ length: CREATES_AT_ONCE }, worker));
}

/**
 * Returns the bytes that a folder takes on the disk, by the blocks of its files. workerd may remove
 * a file while they are counted.
 */
async function diskBytes(folder) {
  const blocksOf = (path) =>
    lstat(join(folder, path)).then(
      (stats) => stats.blocks,
      () => 0,
    );
  const blocks = await Promise.all(
    (await readdir(folder, { recursive: true })).map(blocksOf),
  );
  return blocks.reduce((sum, count) => sum + count, 0) * BLOCK_BYTES;
}

/**
 * Measures the bytes on the disk after creates of these subjects: at once, after a while, and once
 * the gateway has ended. Also measures how long the next start takes.
 */
async function measureDisk(upstream, subjects) {
  return withFolder(async (folder) => {
    const server = await startServe(upstream, folder);
    await create(server.url, subjects);
    const atOnce = await diskBytes(folder);
    await sleep(IDLE_MS);
    const later = await diskBytes(folder);
    await server.stop();
    const ended = await diskBytes(folder);
    const again = await startServe(upstream, folder);
    await again.stop();
    return [atOnce, later, ended, Math.round(again.readyMs)];
  });
}

const subjectsOf = (count) =>
  Array.from({ length: CREATES }, (_, index) => `subject-${index % count}`);

/**
 * Repeats starts in new folders. `prepare` does something with the running gateway before it is
 * ended.
 */
async function measureStarts(upstream, prepare) {
  const ready = [];
  const ended = [];
  for (let count = 0; count < STARTS; count += 1) {
    await withFolder(async (folder) => {
      const server = await startServe(upstream, folder);
      const release = await prepare(server.url);
      ready.push(server.readyMs);
      ended.push(await server.stop());
      await release();
    });
  }
  return { ready, ended };
}

const withoutRequests = async () => async () => {};

async function withStreams(url) {
  const open = async (_, index) => {
    const id = await createTask(url, `subscriber-${index}`);
    const headers = { authorization: `Bearer ${token(`subscriber-${index}`)}` };
    const response = await fetch(`${url}/api/app/v1/tasks/${id}/events`, {
      headers,
    });
    const reader = response.body.getReader();
    await reader.read();
    return reader;
  };
  const readers = await Promise.all(Array.from({ length: STREAMS }, open));
  // The streams end with an error when the gateway ends.
  return () =>
    Promise.all(readers.map((reader) => reader.cancel().catch(() => {})));
}

/** Formats a table as lines of Markdown. */
function markdown(table) {
  const [head, ...body] = cells(table);
  const line = (row) => `| ${row.join(" | ")} |`;
  return [
    "",
    line(head),
    `|${"---|".repeat(head.length)}`,
    ...body.map(line),
  ].join("\n");
}

function printLoad(rows) {
  const lines = Object.entries(rows).flatMap(
    ([kind, { serve, "bare workerd": bare }]) => [
      [`${kind}, serve`, [...serve, serve[0] / bare[0]]],
      [`${kind}, bare workerd`, [...bare, 1]],
    ],
  );
  const columns = [
    "requests/s",
    "p50, ms",
    "p99, ms",
    "CPU per request, ms",
    "requests/s ÷ bare",
  ];
  console.log(markdown({ columns, rows: Object.fromEntries(lines) }));
}

const spread = (all) =>
  [quantile(all), Math.min(...all), Math.max(...all)].map(Math.round);

function printMemory({ idle, peak, after }) {
  const row = (name) => [idle, peak, after].map((sample) => sample[name] / MIB);
  const columns = [
    "idle",
    "the most under load",
    `${IDLE_MS / 1000} s after it`,
  ];
  const rows = {
    "workerd of serve": row("workerd"),
    "Node of serve": row("node"),
    "bare workerd": row("bare"),
  };
  console.log(
    markdown({ columns: columns.map((column) => `${column}, MiB`), rows }),
  );
}

function printDisk(rows) {
  const columns = [
    "bytes at once",
    `bytes ${IDLE_MS / 1000} s later`,
    "bytes once ended",
    "next start, ms",
  ];
  console.log(markdown({ columns, rows }));
}

const upstream = await startUpstream();
const { rows, memory } = await withFolder((folder) =>
  measureLoad(upstream.url, folder),
);
printLoad(rows);
printMemory(memory);
printDisk({
  "no creates": await measureDisk(upstream.url, []),
  [`${CREATES} creates of one subject`]: await measureDisk(
    upstream.url,
    subjectsOf(1),
  ),
  [`${CREATES} creates of ${CREATES} subjects`]: await measureDisk(
    upstream.url,
    subjectsOf(CREATES),
  ),
});
const alone = await measureStarts(upstream.url, withoutRequests);
const streaming = await measureStarts(upstream.url, withStreams);
console.log(
  markdown({
    columns: ["median, ms", "least", "most"],
    rows: {
      "from start to ready, empty folder": spread([
        ...alone.ready,
        ...streaming.ready,
      ]),
      "from SIGTERM to its end, no requests": spread(alone.ended),
      [`the same with ${STREAMS} open streams`]: spread(streaming.ended),
    },
  }),
);
await upstream.stop();
