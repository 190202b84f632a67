import { once } from "node:events";

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
