// The stand-in of a provider for the module beside this file: jobs that take a while, files that need
// the key, and faults that a word of the prompt asks for.
import { once } from "node:events";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { KEEP_ALIVE, listen } from "../listen.mjs";

export const KEY = "provider-canary-0123456789";

/** The bytes of a file for the word "large". */
export const LARGE = 50 * 1024 * 1024;
const CHUNK = Buffer.alloc(64 * 1024, 7);
/** The size of any other file. */
export const SMALL = 3 * CHUNK.length;

/** The refusal of the word "refuse". */
const REFUSAL = {
  detail: "The prompt contains a celebrity.",
  reason: "content_refused",
};

/**
 * Starts the stand-in. `jobs` lists what was created, with the request.
 *
 * Words of a prompt: "now" responds with the file after half a second, "slow" after 40 s, "slower"
 * after 55 s; "refuse" is
 * refused; "flaky" has one poll that fails; "fail" fails after it was complete; "expire" is
 * forgotten; "large" has 50 MB.
 */
export async function startProvider() {
  const jobs = [];
  const server = createServer(KEEP_ALIVE, async (request, response) => {
    const reply = (status, body) =>
      response
        .writeHead(status, { "content-type": "application/json" })
        .end(JSON.stringify(body));
    if (request.headers.authorization !== `Key ${KEY}`)
      return reply(401, { detail: "the key is wrong" });
    const [, kind, id] = request.url.split("/");
    if (request.method === "POST") {
      const body = /** @type {any} */ (await json(request));
      const words = body.prompt.split(" ");
      if (words.includes("refuse")) return reply(422, REFUSAL);
      const job = { id: `job-${jobs.length}`, words, polls: 0, ...body };
      jobs.push(job);
      if (!isDirect(job)) return reply(200, { id: job.id });
      await sleep(DELAYS.find(([word]) => words.includes(word))[1]);
      return reply(200, { id: job.id, file: fileOf(job) });
    }
    const job = jobs.find((made) => made.id === id);
    if (!job) return reply(404, { detail: "there is no such job" });
    return kind === "files"
      ? sendFile(job, request, response)
      : poll(job, reply);
  });
  const url = await listen(server);
  const stop = () => {
    server.closeAllConnections();
    server.close();
    return once(server, "close");
  };
  return { url, jobs, stop };
}

/**
 * The milliseconds until the response to a create has the file, by a word of its prompt.
 *
 * @type {[string, number][]}
 */
const DELAYS = [
  ["now", 500],
  ["slow", 40_000],
  ["slower", 55_000],
];
const isDirect = ({ words }) => DELAYS.some(([word]) => words.includes(word));

const fileOf = (job) => ({
  id: job.id,
  type: job.capability === "text_to_image" ? "image/png" : "video/mp4",
});

function poll(job, reply) {
  job.polls += 1;
  if (job.words.includes("expire"))
    return reply(404, { detail: "it is not here any more" });
  if (job.words.includes("flaky") && job.polls === 1)
    return reply(502, { detail: "bad gateway" });
  if (job.polls < 2 && !isDirect(job)) return reply(200, { state: "RUNNING" });
  return job.words.includes("fail")
    ? reply(200, { state: "FAILED", error: { message: "out of memory" } })
    : reply(200, { state: "SUCCEEDED", file: fileOf(job) });
}

async function sendFile(job, request, response) {
  const size = job.words.includes("large") ? LARGE : SMALL;
  response.writeHead(200, {
    "content-type": fileOf(job).type,
    "content-length": size,
  });
  if (request.method === "HEAD") return response.end();
  for (let sent = 0; sent < size; sent += CHUNK.length) {
    if (response.destroyed) return;
    if (!response.write(CHUNK)) await once(response, "drain").catch(() => {});
  }
  response.end();
}
