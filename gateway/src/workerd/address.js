// Whether a server can listen, which a program's own message says in its own way.
import { once } from "node:events";
import { createServer } from "node:net";
import { Failure } from "../failure.js";

/**
 * @param {string} host
 * @param {number} port
 * @throws {Failure} where no server can listen there
 */
export async function checkAddress(host, port) {
  const code = await problem(host, port);
  if (code === undefined) return;
  if (code === "EADDRINUSE")
    throw new Failure(
      `port ${port} of ${host} is taken; end the program that uses it, or choose another with --port`,
    );
  throw new Failure(
    `it can't listen on ${host}:${port} (${code}); choose an address of this machine, and a port that you may use`,
  );
}

/** An address as URLs have it. */
export const inUrl = (host) => (host.includes(":") ? `[${host}]` : host);

/** A port that no program uses. */
export async function freePort(host) {
  const server = createServer().listen(0, host);
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (
    server.address()
  );
  server.close();
  await once(server, "close");
  return port;
}

/** Whether a port of this machine is free. */
export const isFree = async (port) =>
  (await problem("127.0.0.1", port)) === undefined;

/** Why a server can't listen: the system's code. */
async function problem(host, port) {
  const server = createServer().listen(port, host);
  try {
    await once(server, "listening");
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code;
  }
  server.close();
  await once(server, "close");
  return undefined;
}
