// The code that the page shows. It is read by each language's own program, for any input.
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test, vi } from "vitest";
import { type Capability, capabilities } from "../src/catalogue";
import { http } from "../src/code/http";
import { planOf, type Subject } from "../src/code/plan";
import { python } from "../src/code/python";
import { typescript } from "../src/code/typescript";
import type { Draft, Values } from "../src/storage";

// Compilers take longer than the usual 5 seconds on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const root = fileURLToPath(new URL("../../", import.meta.url));
const run = promisify(execFile);

/** Makes a folder in the checkout, so that `mediagate` is found. It is removed after the test. */
async function folder(): Promise<string> {
  await mkdir(`${root}.tools/code`, { recursive: true });
  const path = await mkdtemp(`${root}.tools/code/`);
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

const plan = (subject: Subject) => planOf(subject, "https://media.example.com");

/** A string that breaks out of unescaped quotes. */
const HOSTILE = `it's "quoted" \`\${1}\` \\ $(id) */ //\n</script>\u2028 ünïcödé ✓`;

const fileNamed = (name: string) => new File(["x"], name);
const resultNamed = (name: string) => ({ taskId: "id", output: 1, name });
const taskNamed = (name: string) => ({
  id: "id",
  capability: "text_to_image",
  name,
});
const addressNamed = (name: string) => ({
  url: "https://example.com/it's.png",
  name,
});
type Make = (name: string) => object;
/** Makes each kind of value that a field for files can have, except a step of a pipeline. */
const ALL: readonly Make[] = [fileNamed, resultNamed, taskNamed, addressNamed];

/**
 * Returns a capability's example, with files or results for ids, and the hostile text in each field
 * that allows any text.
 */
function example({ fields }: Capability, makes: readonly Make[]): Values {
  const values = fields.map(({ name, kind, example }) => {
    const all = makes.map((make) => make(`${name} */ \n.bin`));
    if (kind === "file") return [name, all[0]];
    if (kind === "files" || kind === "file_or_files")
      return [name, [...all, all[0]]];
    return [name, /prompt|text$/.test(name) ? HOSTILE : example];
  });
  return Object.fromEntries(values);
}

/** The values at any depth that are files. */
const filesIn = (values: Values) =>
  Object.values(values)
    .flat()
    .filter((value) => value instanceof File);

/**
 * The steps that make a picture or a video for the others. These two only use the first of them.
 */
const MAKERS: Record<string, string> = {
  image: "text_to_image",
  video: "image_to_video",
};

/**
 * Returns a pipeline with a step for every capability. Its fields for pictures and videos have
 * other steps, in lists beside files.
 */
function wholePipeline(makes: readonly Make[]): Draft {
  const steps = capabilities.map((capability) => {
    const values = example(capability, makes);
    for (const { name, media = "" } of capability.fields) {
      if (!MAKERS[media]) continue;
      const step = { step: MAKERS[media], name: "a step" };
      const before = values[name];
      values[name] = Array.isArray(before)
        ? before.toSpliced(1, 0, step)
        : step;
    }
    return { name: capability.name, capability: capability.name, values };
  });
  // The steps that others use come last, so that the code must order them.
  return { key: "key", title: HOSTILE, steps: steps.toReversed() };
}

const COMPILER_OPTIONS = {
  target: "es2022",
  module: "preserve",
  moduleResolution: "bundler",
  lib: ["es2023", "dom", "dom.iterable", "dom.asynciterable"],
  types: ["node"],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUnusedLocals: true,
  noEmit: true,
};

/** Runs a compiler, whose complaints are the error. */
async function compile(program: string, ...args: string[]): Promise<void> {
  await run(program, args).catch(({ stdout, stderr }) => {
    throw new Error(stdout + stderr);
  });
}

test("the TypeScript of every capability and of a pipeline compiles", async () => {
  const place = await folder();
  const write = (name: string, text: string) =>
    writeFile(`${place}/${name}.ts`, text);
  for (const capability of capabilities) {
    const { name, fields } = capability;
    const makes = [...ALL.map((make) => [make]), ALL];
    for (const [index, some] of makes.entries()) {
      const values = example(capability, some);
      const text = typescript(plan({ capability, values }));
      for (const field of fields) expect(text).toContain(`  ${field.name}: `);
      await write(`${name}-${index}`, text);
    }
    const least = fields
      .filter(({ required, media }) => required && !media)
      .map((field) => [field.name, field.example]);
    const values = Object.fromEntries(least);
    await write(`${name}-least`, typescript(plan({ capability, values })));
  }
  const text = typescript(plan({ pipeline: wholePipeline(ALL) }));
  for (const { method } of capabilities)
    expect(text).toContain(`p.${method}({`);
  expect(text).toMatch(/p\.textToImage\(\{.*p\.imageToVideo\(\{/s);
  expect(text).toMatch(/file_id: textToImage,/);
  await write("pipeline", text);
  const project = JSON.stringify({ compilerOptions: COMPILER_OPTIONS });
  await writeFile(`${place}/tsconfig.json`, project);
  const tsc = `${root}node_modules/typescript/bin/tsc`;
  await compile("node", tsc, "--project", place);
});

test("the Python of every capability and of a pipeline compiles", async () => {
  const place = await folder();
  for (const capability of capabilities) {
    const values = example(capability, ALL);
    const text = python(plan({ capability, values }));
    await writeFile(`${place}/${capability.name}.py`, text);
  }
  const text = python(plan({ pipeline: wholePipeline(ALL) }));
  await writeFile(`${place}/pipeline.py`, text);
  await compile("python3", "-m", "compileall", "-q", place);
});

/**
 * Shell functions instead of curl and jq, whose processes would take most of the time. The one
 * writes its arguments into a file, and responds with all values that a script reads, with a new
 * file id each time. The other reads the values that matter.
 */
const FUNCTIONS = `curl() {
  for word in "$@"; do printf "%s\\0" "$word"; done >> "$CALLS"; printf "\\1" >> "$CALLS"
  printf '{"data":{"session":{"token":"t"},"upload_url":"u","file_id":"file-%s"' "$(wc -c < "$CALLS" | tr -d ' ')"
  printf ',"task":{"id":"i","state":"SUCCEEDED"},"pipeline":{"id":"i","state":"SUCCEEDED"}}}\\n'
}
jq() {
  read -r response
  case $2 in
    *file_id) id=\${response#*file_id\\":\\"}; printf %s "\${id%%\\"*}" ;;
    *state) printf SUCCEEDED ;;
  esac
}`;

/**
 * Runs a script. Returns the number of its uploads, and a function for the bodies that curl sends
 * to the URLs with an end, as the shell reads them.
 */
async function callsOf(script: string) {
  const calls = `${await folder()}/calls`;
  const env = { ...process.env, CALLS: calls };
  await run("sh", ["-c", `${FUNCTIONS}\n${script}`], { env });
  const text = await readFile(calls, "utf8");
  const all = text.split("\u0001").map((call) => call.split("\0"));
  return {
    puts: all.filter((words) => words.includes("PUT")).length,
    bodiesTo: (end: string) =>
      all
        .filter((words) => words[1]?.endsWith(end))
        .map((words) => JSON.parse(words[words.indexOf("-d") + 1] ?? "")),
  };
}

test("a shell reads every curl command as intended", async () => {
  for (const capability of capabilities) {
    const values = example(capability, ALL);
    const { puts, bodiesTo } = await callsOf(
      http(plan({ capability, values })),
    );
    const [body] = bodiesTo(capability.path);
    const names = capability.fields.map(({ name }) => name);
    expect(Object.keys(body).toSorted()).toEqual(names.toSorted());
    for (const [name, value] of Object.entries(values))
      if (typeof value === "string") expect(body[name]).toBe(value);
    expect(puts).toBe(filesIn(values).length);
    const all = Object.values(values).flat() as Record<string, unknown>[];
    const moves = all.flatMap((value) => {
      if (value?.taskId) return { task_id: "TASK_ID", output: value.output };
      if (value?.url) return { url: value.url };
      return value?.id ? { task_id: "TASK_ID", output: 0 } : [];
    });
    expect(bodiesTo("/files"), capability.name).toEqual(moves);
  }
});

test("a shell reads the curl commands of a pipeline as intended", async () => {
  const pipeline = wholePipeline([fileNamed, fileNamed]);
  const { puts, bodiesTo } = await callsOf(http(plan({ pipeline })));
  const [{ title, steps }] = bodiesTo("/pipelines");
  expect(title).toBe(HOSTILE);
  const names = pipeline.steps.map(({ name }) => name);
  expect(Object.keys(steps).toSorted()).toEqual(names.toSorted());
  expect(steps.image_to_video.input.file_id).toEqual({ step: "text_to_image" });
  const [first, second, third] =
    steps.omni_reference_to_video.input.image_file_ids;
  expect(second).toEqual({ step: "text_to_image" });
  expect([first, third]).toEqual([
    expect.stringMatching(/^file-/),
    expect.stringMatching(/^file-/),
  ]);
  const files = pipeline.steps.flatMap(({ values }) => filesIn(values));
  expect(puts).toBe(files.length);
  const ids = JSON.stringify(steps).match(/file-\d+/g);
  expect(new Set(ids).size).toBe(files.length);
});
