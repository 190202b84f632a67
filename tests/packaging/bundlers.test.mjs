// The package, bundled with almost no configuration, and run in a browser.
import assert from "node:assert/strict";
import { cp, readdir } from "node:fs/promises";
import { test } from "node:test";
import { run, tool } from "./support/install.mjs";
import { assertWorks, suite } from "./support/suite.mjs";

const suited = suite();
const project = (t) => suited.project(t, "page", "bundled");

function assertBothWork({ outcome, lines }) {
  assertWorks(outcome.page);
  assertWorks(outcome.worker);
  assert.deepEqual(lines, []);
}

const countWasm = async (folder) =>
  (await readdir(folder, { recursive: true })).filter((path) =>
    path.endsWith(".wasm"),
  ).length;

test("webpack emits the wasm, for the page and for its worker", async (t) => {
  const folder = await project(t);
  const { default: webpack } = await import("webpack");
  const output = { path: `${folder}/dist`, filename: "both.js" };
  const stats = await new Promise((resolve, reject) =>
    webpack(
      { mode: "production", context: folder, entry: "./both.js", output },
      (error, stats) => (error ? reject(error) : resolve(stats)),
    ),
  );
  const { errors, warnings } = stats.toJson({
    all: false,
    errors: true,
    warnings: true,
  });
  assert.deepEqual([errors, warnings], [[], []]);
  await cp(`${folder}/index.html`, `${folder}/dist/index.html`);
  assert.equal(await countWasm(`${folder}/dist`), 1);
  assertBothWork(await suited.visit(t, `${folder}/dist`));
});

test("vite build emits the wasm, for the page and for its worker", async (t) => {
  const folder = await project(t);
  await run(tool("vite"), ["build", "--logLevel", "warn"], folder);
  assert.equal(await countWasm(`${folder}/dist`), 1);
  assertBothWork(await suited.visit(t, `${folder}/dist`));
});

/**
 * Runs a page of Vite's development server, with these options of its dependency optimiser, and
 * resolves to its outcome.
 */
async function runDevServer(t, vite, optimizeDeps) {
  const { createServer } = await import(vite);
  const root = await project(t);
  const server = await createServer({
    root,
    optimizeDeps,
    logLevel: "error",
    server: { host: "127.0.0.1", port: 0, ws: false },
  });
  t.after(() => server.close());
  await server.listen();
  return (
    await suited.open(t, `http://127.0.0.1:${server.httpServer.address().port}`)
  ).outcome;
}

test("vite's development server works with no set-up", async (t) => {
  const { page, worker } = await runDevServer(t, "vite", {});
  assertWorks(page);
  assertWorks(worker);
});

test("an older vite's development server works, with and without the package in its optimiser", async (t) => {
  for (const options of [{}, { exclude: ["mediagate"] }])
    assertWorks((await runDevServer(t, "vite-7", options)).page);
});

test("rollup emits no wasm file, and the copy in a script is loaded", async (t) => {
  const folder = await project(t);
  await run(
    tool("rollup"),
    ["--config", "rollup.config.mjs", "--silent"],
    folder,
  );
  await assertPageWorks(t, folder, "/main.html");
  await assertPageWorks(t, folder, "/inline.html");
});

test("esbuild emits no wasm file, and the copy in a script is loaded", async (t) => {
  const folder = await project(t);
  await run(
    tool("esbuild"),
    [
      "main.js",
      "inline.js",
      "--bundle",
      "--format=esm",
      "--outdir=dist",
      "--log-level=error",
    ],
    folder,
  );
  await assertPageWorks(t, folder, "/main.html");
  await assertPageWorks(t, folder, "/inline.html");
});

test("a classic script, which has no URL of its own, loads the copy", async (t) => {
  const folder = await project(t);
  await run(
    tool("esbuild"),
    [
      "main.js",
      "--bundle",
      "--format=iife",
      "--outdir=dist",
      "--log-level=error",
    ],
    folder,
  );
  await assertPageWorks(t, folder, "/classic.html");
});

async function assertPageWorks(t, folder, path) {
  await cp(folder + path, `${folder}/dist${path}`);
  assertWorks((await suited.visit(t, `${folder}/dist`, { path })).outcome);
}

test("a bundle for React Native has no import.meta, which its engine can't read", async (t) => {
  const folder = await project(t);
  const { build } = await import("esbuild");
  const bundled = await build({
    stdin: {
      contents: 'export { connect } from "mediagate";',
      resolveDir: folder,
    },
    bundle: true,
    write: false,
    format: "esm",
    conditions: ["react-native"],
  });
  const [{ text }] = bundled.outputFiles;
  assert.match(text, /connect/);
  assert.doesNotMatch(text, /import\.meta/);
});
