// A proxy in front of a storage that reads whole uploads before it passes them on, as a VPN or a
// buffering proxy does.
import { once } from "node:events";
import { createServer, request as send } from "node:http";
import { buffer } from "node:stream/consumers";
import { listen } from "./listen.mjs";

/**
 * Starts a proxy on a free port of 127.0.0.1.
 *
 * @param {number} port the server's port on 127.0.0.1; the server may start later
 * @param {{ before: (upload: number, body: Buffer) => Promise<unknown> }} behaviour `before` is
 *   awaited with the number and the body of an upload before it is passed on
 * @returns {Promise<{ url: string, stop: () => Promise<void> }>}
 */
export async function startStorageProxy(port, { before }) {
  let count = 0;
  const proxy = createServer(async (request, response) => {
    const { method, url: path, headers } = request;
    const body = await buffer(request).catch(() => undefined);
    // The client has aborted the request.
    if (body === undefined) return;
    if (method === "PUT") await before(++count, body);
    const passed = send({ host: "127.0.0.1", port, method, path, headers });
    passed.end(body);
    const [answer] = await once(passed, "response").catch(() => []);
    const bytes = answer && (await buffer(answer).catch(() => undefined));
    if (bytes === undefined) return request.socket.destroy();
    response.writeHead(answer.statusCode, answer.headers).end(bytes);
  });
  const url = await listen(proxy);
  const stop = async () => {
    proxy.closeAllConnections();
    proxy.close();
    await once(proxy, "close");
  };
  return { url, stop };
}
