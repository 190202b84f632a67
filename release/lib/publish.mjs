// Publishes the tarballs of a release, each after those that it depends on.
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { PACKAGES } from "./packages.mjs";
import { run } from "./process.mjs";
import { checkSums } from "./sums.mjs";
import { readManifest } from "./tarballs.mjs";

/** The first version of npm that publishes with GitHub's OIDC token in place of a token of npm's. */
const MIN_NPM = [11, 5, 1];

/**
 * @param {string} folder
 * @param {boolean} isDryRun
 * @throws {Error} when a package is missing, the registry has its version with other contents, or npm fails
 */
export async function publishAll(folder, isDryRun) {
  const out = resolve(folder);
  await checkSums(out);
  const tarballs = await listTarballs(out);
  if (!isDryRun) await checkEnvironment(tarballs);
  // All of them before the first is published: what stops one stops the release.
  const published = await Promise.all(tarballs.map((it) => publishedIntegrity(`${it.name}@${it.version}`)));
  const missing = tarballs.filter((it, index) => isMissing(it, published[index], isDryRun));
  for (const it of missing) await publishOne(it, isDryRun);
}

/**
 * @typedef {{ path: string, name: string, version: string, integrity: string }} Tarball
 * @returns {Promise<Tarball[]>} in the order of `PACKAGES`
 */
async function listTarballs(out) {
  const paths = (await readdir(out)).filter((it) => it.endsWith(".tgz")).map((it) => join(out, it));
  const read = async (path) => {
    const { name, version } = await readManifest(path);
    const hash = createHash("sha512");
    const integrity = `sha512-${hash.update(await readFile(path)).digest("base64")}`;
    return { path, name, version, integrity };
  };
  const all = await Promise.all(paths.map(read));
  const unknown = all.find((it) => !PACKAGES.includes(it.name));
  if (unknown) throw new Error(`${unknown.path} is of ${unknown.name}, which is no package of this project; remove it`);
  return all.toSorted((one, other) => PACKAGES.indexOf(one.name) - PACKAGES.indexOf(other.name));
}

/** @param {Tarball[]} tarballs */
async function checkEnvironment(tarballs) {
  // A machine of a developer has no such token, and so can publish nothing by accident.
  if (!process.env.ACTIONS_ID_TOKEN_REQUEST_URL)
    throw new Error("there is no OIDC token to publish with; push a tag, as docs/releasing.md says, or use --dry-run");
  const missing = PACKAGES.filter((it) => !tarballs.some(({ name }) => name === it));
  if (missing.length > 0)
    throw new Error(`${missing.join(", ")}: missing, but a release has every package; make it again`);
  const npm = (await run("npm", ["--version"])).trim();
  if (isOlder(npm.split(".").map(Number), MIN_NPM))
    throw new Error(`npm is ${npm}, expected ${MIN_NPM.join(".")} or newer; install a newer Node`);
}

/** @param {number[]} version @param {number[]} other */
function isOlder(version, other) {
  const index = other.findIndex((it, place) => it !== version[place]);
  return index >= 0 && (version[index] ?? 0) < (other[index] ?? 0);
}

/**
 * A version that the registry already has, from a run that failed later, is skipped.
 *
 * @param {Tarball} tarball
 * @param {string | undefined} published the hash of what the registry has
 * @param {boolean} isDryRun
 */
function isMissing({ name, version, integrity }, published, isDryRun) {
  if (published === undefined) return true;
  const differs = `${name}@${version} is on the registry with other contents, which cannot be replaced`;
  if (published !== integrity && !isDryRun) throw new Error(`${differs}; release the next version`);
  console.log(published === integrity ? `${name}@${version} is published already` : `left out: ${differs}`);
  return false;
}

/**
 * @param {Tarball} tarball
 * @param {boolean} isDryRun
 */
async function publishOne({ path, name, version }, isDryRun) {
  // Otherwise npm would install a version before a release wherever none is named.
  const tag = version.includes("-") ? ["--tag", "next"] : [];
  const dry = isDryRun ? ["--dry-run"] : [];
  await run("npm", ["publish", path, "--provenance", "--access", "public", ...tag, ...dry]);
  console.log(`${isDryRun ? "would publish" : "published"} ${name}@${version}`);
}

/** @returns {Promise<string | undefined>} */
async function publishedIntegrity(spec) {
  try {
    return JSON.parse((await run("npm", ["view", spec, "dist.integrity", "--json"])) || "null") ?? undefined;
  } catch (error) {
    if (String(error).includes("E404")) return undefined;
    throw error;
  }
}
