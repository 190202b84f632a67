import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** The folders whose subfolders are the workspace's members, and those below them that are no members. */
const FOLDERS = ["crates", "examples"];
const EXCLUDED = ["crates/core/fuzz"];

/**
 * The crates of the workspace: the members, and crates inside them that they depend on by path.
 *
 * @param {string} root the checkout
 * @returns {Promise<{ name: string, folder: string, manifest: string }[]>} `manifest` is the text of `Cargo.toml`
 */
export async function listCrates(root) {
  const members = (await Promise.all(FOLDERS.map((it) => subfolders(root, it)))).flat();
  const inner = (await Promise.all(members.map((it) => subfolders(root, it)))).flat();
  const folders = [...members, ...inner].filter((it) => !EXCLUDED.includes(it)).toSorted();
  const crates = await Promise.all(folders.map((it) => readCrate(root, it)));
  return crates.filter((it) => it !== undefined);
}

async function subfolders(root, folder) {
  const entries = await readdir(join(root, folder), { withFileTypes: true });
  return entries.filter((it) => it.isDirectory()).map((it) => `${folder}/${it.name}`);
}

async function readCrate(root, folder) {
  const manifest = await readFile(join(root, folder, "Cargo.toml"), "utf8").catch((error) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  const name = /^name = "([^"]+)"/m.exec(manifest ?? "")?.[1];
  return name && manifest ? { name, folder, manifest } : undefined;
}
