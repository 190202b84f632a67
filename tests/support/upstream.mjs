// A fake upstream that responds as a test says, and records the requests that reach it. The emulator behaves as the
// media service's document says; this one can also misbehave.
import { createServer } from "node:http";

/** Sends a byte every 50 ms: each read succeeds, and the whole response is slow. */
function trickle(response, content) {
  let at = 0;
  const timer = setInterval(() => (at < content.length ? response.write(content[at++]) : response.end()), 50);
  response.on("close", () => clearInterval(timer));
}

/**
 * Starts it. `respond(request)` returns `{ status?, headers?, body?, json?, hang?, reset?, drip? }`, or a promise of it; a test
 * may replace it at any time. `seen` lists the requests.
 */
export async function startUpstream(respond) {
  const upstream = { seen: [], respond };
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    const seen = { method: request.method, path: request.url, headers: request.headers, body };
    upstream.seen.push(seen);
    const { status = 200, headers = {}, body: text, json, hang, reset, drip } = await upstream.respond(seen);
    if (hang) return;
    if (reset) return request.socket.destroy();
    const type = json === undefined ? "text/html" : "application/json";
    response.writeHead(status, { "content-type": type, ...headers });
    const content = json === undefined ? text : JSON.stringify(json);
    if (drip) return trickle(response, content);
    response.end(content);
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  upstream.url = `http://127.0.0.1:${server.address().port}`;
  upstream.stop = () => {
    server.closeAllConnections();
    return new Promise((stopped) => server.close(stopped));
  };
  return upstream;
}
