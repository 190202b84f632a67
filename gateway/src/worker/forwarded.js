import ipaddr from "ipaddr.js";

/**
 * The entries of `X-Forwarded-For` that are read, at most. There are fewer proxies, and any caller
 * can send a long list.
 */
const MAX_ENTRIES = 32;
const SCHEMES = /** @type {const} */ (["https:", "http:"]);

/**
 * Finds the sender of a request: the address at the other end of the connection, or the one that a
 * trusted proxy there names.
 *
 * @param {Headers} headers
 * @param {string} peer the address and port at the other end of the connection, from workerd
 * @param {readonly string[]} proxies addresses and networks (`10.0.0.0/8`) whose headers are
 *   trusted
 * @returns {{ address: string, scheme: "https:" | "http:" | undefined }} `scheme` is that of the
 *   request to a trusted proxy; `undefined` without one
 */
export function findSender(headers, peer, proxies) {
  const socket = withoutPort(peer);
  if (!isTrusted(socket, proxies))
    return { address: socket, scheme: undefined };
  return {
    address: firstUntrusted(headers, socket, proxies),
    scheme: schemeOf(headers),
  };
}

/**
 * Returns the last address of the list that is not a proxy's. Each proxy appends the address of its
 * own caller, so everything before that address can be forged. If there is none, the socket's
 * address counts.
 */
function firstUntrusted(headers, socket, proxies) {
  const list = headers.get("x-forwarded-for") ?? "";
  for (const entry of list.split(",").slice(-MAX_ENTRIES).reverse()) {
    const address = withoutPort(entry.trim());
    if (!ipaddr.isValid(address)) return socket;
    if (!isTrusted(address, proxies)) return address;
  }
  return socket;
}

/** Returns the last proxy's scheme. Those before it can be forged. */
function schemeOf(headers) {
  const scheme = headers
    .get("x-forwarded-proto")
    ?.split(",")
    .at(-1)
    ?.trim()
    .toLowerCase();
  return SCHEMES.find((known) => known === `${scheme}:`);
}

function isTrusted(address, proxies) {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return proxies.some((proxy) => {
    const [network, bits] = networkOf(proxy);
    return network.kind() === parsed.kind() && parsed.match(network, bits);
  });
}

/**
 * Parses a proxy's address, or a network of proxies. The number is how many of its bits count.
 *
 * @returns {[ipaddr.IPv4 | ipaddr.IPv6, number]}
 * @throws if it is neither
 */
function networkOf(text) {
  if (text.includes("/")) return ipaddr.parseCIDR(text);
  const address = ipaddr.process(text);
  return [address, address.kind() === "ipv4" ? 32 : 128];
}

/**
 * Returns the address in `192.0.2.1:80`, `[2001:db8::1]:80` and `fe80::1%eth0`, in one form: an
 * IPv4 address that is written as an IPv6 one becomes an IPv4 address. A text that is no address
 * stays.
 */
function withoutPort(text) {
  const [, inBrackets] = /^\[([^\]]*)\](?::\d+)?$/.exec(text) ?? [];
  // The zone is this machine's name of a network. The proxy may use another name, so the zone is no
  // part of the address.
  const address = (inBrackets ?? text.replace(/^([^:]*):\d+$/, "$1")).replace(
    /%[^%]*$/,
    "",
  );
  return ipaddr.isValid(address) ? ipaddr.process(address).toString() : text;
}
