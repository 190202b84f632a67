// What stops a release, each with a message that names it: on copies of the checkout's files.
import assert from "node:assert/strict";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { release, releaseNotes } from "../../release/lib/changelog.mjs";
import { listCrates } from "../../release/lib/crates.mjs";
import { listPlaces, SOURCE } from "../../release/lib/places.mjs";
import { run } from "../../release/lib/process.mjs";
import { checkProgram, parsePrograms } from "../../release/lib/programs.mjs";
import { ROOT } from "../../release/lib/root.mjs";
import { checkTarball } from "../../release/lib/tarballs.mjs";
import { checkVersions, writeVersion } from "../../release/lib/versions.mjs";
import { folder } from "./support.mjs";

const VERSION = await checkVersions(ROOT);
const OTHER = "7.8.9-rc.1";
const places = await listPlaces(ROOT);
const crates = await listCrates(ROOT);
/** The files that have the version. */
const VERSIONED = [...new Set([SOURCE, ...places].map((it) => it.file))];

const message = (promise) =>
  promise.then(
    () => "no error",
    (error) => error.message,
  );

/** A folder with the files of the checkout that its version is read from and written to. */
async function copyManifests(t) {
  const copy = await folder(t);
  const { workspaces } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
  const manifests = [...workspaces.map((it) => `${it}/package.json`), ...crates.map((it) => `${it.folder}/Cargo.toml`)];
  for (const it of new Set(["package.json", ...VERSIONED, ...manifests])) {
    await mkdir(dirname(join(copy, it)), { recursive: true });
    await cp(join(ROOT, it), join(copy, it));
  }
  return copy;
}

test("a tag of another version", async () => {
  assert.equal(await checkVersions(ROOT, `v${VERSION}`), VERSION);
  assert.match(
    await message(checkVersions(ROOT, "v9.9.9")),
    new RegExp(`^the tag is v9\\.9\\.9, expected v${VERSION}, `),
  );
});

test("one version that differs, in each place that has one", async (t) => {
  const copy = await copyManifests(t);
  for (const { file, what, pattern } of places) {
    const before = await readFile(join(copy, file), "utf8");
    const changed = before.replace(pattern, (it) => `${it.slice(0, -VERSION.length)}6.6.6`);
    await writeFile(join(copy, file), changed);
    const expected = `${file}: ${what} is 6.6.6, expected ${VERSION}, the version in Cargo.toml; `;
    assert.equal(await message(checkVersions(copy)), `${expected}run \`node release/version.mjs ${VERSION}\``);
    await writeFile(join(copy, file), before);
  }
});

test("a crate with a version of its own", async (t) => {
  const copy = await copyManifests(t);
  const file = join(copy, "crates/core/Cargo.toml");
  await writeFile(file, (await readFile(file, "utf8")).replace("version.workspace = true", 'version = "6.6.6"'));
  assert.match(await message(checkVersions(copy)), /^crates\/core\/Cargo\.toml has `version = "6\.6\.6"`, expected `/);
});

test("a new version is written everywhere, and writing the old one restores each file", async (t) => {
  const copy = await copyManifests(t);
  assert.deepEqual((await writeVersion(copy, OTHER)).toSorted(), VERSIONED.toSorted());
  assert.equal(await checkVersions(copy, `v${OTHER}`), OTHER);
  assert.deepEqual(await writeVersion(copy, OTHER), []);
  await writeVersion(copy, VERSION);
  for (const it of VERSIONED)
    assert.equal(await readFile(join(copy, it), "utf8"), await readFile(join(ROOT, it), "utf8"));
  assert.match(await message(writeVersion(copy, "v1.2.3")), /^v1\.2\.3 is no version; expected one such as 1\.2\.3/);
});

test("a changelog without the version's section, with an empty one, and with one that is not dated", () => {
  const never = (what) => assert.fail(what);
  const notes = (text) => releaseNotes(text, "1.2.3", never);
  assert.throws(() => notes("## [1.2.2] - 2026-01-31\n\n- A\n"), /CHANGELOG\.md has no section `## \[1\.2\.3\]`/);
  assert.throws(
    () => notes("## [1.2.3] - 2026-01-31\n\n### Added\n\n## [1.2.2]\n\n- A\n"),
    /`## \[1\.2\.3\].*` is empty/,
  );
  assert.throws(
    () => notes("## [Unreleased]: 1.2.3\n\n- A\n"),
    /the date of 1\.2\.3: CHANGELOG\.md has `## \[Unreleased\]/,
  );
  assert.throws(
    () => release("## [1.2.2]\n\n- A\n", "1.2.3", "2026-01-31"),
    /neither `## \[Unreleased\]` nor `## \[1\.2\.3\]`/,
  );
  const released = release("# All\n\n## [Unreleased]: 1.2.3\n\n- A\n\n## [1.2.2]\n", "1.2.3", "2026-01-31");
  assert.equal(released, "# All\n\n## [1.2.3] - 2026-01-31\n\n- A\n\n## [1.2.2]\n");
  assert.equal(notes(released), "- A\n");
});

test("a tarball with an unexpected file, without a licence, or of another version", async (t) => {
  const staged = await folder(t);
  const put = async (path, text = "") => {
    await mkdir(dirname(join(staged, "package", path)), { recursive: true });
    await writeFile(join(staged, "package", path), text);
  };
  const check = async () => {
    await run("tar", ["-czf", join(staged, "it.tgz"), "-C", staged, "package"]);
    return message(checkTarball(join(staged, "it.tgz"), VERSION));
  };
  const manifest = { name: "mediagate-emulator-linux-x64", version: VERSION, license: "MIT OR Apache-2.0" };
  await put("package.json", JSON.stringify(manifest));
  for (const it of ["LICENSE-APACHE", "LICENSE-MIT", "bin/mediagate-emulator"]) await put(it);
  assert.equal(await check(), "no error");
  for (const it of ["bin/a.js.map", ".env", ".dev.vars", "tests/a.js", "a.test.js", "a.pem", "notes.txt"]) {
    await put(it);
    assert.ok((await check()).startsWith(`it.tgz contains ${it}, `), it);
    await rm(join(staged, "package", it));
  }
  await put("package.json", JSON.stringify({ ...manifest, version: "6.6.6", scripts: { postinstall: "a" } }));
  await rm(join(staged, "package/LICENSE-MIT"));
  const problems = (await check()).split("\n");
  assert.deepEqual(
    problems.map((it) => /^it\.tgz (\w+ \S+)/.exec(it)?.[1]),
    ["lacks LICENSE-MIT;", "has version", "has the"],
  );
});

test("a program for another platform", async () => {
  const [node] = parsePrograms([`win32-x64=${process.execPath}`]);
  assert.match(
    await message(checkProgram(node, VERSION, assert.fail)),
    /is a program for \w+-\w+, expected one for win32-x64; /,
  );
  assert.throws(
    () => parsePrograms(["plan9-x64=a"]),
    /^Error: plan9-x64=a names no platform; expected PLATFORM=PROGRAM/,
  );
});
