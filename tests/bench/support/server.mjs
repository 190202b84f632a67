import { createServer } from "node:http";
import { listen } from "../../support/listen.mjs";

/** @returns {Promise<{ url: string, stop: () => Promise<void> }>} */
export async function serve(handler) {
  const server = createServer({ keepAliveTimeout: 60_000 }, handler);
  const url = await listen(server);
  const stop = () => {
    server.closeAllConnections();
    return new Promise((stopped) => server.close(stopped));
  };
  return { url, stop };
}

/**
 * Reads and discards a request's body. Returns the number of bytes that arrived, even if the
 * request was aborted.
 */
export function discardBody(request) {
  return new Promise((resolve) => {
    let length = 0;
    const done = () => resolve(length);
    request.on("data", (chunk) => (length += chunk.length));
    request.once("end", done).once("error", done);
  });
}

export function sendJson(response, value, headers = {}) {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  response.writeHead(200, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}
