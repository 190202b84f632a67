// A release's dry run. The registry is one of this test, so that nothing can be published.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFile, cp, readdir, readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { ROOT } from "../../../release/lib/root.mjs";
import { listFiles, readManifest } from "../../../release/lib/tarballs.mjs";
import { checkVersions } from "../../../release/lib/versions.mjs";
import { listen } from "../../support/listen.mjs";
import { BUILT_EMULATOR, folder } from "../support.mjs";

const HERE = `${process.platform}-${process.arch}`;
const EMULATOR = `mediagate-emulator-${HERE}`;
const REPOSITORY = "https://github.com/example/mediagate";
const VERSION = await checkVersions(ROOT);

const execute = promisify(execFile);
/** The folder of the dry run and what it printed; the registry, what it has, and the methods of its requests. */
const made = { out: "", printed: "", registry: "", published: {}, methods: new Set(), ends: [] };
const at = (name) => join(made.out, name);
const tarball = (name) => at(`${name}-${VERSION}.tgz`);

/** Runs a command of `release/`, with the registry of this test. */
async function command([script, ...args], { token = "" } = {}) {
  const env = { ...process.env, ACTIONS_ID_TOKEN_REQUEST_URL: token, npm_config_registry: made.registry };
  const run = execute(process.execPath, [join(ROOT, "release", script), ...args], { env });
  return run.then(
    ({ stdout }) => ({ code: 0, lines: stdout.trimEnd().split("\n"), error: "" }),
    ({ code, stdout, stderr }) => ({ code, lines: stdout.trimEnd().split("\n"), error: stderr }),
  );
}

/** Has the version of each package of `made.published`, with that hash. */
const registry = createServer((request, response) => {
  made.methods.add(request.method);
  const name = request.url.slice(1);
  const integrity = made.published[name];
  const dist = { integrity, tarball: `${made.registry}/${name}.tgz` };
  const found = { name, "dist-tags": { latest: VERSION }, versions: { [VERSION]: { name, version: VERSION, dist } } };
  response.writeHead(integrity ? 200 : 404, { "content-type": "application/json" });
  response.end(JSON.stringify(integrity ? found : { error: "Not found" }));
});

before(async () => {
  made.registry = await listen(registry);
  made.out = join(await folder({ after: (end) => made.ends.push(end) }), "out");
  const emulator = process.env.MEDIAGATE_EMULATOR ?? BUILT_EMULATOR;
  const result = await command(["release.mjs", made.out, "--repository", REPOSITORY, `${HERE}=${emulator}`]);
  assert.equal(result.code, 0, result.error);
  made.printed = result.lines.join("\n");
});
after(async () => {
  registry.close();
  for (const end of made.ends) await end();
});

test("it makes every file of a release, and names what it leaves out", async () => {
  const files = await readdir(made.out);
  const rust = files.filter((it) => it.includes("-crates-"));
  const packages = ["mediagate", "mediagate-gateway"].flatMap((it) => [
    `${it}-${VERSION}.tgz`,
    `${it}-${VERSION}.cdx.json`,
  ]);
  const emulator = [`${EMULATOR}-${VERSION}.tgz`, `mediagate-emulator-${VERSION}-${HERE}.tar.gz`];
  const expected = ["SHA256SUMS", "notes.md", ...packages, ...emulator, ...rust];
  assert.deepEqual(files.toSorted(), expected.toSorted());
  assert.match(made.printed, /^left out: the emulator for .*; add PLATFORM=PROGRAM for each$/m);
  if (rust.length === 0) assert.match(made.printed, /^left out: the SBOMs of the Rust programs: cargo-cyclonedx/m);
});

