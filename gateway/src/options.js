// The values of options.
import { isIP } from "node:net";
import { Failure, UsageFailure } from "./failure.js";

const MAX_PORT = 65_535;
const MAX_DRAIN = 600;

/**
 * @param {string} text
 * @throws {UsageFailure} if it is no port
 */
export function portOf(text) {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > MAX_PORT)
    throw new UsageFailure(
      `--port is ${JSON.stringify(text)}; ` +
        `a port is a number from 0 (any free one) to ${MAX_PORT}`,
    );
  return port;
}

/** The default of `UPSTREAM_TIMEOUT_MS` with a module, in milliseconds. */
const MODULE_TIMEOUT_MS = 120_000;

/**
 * Returns the default of `DRAIN_SECONDS`. With a module, it is the time of a create, and some more:
 * a create that is ended may have been charged.
 *
 * @param {Record<string, string>} settings
 * @param {boolean} hasModule
 */
export function defaultDrain({ UPSTREAM_TIMEOUT_MS: text }, hasModule) {
  if (!hasModule) return "8";
  const timeoutMs = Number(text) || MODULE_TIMEOUT_MS;
  return String(Math.min(Math.ceil(timeoutMs / 1_000) + 15, MAX_DRAIN));
}

/**
 * Parses the setting `DRAIN_SECONDS`.
 *
 * @param {string} text
 * @returns {number} milliseconds
 * @throws {Failure} if it is no number of seconds
 */
export function drainOf(text) {
  const seconds = Number(text);
  if (!/^\d{1,3}$/.test(text) || seconds > MAX_DRAIN)
    throw new Failure(
      `DRAIN_SECONDS is ${JSON.stringify(text)}; ` +
        `it is the whole seconds from 0 to ${MAX_DRAIN} that requests have to finish after a stop`,
    );
  return seconds * 1_000;
}

/**
 * Returns the addresses and networks of `--trust-proxy`, which commas separate.
 *
 * @param {string} text
 * @throws {UsageFailure} if an entry is neither
 */
export function proxiesOf(text) {
  const listed = text.split(",").map((part) => part.trim());
  const proxies = listed.filter((entry) => entry !== "");
  const wrong = proxies.find((proxy) => !isNetwork(proxy));
  if (wrong)
    throw new UsageFailure(
      `--trust-proxy has ${JSON.stringify(wrong)}, ` +
        "which is neither an address nor a network such as 10.0.0.0/8",
    );
  return proxies;
}

function isNetwork(text) {
  const [, address, bits] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const version = isIP(address ?? "");
  // Addresses of IPv4 are compared in their own form, so a network of them in the form of IPv6
  // would never match.
  if (bits !== undefined && /^::ffff:/i.test(address ?? "")) return false;
  return (
    version !== 0 &&
    (bits === undefined || Number(bits) <= (version === 4 ? 32 : 128))
  );
}
