// Publishes to npm what release.mjs has made:  node release/publish.mjs OUT [--dry-run]
import { parseArgs } from "node:util";
import { command } from "./lib/process.mjs";
import { publishAll } from "./lib/publish.mjs";

await command(async () => {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { "dry-run": { type: "boolean" } } });
  const [out, ...rest] = positionals;
  if (!out || rest.length > 0) throw new Error("usage: node release/publish.mjs OUT [--dry-run]");
  await publishAll(out, values["dry-run"] === true);
});
