// What the options of `serve` mean, and what they must not be.
import { isIP } from "node:net";
import { Failure, UsageFailure } from "../failure.js";

/**
 * Addresses and networks, from a list that is separated by commas.
 *
 * @param {string} text
 * @throws {UsageFailure} for what is neither
 */
export function proxiesOf(text) {
  const listed = text.split(",").map((it) => it.trim());
  const proxies = listed.filter((it) => it !== "");
  const wrong = proxies.find((it) => !isNetwork(it));
  if (wrong)
    throw new UsageFailure(
      `--trust-proxy has ${JSON.stringify(wrong)}, which is neither an address nor a network such as 10.0.0.0/8`,
    );
  return proxies;
}

function isNetwork(text) {
  const [, address, bits] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const version = isIP(address ?? "");
  // Addresses of IPv4 are compared as such: a network of theirs in the form of IPv6 would never match.
  if (bits !== undefined && /^::ffff:/i.test(address ?? "")) return false;
  return version !== 0 && (bits === undefined || Number(bits) <= (version === 4 ? 32 : 128));
}

/**
 * Checks that an upstream on this machine can be reached.
 *
 * @param {Record<string, string>} settings
 * @param {boolean} isAllowed
 * @throws {Failure} where it can't
 */
export function upstreamIsPrivate({ UPSTREAM_BASE_URL: url }, isAllowed) {
  const host = URL.canParse(url ?? "") ? new URL(/** @type {string} */ (url)).hostname : "";
  if (!isAllowed && (host === "localhost" || host === "[::1]" || host.startsWith("127.")))
    throw new Failure(
      "UPSTREAM_BASE_URL is on this machine, where the gateway connects only if you pass --private-upstream",
    );
}
