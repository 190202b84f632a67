// Holds the socket that callers connect to. It outlives the processes of workerd: while one ends and
// the next starts, callers wait in the socket's queue instead of being refused.
import { spawnSync } from "node:child_process";
import { lookup } from "node:dns/promises";
import * as net from "node:net";
import { Failure } from "../failure.js";

/** The callers that can wait. Linux takes fewer if `net.core.somaxconn` is lower. */
const BACKLOG = 511;
/** Listens on its descriptor 3, and leaves the socket to the processes that share it. */
const LISTEN = `
  const server = require("net").createServer();
  server.listen({ fd: 3, backlog: ${BACKLOG} }, () => process.exit());
`;
/** The first descriptor of systemd's socket activation (sd_listen_fds(3)). */
const FIRST = 3;

/**
 * @typedef {object} Held
 * @property {number} fd a descriptor that listens, for workerd
 * @property {string} host the address that it listens on
 * @property {number} port
 * @property {() => void} close refuses callers from now on, once workerd has ended too
 */

/**
 * The function that binds a socket without listening on it, so that this process accepts nothing.
 * Node's cluster uses it; there is no public one.
 *
 * @typedef {{ address?: string, port?: number }} Name
 * @typedef {{ fd: number, getsockname: (into: Name) => number, close: () => void }} Handle
 * @typedef {string | number | null} Part
 * @type {undefined | ((address: Part, port: Part, family: Part, fd?: number) => Handle | number)}
 */
const bind = /** @type {any} */ (net)._createServerHandle;

export const isActivated = () =>
  process.env.LISTEN_PID === String(process.pid) &&
  process.env.LISTEN_FDS !== undefined;

/**
 * Listens at an address, or takes the socket that systemd has passed.
 *
 * @param {string} host
 * @param {number} port 0 is any free one
 * @returns {Promise<Held | undefined>} `undefined` if workerd must listen itself: on Windows, and if
 *   this version of Node can't bind
 * @throws {Failure} if systemd has passed several sockets, or none that listens
 */
export async function holdSocket(host, port) {
  if (isActivated()) return activated();
  if (process.platform === "win32" || typeof bind !== "function")
    return undefined;
  const { address, family } = await lookup(host);
  const handle = bind(address, port, family);
  if (typeof handle === "number") return undefined;
  const { status } = spawnSync(process.execPath, ["-e", LISTEN], {
    stdio: ["ignore", "ignore", "ignore", handle.fd],
    // It needs none of the secrets in this process's environment.
    env: {},
  });
  const bound = nameOf(handle);
  if (status === 0 && bound)
    return { fd: handle.fd, ...bound, close: () => handle.close() };
  handle.close();
  return undefined;
}

/** @returns {Held} */
function activated() {
  if (process.env.LISTEN_FDS !== "1")
    throw new Failure(
      `systemd has passed ${process.env.LISTEN_FDS} sockets, and the gateway takes one; ` +
        "leave one ListenStream= in its socket unit",
    );
  const handle = bind?.(null, null, null, FIRST);
  const bound = typeof handle === "object" ? nameOf(handle) : undefined;
  if (!bound)
    throw new Failure(
      "systemd has passed a socket that is none of TCP; name a port in ListenStream=",
    );
  // systemd has it open too, so it stays for the next start.
  return { fd: FIRST, ...bound, close: () => undefined };
}

function nameOf(handle) {
  const name = /** @type {Name} */ ({});
  handle.getsockname?.(name);
  const { address: host, port } = name;
  return host === undefined || port === undefined ? undefined : { host, port };
}
