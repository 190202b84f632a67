// The crates in each program and WebAssembly file, as CycloneDX, by cargo-cyclonedx.
import { copyFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { listCrates } from "./crates.mjs";
import { run } from "./process.mjs";

export const VERSION = "0.5.9";
const INSTALL = `cargo install cargo-cyclonedx --version ${VERSION} --locked`;
const WASM = "wasm32-unknown-unknown";
/** The crates that are shipped; the emulator's list has the crates of all its platforms. */
const SHIPPED = [
  { crate: "mediagate-emulator", target: "all" },
  { crate: "mediagate-worker", target: WASM },
  { crate: "mediagate-operator", target: WASM },
  { crate: "mediagate-browser", target: WASM },
];
/** cargo-cyclonedx writes one file beside each manifest of the workspace, under this name. */
const NAME = "mediagate-sbom";

/**
 * @param {{ root: string, out: string, version: string }} paths
 * @param {(what: string) => void} leaveOut
 */
export async function writeRustSboms(paths, leaveOut) {
  const problem = await findProblem(paths.root);
  if (problem) return leaveOut(`the SBOMs of the Rust programs: ${problem}; run \`${INSTALL}\``);
  const crates = await listCrates(paths.root);
  try {
    // One after another: all of them write to the same files.
    for (const it of SHIPPED) await writeSbom(paths, it, crates);
  } finally {
    for (const { folder } of crates) await rm(join(paths.root, folder, `${NAME}.json`), { force: true });
  }
}

async function findProblem(root) {
  const found = await run("cargo", ["cyclonedx", "--version"], { cwd: root }).catch(() => undefined);
  if (found === undefined) return "cargo-cyclonedx is not installed";
  return found.includes(VERSION) ? undefined : `${found.trim()} is installed, expected ${VERSION}`;
}

async function writeSbom({ root, out, version }, { crate, target }, crates) {
  const folder = crates.find((it) => it.name === crate)?.folder;
  if (!folder) throw new Error(`the workspace has no crate ${crate}; correct release/lib/sbom-rust.mjs`);
  const kind = ["--format", "json", "--spec-version", "1.5", "--all", "--no-build-deps", "--target", target];
  const manifest = ["--manifest-path", join(root, folder, "Cargo.toml"), "--override-filename", NAME];
  await run("cargo", ["cyclonedx", "--quiet", ...kind, ...manifest], { cwd: root });
  await copyFile(join(root, folder, `${NAME}.json`), join(out, `${crate}-crates-${version}.cdx.json`));
}
