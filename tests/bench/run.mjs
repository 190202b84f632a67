// `cargo xtask bench`: runs the measurements, prints their tables, and writes them as JSON.
//
// --quick      fewer rounds and smaller files
// --check      only the deterministic measurements, compared with budgets.json
// --only NAME  one measurement; may be repeated
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { cpus, totalmem } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { compare } from "./support/budgets.mjs";
import { text } from "./support/table.mjs";

const NAMES = [
  "bytes",
  "calls",
  "start",
  "paint",
  "cpu",
  "uploads",
  "gateway",
  "news",
];
const OUT = fileURLToPath(new URL("out/", import.meta.url));
const BUDGETS = new URL("budgets.json", import.meta.url);

const { values: options } = parseArgs({
  options: {
    quick: { type: "boolean" },
    check: { type: "boolean" },
    only: { type: "string", multiple: true },
  },
});

async function main() {
  const unknown = (options.only ?? []).find((name) => !NAMES.includes(name));
  if (unknown)
    throw new Error(
      `there is no measurement \`${unknown}\`; there are ${NAMES.join(", ")}`,
    );
  const results = {};
  for (const name of options.only ?? NAMES) {
    const measurement = await import(`./measure/${name}.mjs`);
    if (options.check && !measurement.deterministic) continue;
    const start = performance.now();
    const result = await measurement.run({ quick: Boolean(options.quick) });
    results[name] = { title: measurement.title, ...result };
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    console.log(`\n${measurement.title} (${seconds} s)\n`);
    for (const table of result.tables) console.log(text(table));
  }
  if (options.check) return check(results);
  return write({
    machine: machine(),
    date: new Date().toISOString(),
    quick: Boolean(options.quick),
    results,
  });
}

/** Fails if a fact is over its budget or has none, or if a budget has no fact. */
async function check(results) {
  const facts = Object.assign(
    {},
    ...Object.values(results).map((result) => result.facts),
  );
  const errors = compare(facts, JSON.parse(await readFile(BUDGETS, "utf8")), {
    partial: Boolean(options.only),
  });
  for (const error of errors) console.error(`error: ${error}`);
  if (errors.length > 0) process.exitCode = 1;
  else console.log(`${Object.keys(facts).length} facts within their budgets`);
}

async function write(report) {
  await mkdir(OUT, { recursive: true });
  await writeFile(`${OUT}report.json`, JSON.stringify(report, null, 2));
  console.log(`\nwritten: ${OUT}report.json`);
}

function machine() {
  const [{ model }] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} × ${model}, ${memory} GiB, Node ${process.version}, ${process.platform}`;
}

await main().catch((error) => {
  // The reason of a failed request is in its cause.
  const messages = [error.message, error.cause?.message].filter(Boolean);
  console.error(
    `error: ${messages.map((message) => message.split("\n")[0]).join(": ")}`,
  );
  process.exitCode = 1;
});
