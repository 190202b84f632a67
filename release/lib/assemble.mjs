// Makes the folder of a release from what is built.
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { PLATFORMS } from "../../gateway/scripts/platforms.mjs";
import { archive } from "./archives.mjs";
import { releaseNotes } from "./changelog.mjs";
import { leavingOut } from "./left-out.mjs";
import { packAll } from "./packages.mjs";
import { checkProgram, parsePrograms, platformName } from "./programs.mjs";
import { writeNpmSboms } from "./sbom-npm.mjs";
import { writeRustSboms } from "./sbom-rust.mjs";
import { writeSums } from "./sums.mjs";
import { checkTarball } from "./tarballs.mjs";
import { checkVersions } from "./versions.mjs";

/**
 * @param {object} options
 * @param {string} options.root the checkout
 * @param {string} options.out a folder that is empty or does not exist
 * @param {string | undefined} options.tag that of the release; without one it is a dry run, which may lack parts
 * @param {string | undefined} options.repository the URL of the repository that publishes the packages
 * @param {string[]} options.programs the emulators, each as `PLATFORM=PROGRAM`
 * @returns {Promise<string[]>} the names of the files
 */
export async function assemble({ root, tag, repository, ...options }) {
  const leaveOut = leavingOut(Boolean(tag));
  const version = await checkVersions(root, tag);
  const notes = releaseNotes(await readFile(join(root, "CHANGELOG.md"), "utf8"), version, leaveOut);
  if (!repository) leaveOut("`repository` in the packages, which provenance needs; use --repository URL");
  const programs = parsePrograms(options.programs).map((it) => ({ ...it, path: resolve(it.path) }));
  await checkPrograms(programs, version, leaveOut);
  const out = await emptyFolder(options.out);
  const staged = await mkdtemp(join(tmpdir(), "mediagate-release-"));
  const paths = { root, out, staged, version };
  try {
    const archives = programs.map((it) => archive(paths, it));
    await Promise.all([packAll({ ...paths, repository, programs }), writeNpmSboms(paths), ...archives]);
  } finally {
    await rm(staged, { recursive: true, force: true });
  }
  await writeRustSboms(paths, leaveOut);
  await checkTarballs(out, version);
  await writeSums(out);
  await writeFile(join(out, "notes.md"), notes);
  return (await readdir(out)).toSorted();
}

async function checkPrograms(programs, version, leaveOut) {
  const missing = PLATFORMS.map(platformName).filter((it) => !programs.some(({ name }) => name === it));
  if (missing.length > 0) leaveOut(`the emulator for ${missing.join(", ")}; add PLATFORM=PROGRAM for each`);
  for (const it of programs) await checkProgram(it, version, leaveOut);
}

async function checkTarballs(out, version) {
  const tarballs = (await readdir(out)).filter((it) => it.endsWith(".tgz"));
  await Promise.all(tarballs.map((it) => checkTarball(join(out, it), version)));
}

async function emptyFolder(path) {
  const out = resolve(path);
  await mkdir(out, { recursive: true });
  if ((await readdir(out)).length > 0) throw new Error(`${path} is not empty; remove it, or name another folder`);
  return out;
}
