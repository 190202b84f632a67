// Makes projects in which `mediagate-gateway init` runs.
import { existsSync } from "node:fs";
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
import { folder } from "../support/folder.mjs";
import { run } from "./support.mjs";

export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Makes a new folder with these files, by their paths. */
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

/** Returns a package.json with these dependencies. */
export const packageJson = (dependencies, others = {}) =>
  JSON.stringify({
    dependencies: Object.fromEntries(
      dependencies.map((dependency) => [dependency, "*"]),
    ),
    ...others,
  });

/** Links packages of the checkout into the folder's `node_modules`. */
export async function link(cwd, ...names) {
  for (const name of names) {
    const path = join(cwd, "node_modules", name);
    await mkdir(dirname(path), { recursive: true });
    const places = ["node_modules", "tests/packaging/node_modules"];
    const found = places
      .map((place) => join(ROOT, place, name))
      .find((folder) => existsSync(folder));
    await symlink(found, path);
  }
}

/** Runs `init` to its end. */
export const init = (t, cwd, ...args) => run(t, ["init", ...args], { cwd });

/** Returns each file's content by its path. For a symbolic link, it says so. */
export async function contents(cwd) {
  const entries = await readdir(cwd, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
  const read = async (path) =>
    (await lstat(path)).isSymbolicLink()
      ? "a link"
      : await readFile(path, "utf8");
  return Object.fromEntries(
    await Promise.all(
      files.map(async (file) => [relative(cwd, file), await read(file)]),
    ),
  );
}

export const SETTINGS_OF_INIT = [
  "--upstream",
  "https://api.example.com",
  "--origin",
  "https://www.example.com",
];

/** Replaces the address in a project's wrangler.toml by the binding of an upstream module. */
export async function bindModule(cwd) {
  const path = join(cwd, "wrangler.toml");
  const text = await readFile(path, "utf8");
  const services = '[[services]]\nbinding = "UPSTREAM"\nservice = "mine"\n';
  const rest = text.replace(/^UPSTREAM_BASE_URL = .*$/m, "");
  await writeFile(path, `${rest}\n${services}`);
}

/** Makes a project with `init`, and installs the package and wrangler. */
export async function configured(t, ...args) {
  const cwd = await project(t);
  await link(cwd, "mediagate-gateway", "wrangler");
  await init(t, cwd, ...SETTINGS_OF_INIT, ...args);
  return cwd;
}
