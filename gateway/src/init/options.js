// Checks the options of `init`. Their values go into a file that wrangler reads, and become
// settings of the gateway. So the rules are the gateway's own: a value that it would refuse after a
// deployment is refused here.
import { isIP } from "node:net";
import { UsageFailure } from "../failure.js";

/** A label of a host's name, because the Worker's name is part of its address. */
const NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** Hosts in URLs. JavaScript's parser of URLs would also accept quotes and commas. */
const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:]+\])$/;
const VISIBLE_ASCII = /^[!-~]+$/;

/**
 * @param {string} text
 * @throws {UsageFailure} if no Worker can have this name
 */
export function nameOf(text) {
  if (!NAME.test(text))
    throw new UsageFailure(
      `--name is ${JSON.stringify(text)}; the name of a Worker has 1 to 63 lower-case letters, ` +
        "digits and dashes, and no dash at either end, such as mediagate",
    );
  return text;
}

/**
 * Returns the media service's address in the form that the gateway reads. The message does not
 * contain the value, which may have a key.
 *
 * @param {string} text
 * @throws {UsageFailure} if the gateway would refuse it
 */
export function upstreamOf(text) {
  const problem = upstreamProblem(text);
  if (problem)
    throw new UsageFailure(
      `--upstream ${problem}; pass an address such as https://api.example.com`,
    );
  return new URL(text).href.replace(/\/+$/, "");
}

function upstreamProblem(text) {
  if (!VISIBLE_ASCII.test(text))
    return "is empty, or has a space or another character that is no visible ASCII";
  if (!URL.canParse(text)) return "is no URL";
  const { protocol, hostname, username, password, href } = new URL(text);
  if (username || password)
    return "has credentials, and the key is a secret of its own (UPSTREAM_API_KEY)";
  if (protocol !== "https:" && !(protocol === "http:" && isLoopback(hostname)))
    return "is not https (http is allowed on this machine only)";
  if (!HOST.test(hostname))
    return "has a host that is neither a name nor an address";
  return /[?#]/.test(href) ? "has a query or a fragment" : undefined;
}

const isLoopback = (host) =>
  host === "localhost" ||
  host === "[::1]" ||
  (isIP(host) === 4 && host.startsWith("127."));
