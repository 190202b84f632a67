// The code that the playground shows. It compiles against the package's types, and its requests
// succeed.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import catalogue from "mediagate/catalogue.json" with { type: "json" };
import { picture } from "../support/fixtures.mjs";
import { sourceModule } from "../support/source.mjs";
import { TIMEOUT_MS } from "../support/within.mjs";
import { file } from "./playground.mjs";
import { suite } from "./suite.mjs";

const { open } = suite();

const root = fileURLToPath(new URL("../../", import.meta.url));
const execute = promisify(execFile);
/** Runs a program. It ends within the time of anything that a test waits for. */
const run = (program, args, options = {}) =>
  execute(program, args, { timeout: TIMEOUT_MS, ...options });

/** Makes a folder in the checkout, so that `mediagate` is found. It is removed after the test. */
async function folder(t) {
  await mkdir(`${root}.tools/code`, { recursive: true });
  const path = await mkdtemp(`${root}.tools/code/`);
  t.after(() => rm(path, { recursive: true, force: true }));
  return path;
}

const GATEWAY = "https://media.example.com";

/** A string that breaks out of unescaped quotes. */
const HOSTILE = `it's "quoted" \`\${1}\` \\ $(id) */ //\n</script>\u2028 ünïcödé ✓`;

const fileNamed = (name) => new File(["x"], name);
const resultNamed = (name) => ({ taskId: "id", output: 1, name });
const taskNamed = (name) => ({ id: "id", capability: "text_to_image", name });
const addressNamed = (name) => ({ url: "https://example.com/it's.png", name });
/** Makes each kind of value that a field for files can have, except a step of a pipeline. */
const ALL = [fileNamed, resultNamed, taskNamed, addressNamed];

/**
 * Returns a capability's example, with files or results for ids, and the hostile text in each field
 * that allows any text.
 *
 * @param {any} capability
 * @param {((name: string) => object)[]} [makes]
 */
function example({ fields }, makes = [fileNamed]) {
  const exampleOf = (field) => {
    const all = makes.map((make) => make(`${field.name} */ \n.bin`));
    if (field.kind === "file") return all[0];
    if (["files", "file_or_files"].includes(field.kind))
      return [...all, all[0]];
    return /prompt|text$/.test(field.name) ? HOSTILE : field.example;
  };
  return Object.fromEntries(
    fields.map((field) => [field.name, exampleOf(field)]),
  );
}

const OPTIONS = {
  compilerOptions: {
    target: "es2022",
    module: "preserve",
    moduleResolution: "bundler",
    lib: ["es2023", "dom", "dom.iterable", "dom.asynciterable"],
    types: ["node"],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUnusedLocals: true,
    noEmit: true,
  },
};

/** Compiles the modules in a folder. */
async function compile(place) {
  await writeFile(`${place}/tsconfig.json`, JSON.stringify(OPTIONS));
  const tsc = `${root}node_modules/typescript/bin/tsc`;
  await run("node", [tsc, "--project", place]).catch((error) =>
    assert.fail(error.stdout),
  );
}

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

/** Returns the arguments of each curl command of a script, as a shell reads them. */
async function callsOf(t, script) {
  const calls = `${await folder(t)}/calls`;
  const env = { ...process.env, CALLS: calls };
  await run("sh", ["-c", `${FUNCTIONS}\n${script}`], { env });
  const text = await readFile(calls, "utf8");
  return text.split("\u0001").map((part) => part.split("\0"));
}

test("the TypeScript of every capability compiles, for any input", async (t) => {
  const { typescript } = await sourceModule("code/typescript.ts");
  const place = await folder(t);
  for (const capability of catalogue.capabilities) {
    const whole = typescript(capability, example(capability), GATEWAY);
    assert.ok(
      capability.fields.every((field) => whole.includes(`  ${field.name}: `)),
      capability.name,
    );
    await writeFile(`${place}/${capability.name}.ts`, whole);
    for (const makes of [[resultNamed], [taskNamed], [addressNamed], ALL]) {
      const text = typescript(capability, example(capability, makes), GATEWAY);
      await writeFile(
        `${place}/${capability.name}-${makes.map((make) => make.name).join("-")}.ts`,
        text,
      );
    }
    const least = Object.fromEntries(
      capability.fields
        .filter((field) => field.required && !/file/.test(field.kind))
        .map((field) => [field.name, field.example]),
    );
    await writeFile(
      `${place}/${capability.name}-least.ts`,
      typescript(capability, least, GATEWAY),
    );
  }
  await compile(place);
});

