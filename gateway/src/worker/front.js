// Runs before the gateway if it is not on Cloudflare: checks the name that a request was sent to,
// and for `/readyz` the disk and the bucket, adds the sender's address, and runs each request to
// its end, so that it is logged.
import { findSender } from "./forwarded.js";
import Gateway, {
  Durations,
  Ledger,
  Pipeline,
  Transfer,
  Watcher,
} from "./index.js";
import { log } from "./log.js";
import {
  areFilesShort,
  findProblem,
  noteOpenFiles,
  refuseOverload,
  respondNotReady,
} from "./readiness.js";

export { Durations, Ledger, Pipeline, Transfer, Watcher };

/** The functions that end the open streams of events. */
const streams = new Set();
/** True once no further stream may begin. */
let isEnding = false;

/**
 * @typedef {object} Env
 * @property {{ hosts: string[] | null, proxies: string[], readiness: string }} FRONT
 * @property {{ fetch: typeof fetch }} READINESS
 * @property {string} [RESULTS_BUCKET_URL]
 */

export default {
  /**
   * Responds to a request, even if its caller disconnects.
   *
   * @param {Request & { cf?: { clientIp?: string } }} request
   */
  fetch(request, env, context) {
    const response = respond(request, env, context);
    // Otherwise workerd drops a request whose caller disconnects, and the log lacks it.
    context.waitUntil(response.catch(() => undefined));
    return response;
  },
};

async function respond(request, env, context) {
  // workerd checks the `Host` header only in part.
  if (!URL.canParse(request.url)) return refuseMalformed(request);
  const url = new URL(request.url);
  const { hosts, proxies, readiness } = env.FRONT;
  if (url.pathname === `${readiness}/end-streams`) return endStreams();
  if (url.pathname === `${readiness}/open-files`) {
    noteOpenFiles(await request.json());
    return new Response(null, { status: 204 });
  }
  if (hosts && !isServed(hosts, url.hostname))
    return refuseMisdirected(request, url.hostname);
  const problem =
    url.pathname === "/readyz" ? await findProblem(env) : undefined;
  if (problem) return respondNotReady(request, problem);
  if (needsFiles(request, url) && areFilesShort())
    return refuseOverload(request);
  const { address, scheme } = findSender(
    request.headers,
    request.cf?.clientIp ?? "",
    proxies,
  );
  if (scheme) url.protocol = scheme;
  const headers = new Headers(request.headers);
  // Overwrites a caller's own value of this header, which the gateway trusts.
  headers.set("cf-connecting-ip", address);
  const response = await new Gateway(context, env).fetch(
    // Without the caller's signal, which would abort the gateway's own work.
    new Request(url, new Request(request, { headers, signal: null })),
  );
  return isStream(request, response)
    ? endable(response, request.signal)
    : response;
}

/** Ends all streams, before this process does. Their clients resume at the next one. */
function endStreams() {
  isEnding = true;
  for (const end of streams) end();
  return new Response(null, { status: 204 });
}

/** Returns true for a stream of events that its client can resume. */
const isStream = (request, { body, headers }) =>
  request.method === "GET" &&
  body &&
  headers.get("content-type")?.startsWith("text/event-stream");

/**
 * Returns a stream's response that also ends when `endStreams` is called.
 *
 * @param {AbortSignal} signal aborted when the caller disconnects
 */
function endable(response, signal) {
  const reader = /** @type {ReadableStream} */ (response.body).getReader();
  let end;
  const ended = new Promise((resolve) => (end = resolve));
  streams.add(end);
  signal.addEventListener("abort", () => streams.delete(end));
  if (isEnding) end();
  const body = new ReadableStream({
    async pull(controller) {
      const next = await Promise.race([reader.read(), ended]).catch((error) => {
        streams.delete(end);
        throw error;
      });
      if (next?.value) return controller.enqueue(next.value);
      streams.delete(end);
      controller.close();
      // Tells the gateway, unless the stream has ended by itself.
      if (!next) await reader.cancel();
    },
    cancel(reason) {
      streams.delete(end);
      return reader.cancel(reason);
    },
  });
  return new Response(body, response);
}

/**
 * Returns true if a server with these names serves a request to this host. A page of another site
 * can have its own name resolve to this machine; its requests then have that name.
 */
const isServed = (hosts, name) =>
  hosts.includes(name) || hosts.includes(name.replace(/\.$/, ""));

/**
 * Returns true if a request may open files. The checks of the gateway's state must pass even
 * without files, or it would be started again because it is busy. A preflight opens none, and
 * without it the page couldn't read the refusal.
 */
const needsFiles = ({ method }, { pathname }) =>
  method !== "OPTIONS" && pathname !== "/healthz" && pathname !== "/readyz";

const refuseMisdirected = (request, name) =>
  refuse(
    request,
    421,
    "misdirected",
    `This server is not reached under the name ${name}: ` +
      "a foreign page may have had it resolve to this machine.",
  );

const refuseMalformed = (request) =>
  refuse(
    request,
    400,
    "malformed_host",
    "The Host header must be a host with an optional port.",
  );

function refuse({ method }, status, reason, line) {
  log(method, { reason, status });
  return new Response(`${line}\n`, {
    status,
    headers: {
      "content-type": "text/plain; charset=utf-8",
      "cache-control": "no-store",
    },
  });
}
