// SHA256SUMS, in the form that `sha256sum --check` reads.
import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const FILE = "SHA256SUMS";
/** The notes are the text of the release, and no file that is downloaded. */
const UNLISTED = [FILE, "notes.md"];

/** @param {string} folder */
export async function writeSums(folder) {
  await writeFile(join(folder, FILE), await sums(folder));
}

/**
 * @param {string} folder
 * @throws {Error} naming the files that were changed, added or removed after the sums were written
 */
export async function checkSums(folder) {
  const text = await readFile(join(folder, FILE), "utf8").catch((cause) => {
    throw new Error(`${folder} has no ${FILE}; make the release with \`node release/release.mjs\``, { cause });
  });
  const expected = text.split("\n");
  const found = (await sums(folder)).split("\n");
  const differs = [...found.filter((it) => !expected.includes(it)), ...expected.filter((it) => !found.includes(it))];
  const names = [...new Set(differs.map((it) => it.split("  ")[1]))].join(", ");
  if (names) throw new Error(`${folder}: ${names} differs from ${FILE}; make the release again`);
}

async function sums(folder) {
  const names = (await readdir(folder)).filter((it) => !UNLISTED.includes(it)).toSorted();
  const lines = await Promise.all(names.map(async (it) => `${await sha256(join(folder, it))}  ${it}\n`));
  return lines.join("");
}

const sha256 = async (path) =>
  createHash("sha256")
    .update(await readFile(path))
    .digest("hex");
