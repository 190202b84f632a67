// A fake upstream that responds with raw bytes, so that it can break HTTP itself.
import { createServer } from "node:net";
import { listen } from "./listen.mjs";

/**
 * Starts the upstream. `respond(connection)` is called for each request once its body has arrived.
 * `requests` counts the requests, and `last` is the text of the last one. `closed()` resolves when
 * no connection is open.
 */
export async function startRawUpstream() {
  const connections = new Set();
  /** @type {(value?: unknown) => void} */
  let onEmpty = () => {};
  const upstream = {
    requests: 0,
    last: "",
    /** @type {(connection: import("node:net").Socket) => void} */
    respond: () => {},
    url: "",
    closed: async () => {},
    stop: async () => {},
  };
  const server = createServer((connection) => {
    connections.add(connection);
    let text = "";
    connection.on("data", (chunk) => {
      text += chunk.toString("latin1");
      const end = text.indexOf("\r\n\r\n");
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1] ?? 0);
      if (end < 0 || text.length < end + 4 + length) return;
      upstream.last = text;
      upstream.requests++;
      text = "";
      upstream.respond(connection);
    });
    connection.on("error", () => {});
    connection.on(
      "close",
      () =>
        connections.delete(connection) && connections.size === 0 && onEmpty(),
    );
  });
  upstream.url = await listen(server);
  upstream.closed = () =>
    connections.size === 0
      ? Promise.resolve()
      : new Promise((resolve) => (onEmpty = () => resolve()));
  upstream.stop = () => {
    for (const connection of connections) connection.destroy();
    return new Promise((stopped) => server.close(() => stopped()));
  };
  return upstream;
}
