// The secrets of a gateway on this machine, in a folder of its own that git ignores.
import { randomBytes } from "node:crypto";
import { lstat, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Failure } from "./failure.js";

const NAMES = ["UPSTREAM_API_KEY", "SESSION_SECRET", "SEAL_SECRET"];

/** A new random secret. */
export const newSecret = () => randomBytes(32).toString("hex");

/** Whether a secret has the form of a new one. */
export const isNewSecret = (text) => /^[0-9a-f]{64}$/.test(text);

/**
 * The secrets in a folder, which are made once: what a page has stored stays valid over a restart.
 *
 * @param {string} folder made where it is missing
 * @returns {Promise<Record<string, string>>}
 */
export async function localSecrets(folder) {
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error) => {
    // What stands there and is no folder is named below.
    if (error.code === "EEXIST") return;
    throw new Failure(
      `the folder ${folder}, where the gateway's secrets are, can't be made (${error.code})`,
    );
  });
  // One that came with a project could lead anywhere.
  if (!(await lstat(folder)).isDirectory())
    throw new Failure(
      `${folder} is a symbolic link or a file; move it away, and run this again`,
    );
  await writeNew(join(folder, ".gitignore"), "*\n");
  const file = join(folder, "secrets.json");
  const secrets = Object.fromEntries(NAMES.map((it) => [it, newSecret()]));
  if (await writeNew(file, JSON.stringify(secrets))) return secrets;
  return { ...secrets, ...parse(await readFile(file, "utf8"), file) };
}

/**
 * The secrets that are in a folder already.
 *
 * @param {string} folder
 * @returns {Promise<Record<string, string>>} none where there are none
 */
export async function presentSecrets(folder) {
  const file = join(folder, "secrets.json");
  const text = await readFile(file, "utf8").catch(() => undefined);
  return text === undefined ? {} : parse(text, file);
}

/** Whether it was written; a file that exists, and a symbolic link, stay as they are. */
async function writeNew(file, text) {
  try {
    await writeFile(file, text, { mode: 0o600, flag: "wx" });
    return true;
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code === "EEXIST") return false;
    throw new Failure(
      `${file} can't be written (${code}); free space there, or make the folder one that you may write to`,
    );
  }
}

/** The parser's own message would quote a secret. */
function parse(text, file) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Failure(
      `${file} is no JSON; delete it, and new secrets are made`,
    );
  }
}
