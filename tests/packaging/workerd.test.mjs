// In a Cloudflare Worker: bundled by wrangler as for a deployment, run by workerd.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Miniflare } from "miniflare";
import { token } from "../support/token.mjs";
import { run, tool } from "./support/install.mjs";
import { suite, works } from "./support/suite.mjs";

const suited = suite({ browser: false });

/** What a Worker of its own answers at this path. */
async function ask(t, path) {
  const folder = await suited.project(t, "page", "workerd");
  await run(tool("wrangler"), ["deploy", "--dry-run", "--outdir", "out"], folder);
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
  url.searchParams.set("gateway", await suited.gateway(t));
  url.searchParams.set("token", token());
  return (await fetch(url)).json();
}

test("a Worker imports it with no set-up", async (t) => works(await ask(t, "/")));
test("mediagate/inline is the module too", async (t) => works(await ask(t, "/inline")));
test("mediagate/slim takes the module that the Worker imports", async (t) => works(await ask(t, "/slim")));

test("bytes cannot be compiled there, and the error says what to give", async (t) => {
  const { code, message } = await ask(t, "/bytes");
  assert.equal(code, "load_failed");
  assert.match(message, /the module .* mediagate\/mediagate\.wasm/);
});
