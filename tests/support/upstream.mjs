// A fake upstream whose responses a test decides, and which records the requests that reach it. The
// emulator behaves as the media service's document says; this one can also misbehave.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { KEEP_ALIVE, listen } from "./listen.mjs";

/** Sends a byte every 50 ms, so that each read succeeds and the whole response is slow. */
function trickle(response, content) {
  let at = 0;
  const timer = setInterval(
    () =>
      at < content.length ? response.write(content[at++]) : response.end(),
    50,
  );
  response.on("close", () => clearInterval(timer));
}

/** Resolves to a request's body; to `undefined` if it is cut off. */
async function readAll(request) {
  const chunks = [];
  try {
    for await (const chunk of request) chunks.push(chunk);
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks).toString();
}

/**
 * @typedef {{ method: string, path: string, headers: Record<string, any>, body: string }} Seen
 * @typedef {object} Scripted
 * @property {number} [status]
 * @property {Record<string, string>} [headers]
 * @property {string | Buffer} [body]
 * @property {unknown} [json]
 * @property {boolean} [hang] true for no response
 * @property {boolean} [reset] true for a connection that breaks
 * @property {boolean} [drip] true to send the response byte by byte, one every 50 ms
 *
 * @typedef {(request: Seen) => Scripted | Promise<Scripted>} Respond
 */

/**
 * Starts the upstream. A test may replace `respond` at any time. `seen` lists the requests.
 *
 * @param {Respond} respond
 */
export async function startUpstream(respond) {
  const seenRequests = /** @type {Seen[]} */ ([]);
  const upstream = {
    seen: seenRequests,
    respond,
    url: "",
    stop: async () => {},
  };
  const server = createServer(KEEP_ALIVE, async (request, response) => {
    const body = await readAll(request);
    // The client has aborted the request.
    if (body === undefined) return;
    const seen = {
      method: request.method,
      path: request.url,
      headers: request.headers,
      body,
    };
    upstream.seen.push(seen);
    const {
      status = 200,
      headers = {},
      body: text,
      json,
      hang,
      reset,
      drip,
    } = await upstream.respond(seen);
    if (hang) return;
    if (reset) return request.socket.destroy();
    const type = json === undefined ? "text/html" : "application/json";
    response.writeHead(status, { "content-type": type, ...headers });
    const content = json === undefined ? text : JSON.stringify(json);
    if (drip) return trickle(response, content);
    response.end(content);
  });
  upstream.url = await listen(server);
  upstream.stop = () => {
    server.closeAllConnections();
    return new Promise((stopped) => server.close(() => stopped()));
  };
  return upstream;
}

/**
 * Waits until a request has reached the upstream.
 *
 * @param {{ seen: Seen[] }} upstream
 * @param {...Promise<any>} creates the creates whose requests may be the first
 * @throws if a create ends before that
 */
export async function isReached({ seen }, ...creates) {
  while (seen.length === 0) {
    const ended = await Promise.race([...creates, new Promise(setImmediate)]);
    assert.equal(ended?.text, undefined, "a create ended without a request");
  }
}
