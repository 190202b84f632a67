// Options that several commands have.
import { UsageFailure } from "./failure.js";

const MAX_PORT = 65_535;

/**
 * Parses the value of an option for a port.
 *
 * @param {string} text
 * @param {string} name of the option
 * @throws {UsageFailure} if it is no port
 */
export function portOf(text, name = "--port") {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > MAX_PORT)
    throw new UsageFailure(
      `${name} is ${JSON.stringify(text)}; ` +
        `a port is a number from 0 (any free one) to ${MAX_PORT}`,
    );
  return port;
}
