// The modules of docs/providers.md compile.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

test("each module of the document compiles", async (t) => {
  const text = await readFile(at("docs/providers.md"), "utf8");
  const blocks = [...text.matchAll(/```ts\n(.*?)```/gs)].map(
    ([, code]) => code,
  );
  assert.equal(blocks.length, 5);
  const dist = at("tests/types/dist");
  await mkdir(dist, { recursive: true });
  const folder = await mkdtemp(join(dist, "docs-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const config = {
    extends: "../../upstream/tsconfig.json",
    include: ["*.ts"],
  };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(config));
  for (const [index, code] of blocks.entries())
    await writeFile(join(folder, `module-${index}.ts`), code);
  const tsc = at("node_modules/typescript/bin/tsc");
  execFileSync(process.execPath, [tsc, "--noEmit", "--project", folder], {
    stdio: "inherit",
  });
});
