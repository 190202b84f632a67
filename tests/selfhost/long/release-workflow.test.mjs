// The workflow of releases, and the tool that only it installs.
import assert from "node:assert/strict";
import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import { listCrates } from "../../../release/lib/crates.mjs";
import { run } from "../../../release/lib/process.mjs";
import { ROOT } from "../../../release/lib/root.mjs";
import { writeRustSboms } from "../../../release/lib/sbom-rust.mjs";
import { folder } from "../support.mjs";

const WORKFLOWS = join(ROOT, ".github/workflows");

const lint = (...files) =>
  run(process.execPath, [join(ROOT, "release/lint/lint.mjs"), ...files]).then(
    () => "",
    (error) => error.cause.stderr,
  );

/**
 * Changes of the workflow, and what the message about each names.
 *
 * @type {[RegExp, string, string][]}
 */
const CHANGES = [
  [/@11bd\w+ # v4\.2\.2/, "@v4", "the job versions uses actions/checkout@v4, expected one of GitHub's actions by its"],
  [/ +environment: npm\n/, "", "publishes without the approval of the environment npm"],
  [/if: github.event_name == 'push'/, "if: always()", "publishes for other events than a push of a tag"],
  [/publish.mjs out --dry-run/, "publish.mjs out", "publishes in a dry run"],
  [/contents: read/, "contents: write", "the job versions may write contents, expected in no other job than github"],
  [/github\.token/, "secrets.GITHUB_TOKEN", "uses a secret"],
  [/target: aarch64-apple-darwin/, "target: other", "does not build darwin-arm64 for aarch64-apple-darwin"],
  [/cargo-cyclonedx --version \S+/, "cargo-cyclonedx", "does not install cargo-cyclonedx"],
  [/needs: publish/, "needs: published", 'job "github" needs job "published" which does not exist'],
  [/matrix\.runner/, "matrix.machine", 'property "machine" is not defined'],
];

test("the workflows pass actionlint and the rules for releases, and a change that breaks one is named", async (t) => {
  const files = (await readdir(WORKFLOWS)).map((it) => join(WORKFLOWS, it));
  const workflow = await readFile(join(WORKFLOWS, "release.yml"), "utf8");
  const changed = await folder(t);
  const name = (index) => join(changed, `${index}.yml`);
  for (const [index, [from, to]] of CHANGES.entries()) await writeFile(name(index), workflow.replace(from, to));
  const problems = await lint(...files, ...CHANGES.map((_, index) => name(index)));
  for (const it of files) assert.ok(!problems.includes(it), problems);
  for (const [index, [, , what]] of CHANGES.entries()) {
    const own = problems.split("\n").filter((it) => it.includes(name(index)));
    assert.ok(own[0]?.includes(what), `${what}:\n${own.join("\n")}`);
  }
});

/** In place of cargo, which would have to build cargo-cyclonedx: writes where that does. */
const CARGO = `#!${process.execPath}
const { dirname, join } = require("node:path");
const { writeFileSync } = require("node:fs");
const args = process.argv.slice(2);
const value = (name) => args[args.indexOf(name) + 1];
if (args.includes("--version")) console.log("cargo-cyclonedx " + process.env.CYCLONEDX);
else for (const it of [value("--manifest-path"), join(process.cwd(), "crates/other/Cargo.toml")])
  writeFileSync(join(dirname(it), value("--override-filename") + ".json"), args.join(" "));
`;

test("the SBOMs of the Rust programs leave no file in the checkout, and need one version of their tool", async (t) => {
  const root = await folder(t);
  const shipped = (await listCrates(ROOT)).map((it) => it.folder);
  for (const it of [...shipped, "crates/other", "bin", "out"]) await mkdir(join(root, it), { recursive: true });
  for (const it of shipped) await writeFile(join(root, it, "Cargo.toml"), await readFile(join(ROOT, it, "Cargo.toml")));
  await writeFile(join(root, "crates/other/Cargo.toml"), '[package]\nname = "other"\n');
  await writeFile(join(root, "bin/cargo"), CARGO);
  await chmod(join(root, "bin/cargo"), 0o755);
  const { PATH } = process.env;
  t.after(() => Object.assign(process.env, { PATH }));
  Object.assign(process.env, { PATH: `${join(root, "bin")}${delimiter}${PATH}`, CYCLONEDX: "0.1.2" });
  const leftOut = [];
  const write = () => writeRustSboms({ root, out: join(root, "out"), version: "1.2.3" }, (it) => leftOut.push(it));
  await write();
  assert.match(leftOut.join(), /^the SBOMs of the Rust programs: cargo-cyclonedx 0\.1\.2 is installed, expected /);
  process.env.CYCLONEDX = /--version (\S+)/.exec(leftOut[0])[1];
  await write();
  assert.equal(leftOut.length, 1);
  const emulator = await readFile(join(root, "out/mediagate-emulator-crates-1.2.3.cdx.json"), "utf8");
  assert.match(emulator, /--target all --manifest-path \S+crates\/emulator\/Cargo\.toml/);
  const files = await readdir(join(root, "crates"), { recursive: true });
  assert.deepEqual(
    files.filter((it) => it.endsWith(".json")),
    [],
  );
});
