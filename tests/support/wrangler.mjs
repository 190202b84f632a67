// Starts the gateway under `wrangler dev`, alone or beside an upstream module.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { folder } from "./folder.mjs";
import { SETTINGS } from "./gateway.mjs";
import { freePort } from "./port.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));

/**
 * Starts `wrangler dev`, and resolves to its URL. `configs` are files of configuration, by default the
 * repository's; the first one is the gateway's.
 *
 * @param {Record<string, string>} settings
 * @param {{ port?: number, configs?: string[] }} [options]
 */
export async function startWrangler(t, settings, options = {}) {
  const { port = await freePort(), configs = [] } = options;
  let child;
  t.after(async () => {
    process.kill(-child.pid, "SIGTERM");
    if (child.exitCode === null && child.signalCode === null)
      await once(child, "exit");
  });
  const state = await folder(t);
  const vars = Object.entries(settings).flatMap(([name, value]) => [
    "--var",
    `${name}:${value}`,
  ]);
  const args = [
    ...["dev", "--ip", "127.0.0.1", "--port", String(port)],
    ...["--persist-to", state, ...vars],
    ...configs.flatMap((config) => ["--config", config]),
  ];
  const env = { ...process.env, CI: "true", WRANGLER_LOG_PATH: state };
  // In a group of its own, because wrangler starts further processes.
  child = spawn(`${root}node_modules/.bin/wrangler`, args, {
    cwd: root,
    env,
    detached: true,
    stdio: "ignore",
  });
  const url = `http://127.0.0.1:${port}`;
  for (const end = Date.now() + 60_000; Date.now() < end; await sleep(100)) {
    const response = await fetch(`${url}/healthz`).catch(() => undefined);
    if (response?.ok) return url;
  }
  throw new Error("wrangler dev has not started within a minute");
}

/**
 * Starts the gateway and a module as two Workers, with uploads in a bucket that is a binding. Resolves
 * to the gateway's URL.
 *
 * @param {string} main the module's source
 * @param {Record<string, string>} vars the module's variables
 * @param {Record<string, string>} [settings] further ones of the gateway
 */
export async function startModuleInWrangler(t, main, vars, settings = {}) {
  const at = await folder(t);
  const gateway = join(at, "gateway.toml");
  const own = await readFile(join(root, "wrangler.toml"), "utf8");
  await writeFile(
    gateway,
    own
      .replaceAll(
        /^(main|base_dir|directory) = "(.*)"$/gm,
        (_, name, path) => `${name} = ${JSON.stringify(join(root, path))}`,
      )
      .replace(
        /^\[vars\]$/m,
        `[[services]]
binding = "UPSTREAM"
service = "test-upstream"

[[r2_buckets]]
binding = "UPLOADS_BUCKET"
bucket_name = "uploads"

[vars]`,
      ),
  );
  const module = join(at, "upstream.toml");
  const lines = Object.entries(vars).map(
    ([name, value]) => `${name} = ${JSON.stringify(value)}\n`,
  );
  await writeFile(
    module,
    `name = "test-upstream"
main = ${JSON.stringify(main)}
compatibility_date = "2026-04-01"
compatibility_flags = ["nodejs_compat"]

[vars]
${lines.join("")}`,
  );
  const { UPSTREAM_API_KEY: _, ...secrets } = SETTINGS;
  const port = await freePort();
  return startWrangler(
    t,
    {
      ...secrets,
      UPLOAD_MODE: "bucket",
      BUCKET_PRIVATE: "on",
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      ...settings,
    },
    { port, configs: [gateway, module] },
  );
}
