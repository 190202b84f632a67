// Checks that all versions agree, with the tag too, and that the changelog has the version:
//   node release/check.mjs [v0.1.0]
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { releaseNotes } from "./lib/changelog.mjs";
import { leavingOut } from "./lib/left-out.mjs";
import { command } from "./lib/process.mjs";
import { ROOT } from "./lib/root.mjs";
import { checkVersions } from "./lib/versions.mjs";

await command(async () => {
  const [tag] = process.argv.slice(2);
  const version = await checkVersions(ROOT, tag);
  releaseNotes(await readFile(join(ROOT, "CHANGELOG.md"), "utf8"), version, leavingOut(Boolean(tag)));
  console.log(`${version} is in every file`);
});
