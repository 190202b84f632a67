// A stand-in for the service that answers what a test tells it to, and keeps what reached it. The emulator is the
// service as documented; this is the service on a bad day.
import { createServer } from "node:http";

/** Sends a byte now and then, so that each read succeeds and the whole takes its time. */
function trickle(response, content) {
  let at = 0;
  const timer = setInterval(() => (at < content.length ? response.write(content[at++]) : response.end()), 50);
  response.on("close", () => clearInterval(timer));
}

/** Starts it. `answer(request)` gives `{ status?, headers?, body?, json?, hang?, reset?, drip? }`; `seen` lists the requests. */
export async function startUpstream(answer) {
  const upstream = { seen: [], answer };
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    const seen = { method: request.method, path: request.url, headers: request.headers, body };
    upstream.seen.push(seen);
    const { status = 200, headers = {}, body: text, json, hang, reset, drip } = await upstream.answer(seen);
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