/**
 * The steps that make a picture or a video for the others. These two only use the first of them.
 */
const MAKERS = { image: "text_to_image", video: "image_to_video" };

/**
 * Returns a pipeline with a step for every capability. Its fields for pictures and videos have
 * other steps, in lists beside files.
 */
function wholePipeline(title) {
  const steps = catalogue.capabilities.map((capability) => {
    const values = example(capability, [fileNamed, fileNamed]);
    for (const field of capability.fields) {
      const name = MAKERS["media" in field ? field.media : ""];
      if (!name) continue;
      const step = { step: name, name: "a step" };
      const before = values[field.name];
      values[field.name] = Array.isArray(before)
        ? before.toSpliced(1, 0, step)
        : step;
    }
    return { name: capability.name, capability: capability.name, values };
  });
  // The steps that others use come last, so that the code must order them.
  return { key: "key", title, steps: steps.toReversed() };
}

test("the TypeScript of a pipeline compiles, each step after those that it uses", async (t) => {
  const { pipelineTypescript } = await sourceModule("code/pipeline.ts");
  const place = await folder(t);
  const text = pipelineTypescript(wholePipeline(HOSTILE), GATEWAY);
  for (const { method } of catalogue.capabilities)
    assert.ok(text.includes(`p.${method}({`), method);
  assert.ok(text.indexOf("p.textToImage({") < text.indexOf("p.imageToVideo({"));
  assert.match(text, /file_id: textToImage,/);
  await writeFile(`${place}/pipeline.ts`, text);
  await compile(place);
});

test("a shell reads the curl commands of a pipeline as intended", async (t) => {
  const { pipelineHttp } = await sourceModule("code/pipeline.ts");
  const draft = wholePipeline(HOSTILE);
  const script = pipelineHttp(draft, GATEWAY);
  const calls = await callsOf(t, script);
  const start = calls.find((words) => words[1]?.endsWith("/pipelines"));
  const { title, steps } = JSON.parse(start[start.indexOf("-d") + 1]);
  assert.equal(title, HOSTILE);
  assert.deepEqual(
    Object.keys(steps).toSorted(),
    draft.steps.map((step) => step.name).toSorted(),
  );
  assert.deepEqual(steps.image_to_video.input.file_id, {
    step: "text_to_image",
  });
  const puts = calls.filter((call) => call.includes("PUT"));
  const files = draft.steps.flatMap(({ values }) =>
    Object.values(values)
      .flat()
      .filter((value) => value instanceof File),
  );
  assert.equal(puts.length, files.length);
  const ids = JSON.stringify(steps).match(/file-\d+/g) ?? [];
  assert.equal(new Set(ids).size, files.length);
});

test("a shell reads every curl command as intended", async (t) => {
  const { http } = await sourceModule("code/http.ts");
  for (const capability of catalogue.capabilities) {
    const values = example(capability, ALL);
    const script = http(capability, values, GATEWAY);
    const calls = await callsOf(t, script);
    const create = calls.find((words) => words[1]?.endsWith(capability.path));
    const body = JSON.parse(create[create.indexOf("-d") + 1]);
    assert.deepEqual(
      Object.keys(body).toSorted(),
      capability.fields.map((field) => field.name).toSorted(),
    );
    for (const [name, value] of Object.entries(values))
      if (typeof value === "string") assert.equal(body[name], value);
    const all = Object.values(values).flat();
    const puts = calls.filter((call) => call.includes("PUT"));
    const files = all.filter((value) => value instanceof File);
    assert.equal(puts.length, files.length, capability.name);
    const moves = calls.filter((words) => words[1]?.endsWith("/files"));
    assert.deepEqual(
      moves.map((words) => JSON.parse(words[words.indexOf("-d") + 1])),
      all.flatMap(
        /** @returns {object[]} */ (value) => {
          if (value?.taskId)
            return [{ task_id: "TASK_ID", output: value.output }];
          if (value?.url) return [{ url: value.url }];
          return value?.id ? [{ task_id: "TASK_ID", output: 0 }] : [];
        },
      ),
      capability.name,
    );
  }
});

