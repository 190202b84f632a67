// What moving an output of 1 GiB costs: time, and workerd's memory. The figures of docs/scale.md.
// Run after `cargo xtask build`, on Linux: node tests/scale/transfer.mjs
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { call, createTask, request } from "../bench/support/callers.mjs";
import { residentBytes } from "../bench/support/process.mjs";
import { discardBody, sendJson, serve } from "../bench/support/server.mjs";
import { startGateway } from "../bench/support/workerd.mjs";
import { token } from "../support/token.mjs";

const MIB = 2 ** 20;
const GIB = 2 ** 30;
const CHUNK = Buffer.alloc(MIB, "mediagate");
const SAMPLE_MS = 50;
/** Milliseconds for which the storage waits after each chunk that it gets, where it is slow. */
const SLOW_MS = 2;
const DIALECT = JSON.stringify({ upload: { send: { without_length: true } } });

/** Sends this number of bytes, as fast as they are taken. */
async function sendBytes(response, bytes, headers) {
  response.writeHead(200, { "content-type": "video/mp4", ...headers });
  await pipeline(function* () {
    for (let sent = 0; sent < bytes; sent += CHUNK.length) yield CHUNK;
  }, response);
}

/** Reads a body slowly, and returns its length. */
async function discardSlowly(incoming) {
  let length = 0;
  for await (const chunk of incoming) {
    length += chunk.length;
    await sleep(SLOW_MS);
  }
  return length;
}

/** Upstream, media host and storage in one. An output's name says its size and how it is served and stored. */
async function startServices() {
  const services = { stored: 0 };
  const server = await serve(async (incoming, response) => {
    const [, kind, name] = incoming.url.split("/");
    if (kind === "output") {
      const [bytes, has] = name.split("-");
      return sendBytes(
        response,
        Number(bytes),
        has === "length" ? { "content-length": bytes } : {},
      );
    }
    if (kind === "storage") {
      services.stored = await (name.endsWith("slow")
        ? discardSlowly(incoming)
        : discardBody(incoming));
      return response.writeHead(200).end();
    }
    let body = "";
    for await (const chunk of incoming) body += chunk;
    const id =
      incoming.method === "POST"
        ? JSON.parse(body).prompt
        : incoming.url.split("/").pop();
    const data = incoming.url.endsWith("/upload_urls")
      ? {
          upload_url: `${server.url}/storage/${JSON.parse(body).file_name}`,
          file_id: "f",
        }
      : {
          task: {
            id,
            status: "SUCCEEDED",
            outputs: [{ url: `${server.url}/output/${id}` }],
          },
        };
    sendJson(response, { code: 0, message: "ok", data });
  });
  return Object.assign(services, server);
}

/** Samples a process's resident memory, until the function that it returns is called; that returns the most. */
function watchMemory(pid) {
  let peak = residentBytes(pid);
  const timer = setInterval(
    () => (peak = Math.max(peak, residentBytes(pid))),
    SAMPLE_MS,
  );
  return () => {
    clearInterval(timer);
    return peak;
  };
}

/** Moves the output of a new task, and waits until it is in the storage: its size. */
async function move(url, name) {
  const bearer = token("alice");
  const body = { task_id: await createTask(url, "alice", { prompt: name }) };
  for (;;) {
    const { size } = await call(
      url,
      request(bearer, "POST", "/api/app/v1/files", body),
    );
    if (size !== undefined) return size;
  }
}

async function measure(gateway, services, name, bytes) {
  const before = residentBytes(gateway.pid);
  const peakOf = watchMemory(gateway.pid);
  const start = performance.now();
  const size = await move(gateway.url, name);
  const seconds = (performance.now() - start) / 1000;
  const peak = peakOf();
  if (size !== bytes || services.stored !== bytes)
    throw new Error(`${services.stored} of ${bytes} bytes were stored`);
  return {
    MiB: bytes / MIB,
    seconds: Number(seconds.toFixed(1)),
    "MiB/s": Math.round(bytes / MIB / seconds),
    "memory before, MiB": Math.round(before / MIB),
    "growth, MiB": Math.round((peak - before) / MIB),
  };
}

const services = await startServices();
const settings = {
  OUTPUT_HOSTS: new URL(services.url).host,
  UPSTREAM_DIALECT: DIALECT,
};
const gateway = await startGateway(services.url, settings);
await move(gateway.url, `${MIB}-length-warm`);
const rows = {};
for (const [title, name, bytes] of [
  ["with a length", "length-1", GIB],
  ["again", "length-2", GIB],
  ["without a length", "chunked-1", GIB],
  ["to a storage that is slow", "length-slow", GIB / 4],
  ["four times as much", "length-slow", GIB],
]) {
  rows[title] = await measure(
    gateway,
    services,
    `${bytes}-${name}`,
    Number(bytes),
  );
}
console.table(rows);
await Promise.all([gateway.stop(), services.stop()]);
