// The server of a provider's stand-in, and the faults that words of a prompt name.
import { once } from "node:events";
import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import { KEEP_ALIVE, listen } from "../listen.mjs";

/** The size of a result, in bytes. */
export const SIZE = 4096;
const FILE = Buffer.alloc(SIZE, 7);

/**
 * @typedef {object} Job
 * @property {string} id
 * @property {string} path the path of the create
 * @property {any} input
 * @property {number} polls
 * @property {boolean} isCancelled
 * @property {number} [reads]
 */

/**
 * @typedef {object} Call
 * @property {string} method
 * @property {string} path without the query
 * @property {URLSearchParams} query
 * @property {import("node:http").IncomingHttpHeaders} headers
 * @property {any} body the JSON of the body, or the fields of a form
 */

/**
 * @typedef {object} Reply
 * @property {number} [status]
 * @property {unknown} [json]
 * @property {string} [html]
 * @property {boolean} [isFile]
 * @property {Record<string, string>} [headers]
 */

/**
 * Starts a stand-in. `jobs` lists what was created, and `posts` every create that arrived.
 *
 * Words of a prompt make a create fail. These are words of the emulator: "status=429" and "status=402"
 * are refused, "html" gets the page of a proxy with 502, "state=FAILED" fails after it was complete,
 * and "state=EXPIRED" is forgotten. Beside them, "flaky" has one poll that fails with 502, and "refuse"
 * is refused as content.
 *
 * @param {(call: Call, world: { jobs: Job[], create: (path: string, input: any) => Job, url: string }) => Reply} handle
 */
export async function startServer(handle) {
  /** @type {Job[]} */
  const jobs = [];
  /** @type {Call[]} */
  const posts = [];
  const world = {
    jobs,
    url: "",
    create(path, input) {
      const id = `job-${jobs.length}-${Math.random().toString(36).slice(2)}`;
      const job = { id, path, input, polls: 0, isCancelled: false };
      jobs.push(job);
      return job;
    },
  };
  const server = createServer(KEEP_ALIVE, async (request, response) => {
    const url = new URL(request.url, "http://stand-in");
    const call = {
      method: request.method,
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      body: await bodyOf(request),
    };
    if (call.method === "POST") posts.push(call);
    const { status = 200, json, html, isFile, headers } = handle(call, world);
    const type = html ? "text/html" : "application/json";
    response.writeHead(status, {
      "content-type": isFile ? "video/mp4" : type,
      ...(isFile && { "content-length": SIZE }),
      ...headers,
    });
    if (isFile) response.end(FILE);
    else response.end(html ?? (json === undefined ? "" : JSON.stringify(json)));
  });
  world.url = await listen(server);
  const stop = () => {
    server.closeAllConnections();
    server.close();
    return once(server, "close");
  };
  return { url: world.url, jobs, posts, stop };
}

async function bodyOf(request) {
  const bytes = await buffer(request);
  const type = request.headers["content-type"] ?? "";
  if (type.startsWith("multipart/")) {
    const form = await new Response(new Uint8Array(bytes), {
      headers: { "content-type": type },
    }).formData();
    return Object.fromEntries(form);
  }
  return bytes.length > 0 ? JSON.parse(bytes.toString()) : undefined;
}

/** Returns true if the prompt of an input has the word. */
export const has = (input, word) =>
  String(input?.prompt ?? input?.promptText ?? "")
    .split(" ")
    .includes(word);

/** The response of a proxy in front of a provider. */
export const BAD_GATEWAY = {
  status: 502,
  html: "<html><body>Bad Gateway</body></html>",
};

/** Counts a poll, and returns true if it is the one that fails. */
export function isFlaky(job) {
  job.polls += 1;
  return has(job.input, "flaky") && job.polls === 1;
}

/** Returns true if the job has ended: after its second poll. */
export const isOver = (job) => job.polls >= 2;

/** Returns the file of a stand-in's own address; `undefined` for another path. */
export const fileAt = ({ method, path }) =>
  method !== "POST" && path.startsWith("/files/")
    ? { isFile: true }
    : undefined;
