// What `--trust-proxy` means, and what it must not be.
import { isIP } from "node:net";
import { UsageFailure } from "../failure.js";

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
  return (
    version !== 0 &&
    (bits === undefined || Number(bits) <= (version === 4 ? 32 : 128))
  );
}
