// Runs under `wrangler dev`, which reuses connections. A refused body must not break the next
// request.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { connect } from "mediagate";
import { picture } from "../support/fixtures.mjs";
import { folder } from "../support/folder.mjs";
import { SETTINGS } from "../support/gateway.mjs";
import { KEY, SMALL, startProvider } from "../support/module/provider.mjs";
import { freePort } from "../support/port.mjs";
import { openRaw } from "../support/raw.mjs";
import { token } from "../support/token.mjs";
import { startUpstream } from "../support/upstream.mjs";
import { clientOf, TURBO, taskResponse } from "../support/world.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));

/**
 * Starts `wrangler dev`, and resolves to its URL. `configs` are files of configuration, by default the
 * repository's; the first one is the gateway's.
 *
 * @param {Record<string, string>} settings
 * @param {{ port: number, configs?: string[] }} options
 */
async function startWrangler(t, settings, options) {
  const { port, configs = [] } = options;
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

test("after a refused body the next request is served", async (t) => {
  const upstream = await startUpstream(() => taskResponse("QUEUED"));
  t.after(() => upstream.stop());
  const url = await startWrangler(
    t,
    { ...SETTINGS, UPSTREAM_BASE_URL: upstream.url },
    { port: await freePort() },
  );
  const create = (options) => clientOf({ url }).create(undefined, options);
  const body = "x".repeat(3 << 20);
  for (let round = 0; round < 5; round++) {
    const large = await create({ body });
    assert.deepEqual(
      [large.status, large.data.reason, (await create()).status],
      [413, "body_too_large", 200],
    );
    const unknown = await create({ bearer: null, body });
    assert.deepEqual(
      [unknown.status, unknown.data.reason, (await create()).status],
      [401, "no_token", 200],
    );
  }
  const stall = async (authorization) => {
    const connection = await openRaw(url);
    t.after(() => connection.close());
    connection.send(
      `POST /api/app/v1/${TURBO} HTTP/1.1\r\nHost: ${new URL(url).host}\r\n${authorization}Content-Length: 900000\r\n\r\n`,
    );
    connection.send("x".repeat(800_000));
    return connection;
  };
  const known = await stall(`Authorization: Bearer ${token()}\r\n`);
  const unknown = await stall("");
  const first = await Promise.race([known.response, unknown.response]);
  assert.equal(
    first.status,
    401,
    "without a token, a body is not waited for as long as with one",
  );
  assert.equal((await create()).status, 200);
});

test("a module is a second Worker, with a bucket that is a binding", async (t) => {
  const provider = await startProvider();
  t.after(() => provider.stop());
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
  await writeFile(
    module,
    `name = "test-upstream"
main = ${JSON.stringify(join(root, "tests/support/module/upstream.js"))}
compatibility_date = "2026-04-01"

[vars]
PROVIDER_URL = ${JSON.stringify(provider.url)}
PROVIDER_KEY = ${JSON.stringify(KEY)}
`,
  );
  const { UPSTREAM_API_KEY: _, ...secrets } = SETTINGS;
  const port = await freePort();
  const url = await startWrangler(
    t,
    {
      ...secrets,
      UPLOAD_MODE: "bucket",
      BUCKET_PRIVATE: "on",
      PUBLIC_URL: `http://127.0.0.1:${port}`,
    },
    { port, configs: [gateway, module] },
  );
  const media = await connect({ url, token: token() });
  const file = new File([picture(16, 16)], "photo.png", { type: "image/png" });
  const task = await media.imageToVideo({ file_id: file, prompt: "move" });
  const { outputs } = await task.done();
  const response = await fetch(outputs[0].url);
  assert.equal((await response.arrayBuffer()).byteLength, SMALL);
  assert.equal(provider.jobs[0].files[0].first, 0x89);
});
