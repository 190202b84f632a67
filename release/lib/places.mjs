// Where the version is written. `Cargo.toml` is the source; the others must agree with it.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { listCrates } from "./crates.mjs";

/**
 * @typedef {object} Place
 * @property {string} file its path in the checkout
 * @property {string} what what has the version there
 * @property {RegExp} pattern ends with the group `version`
 */

/** @type {Place} */
export const SOURCE = {
  file: "Cargo.toml",
  what: "the version of [workspace.package]",
  pattern: /^\[workspace\.package\]\n(?:(?!\[).*\n)*?version = "(?<version>[^"]+)/m,
};

/** A workspace of npm that depends on the package at its exact version. */
const DEPENDENT = "gateway";

/**
 * Every place but the source.
 *
 * @param {string} root the checkout
 * @returns {Promise<Place[]>}
 */
export async function listPlaces(root) {
  const workspaces = await versionedWorkspaces(root);
  return [
    ...workspaces.map(manifestPlace),
    ...dependencyPlaces(),
    ...cratePlaces(),
    ...workspaces.map(lockPlace),
    ...(await locks(root)),
  ];
}

/** The workspaces of npm that state a version, the private ones too: one rule for all of them. */
async function versionedWorkspaces(root) {
  const read = async (file) => JSON.parse(await readFile(join(root, file), "utf8"));
  const { workspaces } = await read("package.json");
  const manifests = await Promise.all(workspaces.map((it) => read(`${it}/package.json`)));
  return workspaces.filter((_, index) => manifests[index].version);
}

/** @returns {Place} */
const manifestPlace = (workspace) => ({
  file: `${workspace}/package.json`,
  what: "version",
  pattern: /^ {2}"version": "(?<version>[^"]+)/m,
});

/** @returns {Place} */
const lockPlace = (workspace) => ({
  file: "package-lock.json",
  what: `the version of ${workspace}`,
  pattern: inLock(workspace, '      "version": "(?<version>[^"]+)'),
});

/** @returns {Place[]} */
const dependencyPlaces = () => [
  {
    file: `${DEPENDENT}/package.json`,
    what: "its dependency on mediagate",
    pattern: /^ {2}"dependencies": \{\n(?: {4}.*\n)*? {4}"mediagate": "(?<version>[^"]+)/m,
  },
  {
    file: "package-lock.json",
    what: `the dependency of ${DEPENDENT} on mediagate`,
    pattern: inLock(DEPENDENT, '      "dependencies": \\{\\n(?: {8}.*\\n)*? {8}"mediagate": "(?<version>[^"]+)'),
  },
];

/**
 * The crates that others of the workspace depend on at their exact version.
 *
 * @returns {Place[]}
 */
const cratePlaces = () =>
  ["mediagate-client", "mediagate-core"].map((name) => ({
    file: "Cargo.toml",
    what: `the dependency on ${name}`,
    pattern: new RegExp(`^${name} = .*version = "=(?<version>[^"]+)`, "m"),
  }));

/** A pattern inside a workspace's entry of `package-lock.json`, whose lines are indented by six spaces or more. */
const inLock = (workspace, pattern) => new RegExp(`^ {4}"${workspace}": \\{\\n(?: {6}.*\\n)*?${pattern}`, "m");

/** @returns {Promise<Place[]>} */
async function locks(root) {
  const names = (await listCrates(root)).map((it) => it.name);
  const fuzz = "crates/core/fuzz/Cargo.lock";
  return [...names.map((it) => crateLockPlace("Cargo.lock", it)), crateLockPlace(fuzz, "mediagate-core")];
}

/** @returns {Place} */
const crateLockPlace = (file, name) => ({
  file,
  what: `the version of ${name}`,
  pattern: new RegExp(`^name = "${name}"\\nversion = "(?<version>[^"]+)`, "m"),
});