/** Runs the form's code in each language, in a folder with the files that the code uploads. */
async function runShownCode(page, place) {
  await page
    .locator(".form")
    .getByRole("button", { name: "Show the code" })
    .press("Enter");
  for (const [language, program, script] of [
    ["TypeScript", "node", "code.mjs"],
    ["HTTP (curl)", "sh", "code.sh"],
    ["Python", "python3", "code.py"],
  ]) {
    await page
      .getByRole("button", { name: language, exact: true })
      .press("Enter");
    const code = page.getByRole("region", { name: language, exact: true });
    const shown = await code.locator("pre").innerText();
    await writeFile(`${place}/${script}`, shown);
    const { stdout } = await run(program, [script], { cwd: place });
    assert.match(stdout, /url"?: ['"]http:/, language);
  }
}

test("the shown code runs when it is pasted, from the upload to the outputs", async (t) => {
  const playground = await open(t, "background_removal");
  const { page } = playground;
  const bytes = picture(40, 30);
  const name = "it's a photo.png";
  await playground.choose("file_id", file(name, "image/png", bytes));
  const place = await folder(t);
  await writeFile(`${place}/${name}`, bytes);
  await runShownCode(page, place);
});

test("the code for a result loads the result, and runs when it is pasted", async (t) => {
  const playground = await open(t, "text_to_image");
  const { page } = playground;
  await playground.make({ prompt: "a lighthouse", width: 64, height: 48 });
  await playground.useIn("Remove background");
  await runShownCode(page, await folder(t));
});

test("the Python of every capability and of a pipeline compiles", async (t) => {
  const { python } = await sourceModule("code/python.ts");
  const { pipelinePython } = await sourceModule("code/pipeline.ts");
  const place = await folder(t);
  for (const capability of catalogue.capabilities) {
    const values = example(capability, ALL);
    const text = python(capability, values, GATEWAY);
    await writeFile(`${place}/${capability.name}.py`, text);
  }
  const text = pipelinePython(wholePipeline(HOSTILE), GATEWAY);
  await writeFile(`${place}/pipeline.py`, text);
  await run("python3", ["-m", "compileall", "-q", place]).catch((error) =>
    assert.fail(error.stdout),
  );
});

test("the code of a task can be copied, without a token or a key", async (t) => {
  const playground = await open(t, "text_to_image", {
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const { page } = playground;
  await playground.make({ prompt: "a lighthouse", width: 64, height: 48 });
  await playground.press("Show the code", playground.task);
  const dialog = page.getByRole("dialog", { name: "Text to image in code" });
  for (const [language, expected] of /** @type {[string, RegExp][]} */ ([
    ["TypeScript", /await media\.textToImage\(\{\n {2}prompt: "a lighthouse",/],
    ["HTTP (curl)", /curl -s '.+\/text_to_image'/],
    ["Python", /"prompt": "a lighthouse",/],
  ])) {
    const press = (name) =>
      dialog.getByRole("button", { name, exact: true }).press("Enter");
    await press(language);
    await dialog.getByRole("region", { name: language, exact: true }).waitFor();
    await press("Copy");
    await dialog.getByRole("button", { name: "Copied" }).waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    assert.equal(
      copied.trim(),
      (await dialog.locator("pre").innerText()).trim(),
    );
    assert.match(copied, expected);
    assert.doesNotMatch(copied, /eyJ|sk-/);
  }
  await playground.closeDialog();
});
