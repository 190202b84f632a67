// Stands before the gateway and shows its token with every request: a suite of tests has none of its own. Everything
// else passes as it is, `Host` and `Origin` too.
import { createServer, request } from "node:http";

/**
 * Starts it on a free port.
 *
 * @param {(url: string) => Promise<{ url: string }>} start starts the gateway, given the address that callers will see
 * @param {() => string} token
 * @returns {Promise<{ url: string, stop: () => Promise<void> }>}
 */
export async function startProxy(start, token) {
  let target;
  const server = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${token()}` };
    const passed = request(target + incoming.url, { method: incoming.method, headers, setHost: false }, (answer) => {
      outgoing.writeHead(answer.statusCode, answer.headers);
      answer.pipe(outgoing);
    });
    outgoing.on("close", () => passed.destroy());
    passed.on("error", () => outgoing.destroy());
    incoming.pipe(passed);
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  const url = `http://127.0.0.1:${server.address().port}`;
  ({ url: target } = await start(url));
  const stop = () => {
    server.closeAllConnections();
    return new Promise((stopped) => server.close(stopped));
  };
  return { url, stop };
}
