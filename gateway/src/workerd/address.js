// Whether a server can listen, which a program's own message says in its own way.
import { once } from "node:events";
import { createServer } from "node:net";
import { Failure } from "../failure.js";

/** By the system's code. */
const PROBLEMS_OF_HOST = {
  ENOTFOUND: "which is no address, and no name that resolves",
  EAI_AGAIN: "which is no address, and no name that resolves now",
  EADDRNOTAVAIL: "which is no address of this machine",
};

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
  const reason = PROBLEMS_OF_HOST[code];
  if (reason !== undefined)
    throw new Failure(
      `--host is ${JSON.stringify(host)}, ${reason}; pass 127.0.0.1 for a proxy on this machine, 0.0.0.0 for every address, or one of this machine's addresses`,
    );
  throw new Failure(
    `it can't listen on ${inUrl(host)}:${port} (${code}); choose a port that you may use with --port`,
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
  // Node takes it for every address.
  if (host === "") return "ENOTFOUND";
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
