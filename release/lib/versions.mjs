import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { listCrates } from "./crates.mjs";
import { listPlaces, SOURCE } from "./places.mjs";

/** @typedef {import("./places.mjs").Place} Place */

/** Semantic Versioning, without build metadata: npm takes no two versions that differ only there. */
const VERSION = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$/;

/**
 * @param {string} version
 * @throws {Error} when it is no version
 */
export function expectVersion(version) {
  if (!VERSION.test(version)) throw new Error(`${version} is no version; expected one such as 1.2.3 or 1.2.3-rc.1`);
}

/**
 * Checks that every file agrees with the version in `Cargo.toml`, and the tag too where there is one.
 *
 * @param {string} root the checkout
 * @param {string} [tag]
 * @returns {Promise<string>} the version
 * @throws {Error} with one line for each file that differs: what it has, what is expected, and the remedy
 */
export async function checkVersions(root, tag) {
  const version = await readVersion(root);
  const places = (await listPlaces(root)).map((it) => checkPlace(root, it, version));
  const crates = (await listCrates(root)).map((it) => checkCrate(it));
  const problems = [checkTag(tag, version), ...crates, ...(await Promise.all(places))].filter((it) => it !== undefined);
  if (problems.length > 0) throw new Error(problems.join("\n"));
  return version;
}

/**
 * Writes a version to every place.
 *
 * @param {string} root the checkout
 * @param {string} version
 * @returns {Promise<string[]>} the files that it changed
 */
export async function writeVersion(root, version) {
  expectVersion(version);
  const places = [SOURCE, ...(await listPlaces(root))];
  const files = [...new Set(places.map((it) => it.file))];
  // All of them before the first is written: a place that is missing changes nothing.
  const edits = await Promise.all(files.map((it) => editFile(root, it, places, version)));
  const changed = edits.filter((it) => it.after !== it.before);
  await Promise.all(changed.map((it) => writeFile(join(root, it.file), it.after)));
  return changed.map((it) => it.file);
}

/** @param {string} root */
async function readVersion(root) {
  const version = SOURCE.pattern.exec(await readFile(join(root, SOURCE.file), "utf8"))?.groups?.version;
  if (!version) throw new Error(`${SOURCE.file}: ${SOURCE.what} is missing; write \`version = "0.1.0"\` there`);
  expectVersion(version);
  return version;
}

function checkTag(tag, version) {
  if (!tag || tag === `v${version}`) return undefined;
  return (
    `the tag is ${tag}, expected v${version}, as ${SOURCE.file} has ${version}; ` +
    "tag the commit that `node release/version.mjs` prepared for this version"
  );
}

async function checkPlace(root, { file, what, pattern }, version) {
  const found = pattern.exec(await readFile(join(root, file), "utf8"))?.groups?.version;
  if (found === version) return undefined;
  const expected = `expected ${version}, the version in ${SOURCE.file}`;
  return `${file}: ${what} is ${found ?? "missing"}, ${expected}; run \`node release/version.mjs ${version}\``;
}

function checkCrate({ folder, manifest }) {
  const line = /^version\b.*$/m.exec(manifest)?.[0];
  if (line === "version.workspace = true") return undefined;
  const found = line ? `has \`${line}\`` : "has no version";
  return `${folder}/Cargo.toml ${found}, expected \`version.workspace = true\`; write that line in its place`;
}

/**
 * @param {string} root
 * @param {string} file
 * @param {Place[]} places
 * @param {string} version
 */
async function editFile(root, file, places, version) {
  const before = await readFile(join(root, file), "utf8");
  const own = places.filter((it) => it.file === file);
  return { file, before, after: own.reduce((text, it) => replaceVersion(text, it, version), before) };
}

/**
 * @param {string} text
 * @param {Place} place
 * @param {string} version
 */
function replaceVersion(text, { file, what, pattern }, version) {
  const match = pattern.exec(text);
  const found = match?.groups?.version;
  if (!match || !found) throw new Error(`${file}: ${what} is missing, so it cannot be set; restore the file from git`);
  const end = match.index + match[0].length;
  return text.slice(0, end - found.length) + version + text.slice(end);
}
