// Tarballs, as `npm pack` makes them: all files are in the folder `package`.
import { basename } from "node:path";
import { EXPECTED, FORBIDDEN, REQUIRED, SHARED } from "./contents.mjs";
import { run } from "./process.mjs";

const FOLDER = "package/";
/** What npm runs on the machine that installs a package. */
const INSTALL_SCRIPTS = ["preinstall", "install", "postinstall", "prepare"];

/**
 * @param {string} tarball
 * @returns {Promise<string[]>} the paths of its files, in the package
 */
export async function listFiles(tarball) {
  const lines = (await run("tar", ["-tzf", tarball])).split("\n");
  return lines
    .filter((it) => it && !it.endsWith("/"))
    .map((it) => (it.startsWith(FOLDER) ? it.slice(FOLDER.length) : it));
}

/**
 * @param {string} tarball
 * @returns {Promise<Record<string, any>>} its `package.json`
 */
export async function readManifest(tarball) {
  return JSON.parse(await run("tar", ["-xzOf", tarball, `${FOLDER}package.json`]));
}

/**
 * Checks what a tarball contains, and what its manifest says.
 *
 * @param {string} tarball
 * @param {string} version
 * @returns {Promise<void>}
 * @throws {Error} with one line for each problem
 */
export async function checkTarball(tarball, version) {
  const files = await listFiles(tarball);
  const manifest = await readManifest(tarball);
  const problems = [...checkFiles(files, manifest.name), ...checkManifest(manifest, version)];
  if (problems.length > 0) throw new Error(problems.map((it) => `${basename(tarball)} ${it}`).join("\n"));
}

/** @param {string[]} files */
function checkFiles(files, name) {
  const rules = EXPECTED.find((it) => it.name.test(name));
  if (!rules) return [`is of ${name}, which release/lib/contents.mjs does not list; add its files there`];
  const missing = [...REQUIRED, ...rules.required].filter((it) => !files.some((file) => it.test(file)));
  return [
    ...files.map((it) => checkFile(it, [...SHARED, ...rules.expected])).filter((it) => it !== undefined),
    ...missing.map((it) => `lacks ${readable(it)}; build everything with \`cargo xtask build\`, and check \`files\``),
  ];
}

/** @param {RegExp[]} expected */
function checkFile(file, expected) {
  const forbidden = FORBIDDEN.find((it) => it.pattern.test(file));
  if (forbidden) return `contains ${file}, ${forbidden.what}; do not pack it`;
  if (expected.some((it) => it.test(file))) return undefined;
  return `contains ${file}, which release/lib/contents.mjs does not list; add it there, or do not pack it`;
}

/** A pattern of one path, as that path. */
const readable = (pattern) => pattern.source.replaceAll(/[\\^$]/g, "");

function checkManifest(manifest, version) {
  const dependencies = Object.entries({ ...manifest.dependencies, ...manifest.optionalDependencies });
  const own = dependencies.filter(([name]) => EXPECTED.some((it) => it.name.test(name)));
  const versions = [["the package", manifest.version], ...own];
  const scripts = INSTALL_SCRIPTS.filter((it) => manifest.scripts?.[it]);
  return [
    ...versions
      .filter(([, it]) => it !== version)
      .map(
        ([what, it]) =>
          `has version ${it} of ${what}, expected ${version}; run \`node release/version.mjs ${version}\``,
      ),
    ...scripts.map((it) => `has the script ${it}, which npm would run on every machine; remove it from package.json`),
    ...(manifest.license ? [] : ["has no `license` in package.json; add it"]),
    ...(manifest.private ? ["is private, so npm refuses it; remove `private` from package.json"] : []),
  ];
}
