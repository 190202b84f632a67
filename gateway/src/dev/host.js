// The addresses that `dev` listens on: those of this machine only, or in its network.
import { networkInterfaces } from "node:os";
import { Failure, UsageFailure } from "../failure.js";
import { inUrl } from "../workerd/address.js";

export const LOCAL_NAMES = ["localhost", "127.0.0.1", "[::1]"];
const ALL = "0.0.0.0";

/**
 * @typedef {object} Host
 * @property {string} listen the address
 * @property {string[]} addresses that others reach it at; none if only this machine reaches it
 * @property {string[]} names hosts that a request's URL may have
 */

/**
 * @param {string | undefined} text
 * @returns {Host}
 * @throws {UsageFailure} if it is no address of this machine
 */
export function hostOf(text) {
  if (text === undefined || text === "localhost" || text === "127.0.0.1")
    return { listen: "127.0.0.1", addresses: [], names: LOCAL_NAMES };
  const own = ownAddresses();
  if (text === ALL)
    return {
      listen: ALL,
      addresses: inNetwork(own),
      names: [...LOCAL_NAMES, ...inNetwork(own)],
    };
  if (own.includes(text))
    return { listen: text, addresses: [text], names: [inUrl(text)] };
  const listed =
    own.length > 0 ? `: ${own.join(", ")}` : ", of which there are none now";
  throw new UsageFailure(
    `--host is ${JSON.stringify(text)}; it is ${ALL}, for every network that this machine is in, ` +
      `or one of its addresses${listed}`,
  );
}

function inNetwork(own) {
  if (own.length === 0)
    throw new Failure(
      "this machine is in no network now; leave out --host, or connect it",
    );
  return own;
}

/**
 * Returns this machine's addresses of IPv4, without link-local ones. A page's content security
 * policy can't name an address of IPv6.
 */
const ownAddresses = () =>
  Object.values(networkInterfaces())
    .flatMap((entries) => entries ?? [])
    .filter(
      (entry) =>
        !entry.internal &&
        entry.family === "IPv4" &&
        !entry.address.startsWith("169.254."),
    )
    .map((entry) => entry.address);
