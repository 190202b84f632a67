// The package in a Cloudflare Worker, bundled by wrangler as for a deployment, and run by workerd.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Miniflare } from "miniflare";
import { token } from "../support/token.mjs";
import { install, remove, run, tool } from "./support/install.mjs";
import { assertWorks, suite } from "./support/suite.mjs";

const suited = suite({ browser: false });

let folder;
before(async () => {
  folder = await install("workerd", "page", "workerd");
  const options = ["deploy", "--dry-run", "--outdir", "out"];
  await run(tool("wrangler"), options, folder);
});
after(() => remove(folder));

async function request(t, path) {
  const worker = new Miniflare({
    host: "127.0.0.1",
    rootPath: `${folder}/out`,
    scriptPath: "main.js",
    modules: true,
    modulesRules: [
      { type: "ESModule", include: ["**/*.js"] },
      { type: "CompiledWasm", include: ["**/*.wasm"] },
    ],
    compatibilityDate: "2026-04-01",
    cf: false,
  });
  t.after(() => worker.dispose());
  const url = new URL(path, await worker.ready);
  url.searchParams.set("gateway", await suited.gateway());
  url.searchParams.set("token", token());
  return (await fetch(url)).json();
}

test("a Worker imports the package with no set-up", async (t) =>
  assertWorks(await request(t, "/")));
test("mediagate/inline works", async (t) =>
  assertWorks(await request(t, "/inline")));
test("mediagate/slim loads the module that the Worker imports", async (t) =>
  assertWorks(await request(t, "/slim")));

test("bytes cannot be compiled in a Worker, and the error says what to pass", async (t) => {
  const { code, message } = await request(t, "/bytes");
  assert.equal(code, "load_failed");
  assert.match(message, /the module .* mediagate\/mediagate\.wasm/);
});
