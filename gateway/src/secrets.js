// The secrets of a gateway on this machine, in a folder that git ignores.
import { randomBytes } from "node:crypto";
import { lstat, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { Failure } from "./failure.js";
import { create, readText, requireText } from "./files.js";

const NAMES = ["UPSTREAM_API_KEY", "SESSION_SECRET", "SEAL_SECRET"];

export const newSecret = () => randomBytes(32).toString("hex");

/** Returns true if a secret has the form of a generated one. */
export const isNewSecret = (text) => /^[0-9a-f]{64}$/.test(text);

/**
 * Returns the secrets in a folder. They are generated once, so that what a page has stored stays
 * valid over a restart.
 *
 * @param {string} folder made if it is missing
 * @returns {Promise<Record<string, string>>}
 */
export async function localSecrets(folder) {
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error) => {
    // Something else with this name is reported below.
    if (error.code === "EEXIST") return;
    throw new Failure(
      `the folder ${folder}, for the gateway's secrets, can't be made (${error.code})`,
    );
  });
  // A link that came with a project could lead anywhere.
  if (!(await lstat(folder)).isDirectory())
    throw new Failure(
      `${folder} is a symbolic link or a file; move it away, and run this again`,
    );
  await create(join(folder, ".gitignore"), "*\n", 0o600);
  const file = join(folder, "secrets.json");
  const secrets = Object.fromEntries(NAMES.map((name) => [name, newSecret()]));
  const { action } = await create(file, JSON.stringify(secrets), 0o600);
  if (action === "written") return secrets;
  return { ...secrets, ...parse(await requireText(file), file) };
}

/**
 * @param {string} folder
 * @returns {Promise<Record<string, string>>} empty if there are none
 */
export async function presentSecrets(folder) {
  const file = join(folder, "secrets.json");
  const text = await readText(file);
  return text === undefined ? {} : parse(text, file);
}

/** Parses the file. The parser's own message is not shown, since it would quote a secret. */
function parse(text, file) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Failure(
      `${file} is no JSON; delete it, and new secrets are made`,
    );
  }
}
