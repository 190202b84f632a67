// Prints the notes of a version's release:  node release/notes.mjs 0.1.0
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { releaseNotes } from "./lib/changelog.mjs";
import { command } from "./lib/process.mjs";
import { ROOT } from "./lib/root.mjs";
import { expectVersion } from "./lib/versions.mjs";

await command(async () => {
  const [version = ""] = process.argv.slice(2);
  expectVersion(version);
  const changelog = await readFile(join(ROOT, "CHANGELOG.md"), "utf8");
  // Standard output has the notes alone.
  process.stdout.write(releaseNotes(changelog, version, (it) => console.error(`left out: ${it}`)));
});
