// Makes the folder of a release, from what `cargo xtask build` has built and the emulator's program for each platform:
//   node release/release.mjs OUT --tag v0.1.0 --repository URL linux-x64=PROGRAM …
// Without --tag it is a dry run, which says what it leaves out.
import { parseArgs } from "node:util";
import { assemble } from "./lib/assemble.mjs";
import { command } from "./lib/process.mjs";
import { ROOT } from "./lib/root.mjs";

await command(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { tag: { type: "string" }, repository: { type: "string" } },
  });
  const [out, ...programs] = positionals;
  if (!out) throw new Error("usage: node release/release.mjs OUT [--tag TAG] [--repository URL] [PLATFORM=PROGRAM …]");
  const files = await assemble({ root: ROOT, out, tag: values.tag, repository: values.repository, programs });
  console.log(files.join("\n"));
});
