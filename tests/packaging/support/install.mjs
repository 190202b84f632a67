// Installs the package as a user does: packed, and the tarball installed into a new project.
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const fixtures = fileURLToPath(new URL("../fixtures/", import.meta.url));
// Inside the checkout, so that the projects find its bundlers. Each has the tarball in its own
// node_modules.
const projects = `${root}.tools/packaging/`;

const execute = promisify(execFile);

/** Runs a program, and returns its stdout. If it fails, the error has its output. */
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
  }).catch((error) => {
    throw new Error(
      `${program} ${options.join(" ")} failed:\n${error.stdout}${error.stderr}`,
    );
  });
  return stdout;
}

/** Returns the path of a program in the checkout's node_modules. */
export const tool = (name) => `${root}node_modules/.bin/${name}`;

let packed;

/**
 * Packs the package, once per test file. Resolves to the tarball's path, its folder, and the files
 * in it.
 */
export const pack = () => (packed ??= packNow());

async function packNow() {
  await mkdir(projects, { recursive: true });
  const folder = await mkdtemp(`${projects}tarball-`);
  const [{ filename, files }] = JSON.parse(
    await run(
      "npm",
      [
        "pack",
        "--json",
        "--workspace",
        "mediagate",
        "--pack-destination",
        folder,
      ],
      root,
    ),
  );
  return {
    tarball: `${folder}/${filename}`,
    folder,
    files: files.map((file) => file.path).toSorted(),
  };
}

let installed;

/**
 * Resolves to the node_modules of a project with the tarball, which is installed once per test
 * file.
 */
const nodeModules = () => (installed ??= installNow());

async function installNow() {
  const { tarball, folder } = await pack();
  const project = `${folder}/project`;
  await mkdir(project);
  await writeFile(
    `${project}/package.json`,
    JSON.stringify({ name: "project", private: true, type: "module" }),
  );
  await run(
    "npm",
    ["install", "--offline", "--no-package-lock", "--ignore-scripts", tarball],
    project,
  );
  return `${project}/node_modules`;
}

/**
 * Makes a new project with the files of these fixtures, and the tarball installed.
 *
 * @returns {Promise<string>} its folder
 */
export async function install(name, ...sources) {
  const modules = await nodeModules();
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

/** Removes a folder that a test file has created. */
export const remove = (folder) => rm(folder, { recursive: true, force: true });
