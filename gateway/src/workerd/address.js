import { once } from "node:events";
import { createServer } from "node:net";
import { codeOf, Failure } from "../failure.js";

const PROBLEMS_OF_HOST = {
  ENOTFOUND: "which is no address, and no name that resolves",
  EAI_AGAIN: "which is no address, and no name that resolves now",
  EADDRNOTAVAIL: "which is no address of this machine",
};

/**
 * Checks that a server can listen at an address, so that the message is this program's own.
 *
 * @param {string} host
 * @param {number} port
 * @throws {Failure} if no server can listen there
 */
export async function checkAddress(host, port) {
  const code = await findProblem(host, port);
  if (code === undefined) return;
  if (code === "EADDRINUSE")
    throw new Failure(
      `port ${port} of ${host} is taken; ` +
        "end the program that uses it, or choose another with --port",
    );
  const reason = PROBLEMS_OF_HOST[code];
  if (reason !== undefined)
    throw new Failure(
      `--host is ${JSON.stringify(host)}, ${reason}; pass 127.0.0.1 for a proxy on this machine, ` +
        "0.0.0.0 for every address, or one of this machine's addresses",
    );
  throw new Failure(
    `it can't listen on ${inUrl(host)}:${port} (${code}); ` +
      "choose a port that you may use with --port",
  );
}

/** Returns an address as URLs write it: with brackets around one of IPv6. */
export const inUrl = (host) => (host.includes(":") ? `[${host}]` : host);

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

export const isFree = async (port) =>
  (await findProblem("127.0.0.1", port)) === undefined;

/** Returns the system's code if a server can't listen, else `undefined`. */
async function findProblem(host, port) {
  // Node would listen on every address.
  if (host === "") return "ENOTFOUND";
  const server = createServer().listen(port, host);
  try {
    await once(server, "listening");
  } catch (error) {
    return codeOf(error);
  }
  server.close();
  await once(server, "close");
  return undefined;
}