test("the packages have their licences, version and repository, and the emulators are optional", async () => {
  for (const name of ["mediagate", "mediagate-gateway", EMULATOR]) {
    const files = await listFiles(tarball(name));
    for (const it of ["LICENSE-APACHE", "LICENSE-MIT"]) assert.ok(files.includes(it), `${name}: ${it}`);
    const { version, repository } = await readManifest(tarball(name));
    assert.deepEqual([version, repository.url], [VERSION, `git+${REPOSITORY}.git`]);
  }
  const { dependencies, optionalDependencies } = await readManifest(tarball("mediagate-gateway"));
  assert.deepEqual([dependencies.mediagate, optionalDependencies[EMULATOR]], [VERSION, VERSION]);
});

test("the gateway's SBOM has what it contains and depends on, and nothing that only builds it", async () => {
  const { metadata, components } = JSON.parse(await readFile(at(`mediagate-gateway-${VERSION}.cdx.json`), "utf8"));
  assert.equal(metadata.component.purl, `pkg:npm/mediagate-gateway@${VERSION}`);
  const names = components.map((it) => it.name);
  for (const it of ["mediagate", "workerd", "ipaddr.js", "preact"]) assert.ok(names.includes(it), it);
  for (const it of ["esbuild", "vite", "typescript", "react"]) assert.ok(!names.includes(it), it);
});

test("the checksums are those of the files, and the notes are the changelog's section", async () => {
  const files = (await readdir(made.out)).filter((it) => !["SHA256SUMS", "notes.md"].includes(it)).toSorted();
  const line = async (it) =>
    `${createHash("sha256")
      .update(await readFile(at(it)))
      .digest("hex")}  ${it}\n`;
  assert.equal(await readFile(at("SHA256SUMS"), "utf8"), (await Promise.all(files.map(line))).join(""));
  const notes = await readFile(at("notes.md"), "utf8");
  const sections = (await readFile(join(ROOT, "CHANGELOG.md"), "utf8")).split(/^## /m);
  const [heading, ...lines] = sections.find((it) => it.split("\n")[0].includes(VERSION)).split("\n");
  assert.match(heading, /^\[/);
  assert.equal(notes.trim(), lines.join("\n").trim());
});

test("a file that was changed after its checksum was taken is not published", async (t) => {
  const changed = await folder(t);
  for (const it of ["SHA256SUMS", `mediagate-${VERSION}.tgz`]) await cp(at(it), join(changed, it));
  await appendFile(join(changed, `mediagate-${VERSION}.tgz`), "more");
  const { error } = await command(["publish.mjs", changed, "--dry-run"]);
  assert.match(error, /mediagate-\S+\.tgz.* differs from SHA256SUMS; make the release again/);
});

test("publishing goes in the order of dependencies, skips what is published, and is refused by hand", async () => {
  const byHand = await command(["publish.mjs", made.out]);
  assert.match(byHand.error, /^there is no OIDC token to publish with; push a tag/);
  const incomplete = await command(["publish.mjs", made.out], { token: made.registry });
  assert.match(incomplete.error, /mediagate-emulator-\S+: missing, but a release has every package/);

  const dry = await command(["publish.mjs", made.out, "--dry-run"]);
  assert.deepEqual(
    dry.lines,
    [EMULATOR, "mediagate", "mediagate-gateway"].map((it) => `would publish ${it}@${VERSION}`),
  );

  const hash = createHash("sha512")
    .update(await readFile(tarball("mediagate")))
    .digest("base64");
  made.published = {
    [EMULATOR]: "sha512-b3RoZXI=",
    mediagate: `sha512-${hash}`,
    "mediagate-gateway": "sha512-b3RoZXI=",
  };
  const again = await command(["publish.mjs", made.out, "--dry-run"]);
  assert.deepEqual(again.lines, [
    `left out: ${EMULATOR}@${VERSION} is on the registry with other contents, which cannot be replaced`,
    `mediagate@${VERSION} is published already`,
    `left out: mediagate-gateway@${VERSION} is on the registry with other contents, which cannot be replaced`,
  ]);
  assert.deepEqual([...made.methods], ["GET"]);
});
