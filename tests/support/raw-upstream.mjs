// A stand-in for the service that answers in bytes, so that it can break HTTP itself.
import { createServer } from "node:net";

/**
 * Starts it. `answer(connection)` is called for each request, once it is there with its body; `requests` counts them and
 * `last` is the text of the last one; `closed()` resolves when no connection is open.
 */
export async function startRawUpstream() {
  const connections = new Set();
  let emptied = () => {};
  const upstream = { requests: 0, last: "", answer: () => {} };
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
      upstream.answer(connection);
    });
    connection.on("error", () => {});
    connection.on("close", () => connections.delete(connection) && connections.size === 0 && emptied());
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  upstream.url = `http://127.0.0.1:${server.address().port}`;
  upstream.closed = () => (connections.size === 0 ? Promise.resolve() : new Promise((resolve) => (emptied = resolve)));
  upstream.stop = () => {
    connections.forEach((it) => it.destroy());
    return new Promise((stopped) => server.close(stopped));
  };
  return upstream;
}
