import { SCOPE, tokenFor } from "../session.js";
import { inUrl } from "../workerd/address.js";

/**
 * Prints the addresses and a token once everything runs. The gateway's address is 127.0.0.1, not
 * localhost: that name also has an address of IPv6, and another user of the machine may listen
 * there.
 *
 * @param {string} url the gateway's
 * @param {Record<string, string>} settings
 * @param {{ emulator?: { url: string, admin: string }, module?: string, isFilled: boolean }} upstream
 *   neither emulator nor module for a real service; filled if the emulator serves what the module
 *   does not offer
 * @param {string[]} addresses that others in the network reach it at
 */
export async function introduce(
  url,
  settings,
  { emulator, module, isFilled },
  addresses,
) {
  const who = { subject: "dev", scope: SCOPE, expiresIn: 3600 };
  const token = await tokenFor(settings, who);
  const upstream = emulator
    ? `media service   ${emulator.url}, an emulator; its admin interface is ${emulator.admin}`
    : `media service   ${module ?? settings.UPSTREAM_BASE_URL}: tasks cost credits${isFilled ? FILLED : ""}`;
  const isOpen = settings.ANONYMOUS_SESSIONS === "on";
  const limit = module && isOpen ? limitOf(settings) : "";
  console.error(`
  gateway         ${url}
  playground      ${url}/
  ${upstream}${limit}
${addresses.length > 0 ? inNetwork(new URL(url).port, addresses) : ""}
  In your page:   const media = await connect({ url: ${JSON.stringify(url)}${isOpen ? "" : ", token"} });
  A token for an hour${isOpen ? WHO_NEEDS_IT : ""}
  (\`mediagate-gateway token\` prints another):

${token}
${emulator ? FAILURES : ""}
  Ctrl-C ends ${emulator ? "both" : "it"}. Below is the gateway's log, a line for each request.
`);
}

const FAILURES = `
  To see a failure, give a create a title: "emulate: state=FAILED", "emulate: status=503",
  "emulate: code=1401" (no credits); the README of mediagate-gateway lists further words.
`;

const FILLED = `
                  what the module does not offer is made by the emulator, and costs none`;

/** @param {Record<string, string>} settings */
const limitOf = ({ ANONYMOUS_BUDGET: budget }) => `
                  pages of this machine without a token make ${budget} a day together`;

const WHO_NEEDS_IT =
  ", which a script in Node needs, and a page on this machine does not";

function inNetwork(port, addresses) {
  const hosts = addresses.map(inUrl);
  const urls = hosts.map((host) => `http://${host}:${port}/`);
  // The emulator's results have one address, which a phone in another network can't reach.
  const remedy =
    hosts.length > 1
      ? "; if they do not load, pass the address of your phone's network as --host"
      : "";
  return `
  On your phone:  ${urls.join(" or ")}
  Everyone in the same network can use the gateway meanwhile, spend the emulator's credits and see
  its results, and nothing is encrypted. Results are at ${hosts[0]}${remedy}.
  Pages of another server need their origin, such as --origin http://${hosts[0]}:5173.
`;
}
