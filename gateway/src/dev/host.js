// Where `dev` listens: on this machine alone, or in the network that it is in.
import { networkInterfaces } from "node:os";
import { Failure, UsageFailure } from "../failure.js";
import { inUrl } from "../workerd/address.js";

/** The names under which this machine reaches itself. */
export const LOCAL_NAMES = ["localhost", "127.0.0.1", "[::1]"];
/** Every address of IPv4 that this machine has. */
const ALL = "0.0.0.0";

/**
 * @typedef {object} Host
 * @property {string} listen the address
 * @property {string[]} addresses those under which others reach it, none where it is for this machine alone
 * @property {string[]} names those of a request's URL that are right
 */

/**
 * What `--host` means.
 *
 * @param {string | undefined} text
 * @returns {Host}
 * @throws {UsageFailure} for what is no address of this machine
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
  throw new UsageFailure(
    `--host is ${JSON.stringify(text)}; it is ${ALL}, for every network that this machine is in, or one of its addresses${own.length > 0 ? `: ${own.join(", ")}` : ", of which there are none now"}`,
  );
}

function inNetwork(own) {
  if (own.length === 0)
    throw new Failure(
      "this machine is in no network now; leave out --host, or connect it",
    );
  return own;
}

/** Of IPv4: a page's policy can't name one of IPv6. Without those that are valid on one cable alone. */
const ownAddresses = () =>
  Object.values(networkInterfaces())
    .flatMap((it) => it ?? [])
    .filter(
      (it) =>
        !it.internal &&
        it.family === "IPv4" &&
        !it.address.startsWith("169.254."),
    )
    .map((it) => it.address);
