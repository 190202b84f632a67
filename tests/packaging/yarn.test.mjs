// The gateway as Yarn installs it with Plug'n'Play, where packages stay in their archives.
import assert from "node:assert/strict";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { command } from "../selfhost/support.mjs";
import { folder } from "../support/folder.mjs";
import { SETTINGS } from "../support/gateway.mjs";
import { run as execute, pack } from "./support/install.mjs";

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const YARN = at("node_modules/@yarnpkg/cli-dist/bin/yarn.js");

test("Yarn with Plug'n'Play starts the gateway", async (t) => {
  const cwd = await folder(t);
  const packed = ["pack", "--silent", "--pack-destination", cwd];
  await execute("npm", packed, at("../../gateway"));
  const [tarball] = (await readdir(cwd)).filter((name) =>
    name.endsWith(".tgz"),
  );
  const settings = {
    private: true,
    dependencies: { "mediagate-gateway": `file:./${tarball}` },
    resolutions: { mediagate: `file:${(await pack()).tarball}` },
  };
  await writeFile(join(cwd, "package.json"), JSON.stringify(settings));
  await writeFile(join(cwd, "yarn.lock"), "");
  const registry = await execute("npm", ["config", "get", "registry"], cwd);
  const env = {
    YARN_NODE_LINKER: "pnp",
    YARN_ENABLE_TELEMETRY: "0",
    // A lock file is made here, also in CI.
    YARN_ENABLE_IMMUTABLE_INSTALLS: "0",
    YARN_NPM_REGISTRY_SERVER: registry.trim(),
    ...SETTINGS,
    UPSTREAM_BASE_URL: "https://h.example",
  };
  const installed = command(t, ["install"], { cwd, env, script: YARN });
  assert.equal(await installed.ended, 0, installed.printed.out);
  const served = command(t, ["mediagate-gateway", "serve", "--port", "0"], {
    cwd,
    env,
    script: YARN,
  });
  const [, url] = await served.prints(/the gateway serves (\S+);/);
  assert.equal((await fetch(`${url}/`)).status, 200, "the playground");
});
