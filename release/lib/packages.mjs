// Packs every package of npm into a folder.
import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PLATFORMS, packageName } from "../../gateway/scripts/platforms.mjs";
import { run } from "./process.mjs";

const LICENSES = ["LICENSE-APACHE", "LICENSE-MIT"];

/** All packages, in the order in which they are published: each after those that it depends on. */
export const PACKAGES = [...PLATFORMS.map(packageName), "mediagate", "mediagate-gateway"];

/**
 * @typedef {object} Packing
 * @property {string} root the checkout
 * @property {string} out
 * @property {string} staged an empty folder, to work in
 * @property {string | undefined} repository its URL
 * @property {{ name: string, path: string }[]} programs
 */

/** @param {Packing} packing */
export async function packAll(packing) {
  await Promise.all([packClient(packing), packGateway(packing)]);
}

/** @param {Packing} packing */
async function packGateway({ root, out, repository, programs }) {
  const source = repository ? ["--repository", repository] : [];
  const emulators = programs.map((it) => `${it.name}=${it.path}`);
  await run(process.execPath, [join(root, "gateway/scripts/pack.mjs"), out, ...source, ...emulators]);
}

/** From a copy, since npm packs no licence that is not named LICENSE, and the manifest names no repository. */
async function packClient({ root, out, staged, repository }) {
  const folder = join(staged, "mediagate");
  await cp(join(root, "pkg"), folder, { recursive: true, filter: (it) => !it.endsWith("node_modules") });
  for (const it of LICENSES) await cp(join(root, it), join(folder, it));
  const manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const source = repository ? { repository: { type: "git", url: `git+${repository}.git` } } : {};
  const shipped = { ...manifest, ...source, files: [...new Set([...manifest.files, ...LICENSES])] };
  await writeFile(join(folder, "package.json"), JSON.stringify(shipped, undefined, 2));
  await run("npm", ["pack", "--loglevel=error", "--pack-destination", out], { cwd: folder });
}
