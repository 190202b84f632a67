// Writes the secrets for this machine: into the file that `mediagate-gateway dev` and wrangler
// read, and into the file of the app's server.
import { parseEnv } from "node:util";
import { create, readText } from "../files.js";
import { newSecret } from "../secrets.js";
import { LOCAL_FILE } from "../settings.js";
import { ignoreLocalFiles } from "./gitignore.js";

const NAMES = ["SESSION_SECRET", "SEAL_SECRET"];

const text =
  () => `# Settings for this machine, which \`mediagate-gateway dev\` and \`wrangler dev\` read.
# Do not commit this file.
# The media service's key, which \`mediagate-gateway dev --upstream URL\` needs:
# UPSTREAM_API_KEY=
${NAMES.map((name) => `${name}=${newSecret()}`).join("\n")}
`;

/**
 * Writes new secrets, unless the file exists.
 *
 * @returns {Promise<{ done: import("../files.js").Done, notes?: string[] }>}
 */
export async function writeSecrets() {
  // Readable only by the owner.
  const done = await create(LOCAL_FILE, text(), 0o600);
  return done.action === "written"
    ? { done }
    : { done, notes: await noteMissing() };
}

async function noteMissing() {
  const values = parseEnv((await readText(LOCAL_FILE)) ?? "");
  const names = NAMES.filter((name) => !values[name]);
  if (names.length === 0) return [];
  return [
    `Add ${names.join(" and ")} to ${LOCAL_FILE}, ` +
      `${names.length > 1 ? "each " : ""}with the output of openssl rand -hex 32.`,
  ];
}

/** The files from which Next.js and SvelteKit read the environment of a server on this machine. */
const SERVER_FILE = ".env.local";
const SERVER_FILES = [
  SERVER_FILE,
  ".env.development.local",
  ".env.development",
  ".env",
];

/**
 * Writes the secret of `.dev.vars` for the app's own server, unless the server has a secret or the
 * file exists.
 *
 * @returns {Promise<{ done: import("../files.js").Done[], notes: string[] }>}
 */
export async function writeServerSecret() {
  const secret = await secretIn(LOCAL_FILE);
  const found = await Promise.all(SERVER_FILES.map(secretIn));
  const own = SERVER_FILES.find((_, index) => found[index] !== undefined);
  if (secret === undefined || own !== undefined)
    return { done: [], notes: [toSet(own ?? SERVER_FILE)] };
  // Before the secret is written, so that it is never in a folder whose .gitignore lacks the file.
  const ignored = await ignoreLocalFiles([SERVER_FILE]);
  const done = await create(SERVER_FILE, serverText(secret), 0o600);
  const note = done.action === "written" ? ONCE_DEPLOYED : toSet(SERVER_FILE);
  const isKnown = ignored.done.action === "unchanged";
  return {
    done: isKnown ? [done] : [ignored.done, done],
    notes: [...(ignored.notes ?? []), note],
  };
}

const secretIn = async (file) =>
  parseEnv((await readText(file)) ?? "").SESSION_SECRET;

const serverText = (
  secret,
) => `# As in ${LOCAL_FILE}: your server signs session tokens with it. Do not commit this file.
SESSION_SECRET=${secret}
`;

const ONCE_DEPLOYED =
  "Once deployed, your server needs the same SESSION_SECRET as the gateway in its environment.";
const toSet = (file) =>
  `Set SESSION_SECRET in ${file} to that of ${LOCAL_FILE}: ` +
  "your server and the gateway need the same one, also once deployed.";
