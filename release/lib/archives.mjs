// An archive of each emulator, for machines without npm.
import { chmod, cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { programName } from "../../gateway/scripts/platforms.mjs";
import { run } from "./process.mjs";

/**
 * Every archive is a `.tar.gz`: Windows has `tar` too, and one tool makes all of them.
 *
 * @param {{ root: string, out: string, staged: string, version: string }} paths
 * @param {import("./programs.mjs").Program} program
 */
export async function archive({ root, out, staged, version }, program) {
  const name = `mediagate-emulator-${version}-${program.name}`;
  const folder = join(staged, name);
  await mkdir(folder);
  await cp(program.path, join(folder, programName(program)));
  await chmod(join(folder, programName(program)), 0o755);
  for (const it of ["LICENSE-APACHE", "LICENSE-MIT"]) await cp(join(root, it), join(folder, it));
  await run("tar", ["-czf", join(out, `${name}.tar.gz`), "-C", staged, name]);
}
