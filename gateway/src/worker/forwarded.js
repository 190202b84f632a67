// Who sent a request: the address at the other end of the connection, or what a trusted proxy there says.
import ipaddr from "ipaddr.js";

const SCHEMES = /** @type {const} */ (["https:", "http:"]);

/**
 * @param {Headers} headers
 * @param {string} peer the address and port at the other end of the connection, as workerd has it
 * @param {readonly string[]} proxies addresses and networks (`10.0.0.0/8`) whose headers are trusted
 * @returns {{ address: string, scheme: "https:" | "http:" | undefined }} `scheme` is the one that a trusted proxy was
 *   reached with
 */
export function forwarded(headers, peer, proxies) {
  const socket = withoutPort(peer);
  if (!isTrusted(socket, proxies)) return { address: socket, scheme: undefined };
  return { address: firstUntrusted(headers, socket, proxies), scheme: schemeOf(headers) };
}

/** Each proxy appends the address that it got the request from: what stands before the last untrusted one can be forged. */
function firstUntrusted(headers, socket, proxies) {
  const listed = (headers.get("x-forwarded-for") ?? "").split(",").map((it) => withoutPort(it.trim()));
  for (const address of listed.reverse()) {
    if (!ipaddr.isValid(address)) return socket;
    if (!isTrusted(address, proxies)) return plain(address);
  }
  return socket;
}

/** The last proxy's word: those before it can be forged. */
function schemeOf(headers) {
  const scheme = headers.get("x-forwarded-proto")?.split(",").at(-1)?.trim().toLowerCase();
  return SCHEMES.find((it) => it === `${scheme}:`);
}

function isTrusted(address, proxies) {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return proxies.some((it) => {
    const [network, bits] = networkOf(it);
    return network.kind() === parsed.kind() && parsed.match(network, bits);
  });
}

/**
 * A proxy's address, or a network of them, and how many of its bits count.
 *
 * @param {string} text
 * @returns {[ipaddr.IPv4 | ipaddr.IPv6, number]}
 * @throws for what is neither
 */
export function networkOf(text) {
  if (text.includes("/")) return ipaddr.parseCIDR(text);
  const address = ipaddr.process(text);
  return [address, address.kind() === "ipv4" ? 32 : 128];
}

/** An IPv4 address that is written as an IPv6 one, as an IPv4 address. */
const plain = (address) => ipaddr.process(address).toString();

/** `192.0.2.1:80` and `[2001:db8::1]:80` without brackets and port. */
function withoutPort(text) {
  const [, inBrackets] = /^\[([^\]]*)\](?::\d+)?$/.exec(text) ?? [];
  const address = inBrackets ?? text.replace(/^([^:]*):\d+$/, "$1");
  return ipaddr.isValid(address) ? plain(address) : address;
}
