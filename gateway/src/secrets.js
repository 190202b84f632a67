// The secrets of a gateway on this machine, in a folder of its own that git ignores.
import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const NAMES = ["UPSTREAM_API_KEY", "SESSION_SECRET", "SEAL_SECRET"];

/** A new random secret. */
export const newSecret = () => randomBytes(32).toString("hex");

/**
 * The secrets in a folder, which are made once: what a page has stored stays valid over a restart.
 *
 * @param {string} folder made where it is missing
 * @returns {Promise<Record<string, string>>}
 */
export async function localSecrets(folder) {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(join(folder, ".gitignore"), "*\n");
  const file = join(folder, "secrets.json");
  const secrets = Object.fromEntries(NAMES.map((it) => [it, newSecret()]));
  try {
    await writeFile(file, JSON.stringify(secrets), { mode: 0o600, flag: "wx" });
    return secrets;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== "EEXIST") throw error;
    return { ...secrets, ...JSON.parse(await readFile(file, "utf8")) };
  }
}
