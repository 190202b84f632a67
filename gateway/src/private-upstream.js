// Refuses addresses that workerd does not connect to.
import { lookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";
import { Failure } from "./failure.js";

const familyOf = (address) => (isIP(address) === 6 ? "ipv6" : "ipv4");

const LOOPBACK = blockList(
  ["127.0.0.0", 8],
  ["0.0.0.0", 8],
  ["::1", 128],
  ["::", 128],
);
const PRIVATE = blockList(
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
  ["fc00::", 7],
  ["fe80::", 10],
);

function blockList(...networks) {
  const list = new BlockList();
  for (const [address, bits] of networks)
    list.addSubnet(address, bits, familyOf(address));
  return list;
}

const isIn = (list, address) => list.check(address, familyOf(address));

/** The consequence if the server at a setting's URL can't be reached. */
const WITHOUT = {
  UPSTREAM_BASE_URL: "every create fails as unreachable",
  RESULTS_BUCKET_URL: "no result is kept",
  SESSION_JWKS_URL: "no token of your identity provider is accepted",
  WEBHOOK_URLS: "no webhook is delivered",
};

/**
 * Checks that the addresses in the settings can be reached if they are on this machine or in a
 * private network. For a name that resolves to private addresses, it only prints a note, because
 * they may change. If such addresses are allowed, callers must not choose the host.
 *
 * @param {Record<string, string>} settings
 * @param {boolean} isAllowed
 * @throws {Failure} if an address can't be reached
 */
export function checkAddresses(settings, isAllowed) {
  if (isAllowed) return checkInputHosts(settings);
  for (const name of Object.keys(WITHOUT))
    for (const url of (settings[name] ?? "").split(","))
      checkPublic(name, url.trim());
}

function checkPublic(name, url) {
  // Unset, or an error that `checkSettings` reports.
  if (!URL.canParse(url)) return;
  const host = new URL(url).hostname.replace(/^\[(.*)\]$/, "$1");
  // Also an error that `checkSettings` reports.
  if (host === "") return;
  const place = placeOf(/(^|\.)localhost\.?$/.test(host) ? "127.0.0.1" : host);
  if (place)
    throw new Failure(
      `${name} is ${place}, where the gateway connects only if you pass --private-upstream`,
    );
  if (!isIP(host)) void noteIfPrivate(host, WITHOUT[name]);
}

/**
 * Checks that callers can't choose a URL that leads into the network of this machine.
 *
 * @param {Record<string, string>} settings of a gateway that connects to private networks
 * @throws {Failure} if they can
 */
export function checkInputHosts({ INPUT_HOSTS: hosts = "" }) {
  if (hosts.split(",").some((host) => host.trim() === "*"))
    throw new Failure(
      "INPUT_HOSTS is *, so that a caller's URL could lead into your network, to which this gateway " +
        "connects (dev, and serve with --private-upstream); " +
        "list the hosts that files may be loaded from",
    );
}

/** Returns the place of an address; `undefined` for one of the internet, or for a name. */
function placeOf(address) {
  if (!isIP(address)) return undefined;
  if (isIn(LOOPBACK, address)) return "on this machine";
  return isIn(PRIVATE, address) ? "in a private network" : undefined;
}

async function noteIfPrivate(name, consequence) {
  // A name that does not resolve now may do so later.
  const found = await lookup(name, { all: true }).catch(() => []);
  const addresses = found.map((entry) => entry.address);
  // With one public address, workerd may connect.
  if (addresses.length === 0 || !addresses.every(placeOf)) return;
  console.error(
    `note: ${name} is in a private network (${addresses.join(", ")}), where the gateway ` +
      `connects only if you pass --private-upstream; without it, ${consequence}`,
  );
}
