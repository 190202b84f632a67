// The secrets for this machine, in the file that `mediagate-gateway dev` and wrangler read.
import { parseEnv } from "node:util";
import { newSecret } from "../secrets.js";
import { LOCAL_FILE } from "../settings.js";
import { create, readText } from "./files.js";

const NAMES = ["SESSION_SECRET", "SEAL_SECRET"];

const text =
  () => `# Settings for this machine: \`mediagate-gateway dev\` and \`wrangler dev\` read them. Do not commit this file.
# The media service's key, which \`mediagate-gateway dev --upstream URL\` needs:
# UPSTREAM_API_KEY=
${NAMES.map((it) => `${it}=${newSecret()}`).join("\n")}
`;

/**
 * Writes new secrets, unless the file exists.
 *
 * @returns {Promise<{ done: import("./files.js").Done, notes?: string[] }>}
 */
export async function writeSecrets() {
  // For the owner alone.
  const done = await create(LOCAL_FILE, text(), 0o600);
  return done.action === "written"
    ? { done }
    : { done, notes: await missing() };
}

async function missing() {
  const values = parseEnv((await readText(LOCAL_FILE)) ?? "");
  const names = NAMES.filter((it) => !values[it]);
  if (names.length === 0) return [];
  return [
    `Add ${names.join(" and ")} to ${LOCAL_FILE}, ${names.length > 1 ? "each " : ""}with the output of openssl rand -hex 32.`,
  ];
}
