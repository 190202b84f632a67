// Sets a version everywhere:  node release/version.mjs 0.2.0
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { release } from "./lib/changelog.mjs";
import { command } from "./lib/process.mjs";
import { ROOT } from "./lib/root.mjs";
import { checkVersions, expectVersion, writeVersion } from "./lib/versions.mjs";

await command(async () => {
  const [version, ...rest] = process.argv.slice(2);
  if (!version || rest.length > 0) throw new Error("usage: node release/version.mjs VERSION");
  expectVersion(version);
  const path = join(ROOT, "CHANGELOG.md");
  const before = await readFile(path, "utf8");
  // First what can fail, so that nothing is written then.
  const after = release(before, version, new Date().toISOString().slice(0, 10));
  const changed = await writeVersion(ROOT, version);
  if (after !== before) await writeFile(path, after);
  await checkVersions(ROOT);
  const files = after === before ? changed : [...changed, "CHANGELOG.md"];
  console.log(files.length > 0 ? `${version} is now in ${files.join(", ")}` : `${version} was everywhere already`);
});
