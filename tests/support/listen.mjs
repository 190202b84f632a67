import { once } from "node:events";

/**
 * The options of a server that the gateway's requests reach. By default Node closes a connection
 * that is idle for 5 s, and on a slow machine it may do so although the next request has already
 * been sent.
 */
export const KEEP_ALIVE = { keepAliveTimeout: 60_000 };

/**
 * Lets a server listen on a free port of 127.0.0.1.
 *
 * @param {import("node:net").Server} server
 * @returns {Promise<string>} its URL
 */
export async function listen(server) {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (
    server.address()
  );
  return `http://127.0.0.1:${port}`;
}
