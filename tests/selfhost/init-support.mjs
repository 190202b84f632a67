// Projects in which `mediagate-gateway init` runs.
import {
  lstat,
  mkdir,
  readdir,
  readFile,
  symlink,
  writeFile,
} from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { folder, run } from "./support.mjs";

export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** A new folder with these files, by their paths. */
export async function project(t, files = {}) {
  const cwd = await folder(t);
  await write(cwd, files);
  return cwd;
}

export async function write(cwd, files) {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(cwd, path)), { recursive: true });
    await writeFile(join(cwd, path), text);
  }
}

/** A package.json with these dependencies. */
export const packageJson = (dependencies, others = {}) =>
  JSON.stringify({
    dependencies: Object.fromEntries(dependencies.map((it) => [it, "*"])),
    ...others,
  });

/** Has packages of the checkout in the folder's `node_modules`. */
export async function link(cwd, ...names) {
  for (const name of names) {
    const path = join(cwd, "node_modules", name);
    await mkdir(dirname(path), { recursive: true });
    await symlink(join(ROOT, "node_modules", name), path);
  }
}

/** Runs the command to its end. */
export const init = (t, cwd, ...args) => run(t, ["init", ...args], { cwd });

/** What each file has, by its path; of a symbolic link, that it is one. */
export async function contents(cwd) {
  const entries = await readdir(cwd, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((it) => !it.isDirectory())
    .map((it) => join(it.parentPath, it.name));
  const read = async (path) =>
    (await lstat(path)).isSymbolicLink()
      ? "a link"
      : await readFile(path, "utf8");
  return Object.fromEntries(
    await Promise.all(
      files.map(async (it) => [relative(cwd, it), await read(it)]),
    ),
  );
}

export const SETTINGS_OF_INIT = [
  "--upstream",
  "https://api.example.com",
  "--origin",
  "https://www.example.com",
];

/** A project that `init` has written, with the package and wrangler installed. */
export async function configured(t, ...args) {
  const cwd = await project(t);
  await link(cwd, "mediagate-gateway", "wrangler");
  await init(t, cwd, ...SETTINGS_OF_INIT, ...args);
  return cwd;
}
