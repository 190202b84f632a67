// Installs the package as a user does: packed, and the tarball installed into a new project.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import {
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  rmdir,
  writeFile,
} from "node:fs/promises";
import { extname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const pkg = `${root}pkg/`;
const packaging = fileURLToPath(new URL("../", import.meta.url));
const fixtures = `${packaging}fixtures/`;
// Beside the installed bundlers, so that the projects find them. Each has the tarball in its own
// node_modules.
const projects = `${packaging}.projects/`;

const execute = promisify(execFile);
/** Milliseconds for a program, such as a build, also on a busy machine. */
const RUN_MS = 600_000;

/** Runs a program, and returns its stdout. The error of a program that fails has its output. */
export async function run(program, options, cwd) {
  const env = {
    ...process.env,
    NEXT_TELEMETRY_DISABLED: "1",
    WRANGLER_SEND_METRICS: "false",
    NO_COLOR: "1",
  };
  const { stdout } = await execute(program, options, {
    cwd,
    env,
    maxBuffer: 1e8,
    timeout: RUN_MS,
  }).catch((error) => {
    const problem = error.killed ? `did not end within ${RUN_MS} ms` : "failed";
    throw new Error(
      `${program} ${options.join(" ")} ${problem}:\n${error.stdout}${error.stderr}`,
    );
  });
  return stdout;
}

/** Returns the path of a program of this folder's packages. */
export const ownTool = (name) => `${packaging}node_modules/.bin/${name}`;

/** Returns the path of a program of the checkout's packages, or else of those of this folder. */
export const tool = (name) => {
  const path = `${root}node_modules/.bin/${name}`;
  return existsSync(path) ? path : ownTool(name);
};

/** The runtimes of scripts: the name, the program, and its arguments before those of the script. */
export const RUNTIMES = [
  ["node", process.execPath],
  [
    ...["deno", tool("deno"), "run", "--allow-all", "--no-remote"],
    "--node-modules-dir=manual",
  ],
  ["bun", tool("bun")],
];

let packed;

/**
 * Packs the package and installs the tarball into a project, once for all test files. Resolves to
 * the tarball's path, its folder, the files in it, and the project's `node_modules`.
 */
export const pack = () => (packed ??= packOnce());

async function packOnce() {
  const name = `packed-${await builtHash()}`;
  const folder = `${projects}${name}`;
  // The process that runs all test files is part of the name, so that no lock outlives a run.
  const lock = `${folder}-${process.ppid}.lock`;
  await mkdir(projects, { recursive: true });
  const end = Date.now() + RUN_MS;
  while (!existsSync(`${folder}/pack.json`)) {
    const isFirst = await mkdir(lock).then(
      () => true,
      () => false,
    );
    if (isFirst) await packInto(folder).finally(() => rmdir(lock));
    else if (Date.now() < end) await sleep(50);
    else throw new Error(`no process has packed the package; remove ${lock}`);
  }
  const [{ filename, files }] = JSON.parse(
    await readFile(`${folder}/pack.json`, "utf8"),
  );
  return {
    tarball: `${folder}/${filename}`,
    folder,
    files: files.map((file) => file.path).toSorted(),
    modules: `${folder}/project/node_modules`,
  };
}

async function builtHash() {
  const hash = createHash("sha256");
  const built = await readdir(`${pkg}dist`, { recursive: true });
  const paths = built.sort().map((path) => `dist/${path}`);
  for (const path of ["package.json", "README.md", ...paths]) {
    hash.update(path);
    if (extname(path)) hash.update(await readFile(`${pkg}${path}`));
  }
  return hash.digest("hex").slice(0, 16);
}

async function packInto(folder) {
  for (const name of await readdir(projects))
    if (/^packed-\w+$/.test(name)) await remove(`${projects}${name}`);
  const project = `${folder}/project`;
  await mkdir(project, { recursive: true });
  await writeFile(
    `${project}/package.json`,
    JSON.stringify({ name: "project", private: true, type: "module" }),
  );
  const options = ["--workspace", "mediagate", "--pack-destination", folder];
  const output = await run("npm", ["pack", "--json", ...options], root);
  const [{ filename }] = JSON.parse(output);
  await run(
    "npm",
    [
      ...["install", "--offline", "--no-package-lock", "--ignore-scripts"],
      `${folder}/${filename}`,
    ],
    project,
  );
  // Renamed, as the other processes read the file as soon as it exists.
  await writeFile(`${folder}/packed.json`, output);
  await rename(`${folder}/packed.json`, `${folder}/pack.json`);
}

/**
 * Makes a new project with the files of these fixtures, and the tarball installed.
 *
 * @returns {Promise<string>} its folder
 */
export async function install(name, ...sources) {
  const { modules } = await pack();
  const folder = await mkdtemp(`${projects}${name}-`);
  await cp(modules, `${folder}/node_modules`, { recursive: true });
  for (const source of sources)
    await cp(`${fixtures}${source}`, folder, { recursive: true });
  await writeFile(
    `${folder}/package.json`,
    JSON.stringify({ name, private: true, type: "module" }),
  );
  return folder;
}

/** Removes a folder that a test file has created. A server that still ends may write meanwhile. */
export const remove = (folder) =>
  rm(folder, { recursive: true, force: true, maxRetries: 10 });
