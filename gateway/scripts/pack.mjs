// Packs the gateway's package, and of each platform whose program is there the emulator's, into a folder:
//   node scripts/pack.mjs OUT [--repository URL] [linux-x64=PROGRAM …]
import { execFileSync } from "node:child_process";
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { PLATFORMS, packageName, programName } from "./platforms.mjs";

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const LICENSES = ["LICENSE-APACHE", "LICENSE-MIT"];

const { values, positionals } = parseArgs({ allowPositionals: true, options: { repository: { type: "string" } } });
const [out, ...programs] = positionals;
/** Where the packages are published from. npm accepts their provenance only if they name that repository. */
const source = values.repository && { repository: { type: "git", url: `git+${values.repository}.git` } };
if (!out) throw new Error("name the folder for the packages");
const manifest = JSON.parse(await readFile(at("package.json"), "utf8"));
const staged = await mkdtemp(join(tmpdir(), "mediagate-pack-"));
try {
  await mkdir(out, { recursive: true });
  for (const it of programs) await packEmulator(it);
  await packGateway();
} finally {
  await rm(staged, { recursive: true, force: true });
}

async function packEmulator(argument) {
  const [, name, program] = /^([^=]+)=(.+)$/.exec(argument) ?? [];
  const found = PLATFORMS.find((it) => `${it.platform}-${it.arch}` === name);
  if (!found)
    throw new Error(`${argument} is none of ${PLATFORMS.map((it) => `${it.platform}-${it.arch}=PROGRAM`).join(", ")}`);
  const folder = join(staged, packageName(found));
  const file = join(folder, "bin", programName(found));
  await mkdir(join(folder, "bin"), { recursive: true });
  await cp(resolve(program), file);
  await chmod(file, 0o755);
  await pack(folder, {
    name: packageName(found),
    version: manifest.version,
    description: `The emulator of mediagate-gateway for ${name}.`,
    license: manifest.license,
    os: [found.platform],
    cpu: [found.arch],
    files: ["bin"],
  });
}

/** Its manifest names the emulator of every platform, of which npm installs the one that fits. */
async function packGateway() {
  const folder = join(staged, "gateway");
  for (const it of manifest.files) await cp(at(it), join(folder, it), { recursive: true });
  await cp(at("README.md"), join(folder, "README.md"));
  const { scripts: _, devDependencies: __, ...shipped } = manifest;
  const optionalDependencies = Object.fromEntries(PLATFORMS.map((it) => [packageName(it), manifest.version]));
  await pack(folder, { ...shipped, optionalDependencies });
}

async function pack(folder, contents) {
  for (const it of LICENSES) await cp(at(`../${it}`), join(folder, it));
  const files = [...contents.files, ...LICENSES];
  await writeFile(join(folder, "package.json"), JSON.stringify({ ...contents, ...source, files }, undefined, 2));
  execFileSync("npm", ["pack", "--loglevel=error", "--pack-destination", resolve(out)], {
    cwd: folder,
    stdio: "inherit",
  });
}
