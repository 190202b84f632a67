// The configuration that `mediagate-gateway init` writes, as wrangler reads it. The test needs the
// built package.
import assert from "node:assert/strict";
import { access, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { unstable_readConfig as readConfig } from "wrangler";
import { run as execute, tool } from "../packaging/support/install.mjs";
import { init, link, project, ROOT } from "./init-support.mjs";

const OPTIONS = [
  ...["--name", "my-gateway", "--upstream", "https://api.example.com/base/"],
  ...["--origin", "https://www.example.com", "--origin", "http://localhost:*"],
];
const VARS = {
  UPSTREAM_BASE_URL: "https://api.example.com/base",
  ALLOWED_ORIGINS: "https://www.example.com,http://localhost:*",
};
const FORMATS = { toml: [], jsonc: ["--jsonc"] };

/** Returns the parts that must be equal in any deployment of the gateway. */
function common(path) {
  const config = readConfig({ config: path });
  const { binding, run_worker_first } = config.assets;
  const {
    compatibility_date,
    compatibility_flags,
    durable_objects,
    migrations,
    observability,
  } = config;
  const { no_bundle, find_additional_modules } = config;
  const assets = { binding, run_worker_first };
  return {
    compatibility_date,
    compatibility_flags,
    durable_objects,
    migrations,
    observability,
    no_bundle,
    find_additional_modules,
    assets,
  };
}

for (const [format, args] of Object.entries(FORMATS)) {
  const file = `wrangler.${format}`;

  test(`${file} has the given name and settings`, async (t) => {
    const cwd = await project(t);
    await init(t, cwd, ...args, ...OPTIONS);
    const { name, vars } = readConfig({ config: join(cwd, file) });
    assert.deepEqual([name, vars], ["my-gateway", VARS]);
  });

  test(`${file} equals that of the repository, except for the paths`, async (t) => {
    const cwd = await project(t);
    await init(t, cwd, ...args);
    assert.deepEqual(
      common(join(cwd, file)),
      common(join(ROOT, "wrangler.toml")),
    );
    assert.deepEqual(readConfig({ config: join(cwd, file) }).vars, {});
  });
}

test("the configuration can be deployed with only the Worker and its WebAssembly", async (t) => {
  const cwd = await project(t);
  await link(cwd, "mediagate-gateway");
  await init(t, cwd, ...OPTIONS);
  const out = await execute(tool("wrangler"), ["deploy", "--dry-run"], cwd);
  assert.match(out, /index_bg\.wasm +│ compiled-wasm/);
  assert.match(out, /Total \(1 module\)/);
  assert.doesNotMatch(out, /front\.js|files\.js|WARNING/);
  for (const binding of [
    "LEDGER (Ledger)",
    "WATCHER (Watcher)",
    "DURATIONS (Durations)",
    "TRANSFER (Transfer)",
    "PIPELINE (Pipeline)",
    "env.ASSETS",
  ])
    assert.ok(out.includes(binding), binding);
});

test("in a workspace, the configuration uses the package of the folder above", async (t) => {
  const root = await project(t, {
    "package.json": '{ "workspaces": ["apps/*"] }',
  });
  await link(root, "mediagate-gateway");
  const cwd = join(root, "apps/gateway");
  await mkdir(cwd, { recursive: true });
  await init(t, cwd);
  await access(readConfig({ config: join(cwd, "wrangler.toml") }).main);
});
