// Packs the gateway, and the emulator for each platform that is given a program, into a folder:
//   node scripts/pack.mjs OUT [linux-x64=PROGRAM …]
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import {
  chmod,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const LICENSES = ["LICENSE-APACHE", "LICENSE-MIT"];
/**
 * Node's names of the platforms that npm has the emulator for. `.github/workflows/release.yml`
 * builds for each.
 */
const PLATFORMS = [
  "linux-x64",
  "linux-arm64",
  "darwin-x64",
  "darwin-arm64",
  "win32-x64",
];
const packageName = (platform) => `mediagate-emulator-${platform}`;

const [out, ...programs] = process.argv.slice(2);
if (!out) throw new Error("name the folder for the packages");
const manifest = JSON.parse(await readFile(at("package.json"), "utf8"));
const staged = await mkdtemp(join(tmpdir(), "mediagate-pack-"));
try {
  await mkdir(out, { recursive: true });
  for (const program of programs) await packEmulator(program);
  await packGateway();
} finally {
  await rm(staged, { recursive: true, force: true });
}

async function packEmulator(argument) {
  const [platform, program] = argument.split(/=(.*)/);
  if (!PLATFORMS.includes(platform) || !program)
    throw new Error(`${argument} is not PLATFORM=PROGRAM, of ${PLATFORMS}`);
  const [os, cpu] = platform.split("-");
  const folder = join(staged, packageName(platform));
  const suffix = os === "win32" ? ".exe" : "";
  const file = join(folder, `bin/mediagate-emulator${suffix}`);
  await cp(resolve(program), file);
  await chmod(file, 0o755);
  await pack(folder, {
    name: packageName(platform),
    version: manifest.version,
    description: `The emulator of mediagate-gateway for ${platform}.`,
    license: manifest.license,
    repository: manifest.repository,
    os: [os],
    cpu: [cpu],
    files: ["bin"],
  });
}

/**
 * Packs the gateway. Its manifest requires `mediagate` at the same version, and names the emulator
 * of every platform; npm installs the one that fits.
 */
async function packGateway() {
  const folder = join(staged, "gateway");
  for (const path of manifest.files)
    await cp(at(path), join(folder, path), { recursive: true });
  // The README links to the documents of the repository, which the package has beside it.
  await cp(at("../docs"), join(folder, "docs"), {
    recursive: true,
    filter: (path) => !/\.png$|\/decisions$/.test(path),
  });
  const readme = await readFile(at("README.md"), "utf8");
  await writeFile(
    join(folder, "README.md"),
    readme.replaceAll("](../docs/", "](docs/"),
  );
  const docs = await readdir(join(folder, "docs"));
  for (const path of ["README.md", ...docs.map((name) => join("docs", name))])
    await dropDeadLinks(join(folder, path));
  const { scripts: _, devDependencies: __, ...shipped } = manifest;
  const dependencies = {
    ...manifest.dependencies,
    mediagate: manifest.version,
  };
  const optionalDependencies = Object.fromEntries(
    PLATFORMS.map((name) => [packageName(name), manifest.version]),
  );
  const files = [...manifest.files, "docs"];
  await pack(folder, { ...shipped, files, dependencies, optionalDependencies });
}

/** Replaces the links of a document to files that the package does not have by their texts. */
async function dropDeadLinks(document) {
  const text = await readFile(document, "utf8");
  const link = /\[([^\]]+)\]\((?!https?:|#)([^)#]+)[^)]*\)/g;
  const linked = text.replace(link, (whole, words, path) =>
    existsSync(resolve(dirname(document), path)) ? whole : words,
  );
  await writeFile(document, linked);
}

async function pack(folder, contents) {
  for (const license of LICENSES)
    await cp(at(`../${license}`), join(folder, license));
  const files = [...contents.files, ...LICENSES];
  await writeFile(
    join(folder, "package.json"),
    JSON.stringify({ ...contents, files }, undefined, 2),
  );
  const options = ["--loglevel=error", "--pack-destination", resolve(out)];
  execFileSync("npm", ["pack", ...options], { cwd: folder, stdio: "inherit" });
}
