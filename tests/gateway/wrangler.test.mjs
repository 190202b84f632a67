// Runs under `wrangler dev`, which reuses connections. A refused body must not break the next
// request.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { SETTINGS } from "../support/gateway.mjs";
import { freePort } from "../support/port.mjs";
import { openRaw } from "../support/raw.mjs";
import { request } from "../support/request.mjs";
import { token } from "../support/token.mjs";
import { startUpstream } from "../support/upstream.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const CREATE = "/api/app/v1/generate/image/text_to_image_turbo";

/** Starts `wrangler dev` with the repository's configuration. */
async function startWrangler(settings) {
  const port = await freePort();
  const state = await mkdtemp(join(tmpdir(), "mediagate-wrangler-"));
  const vars = Object.entries({ ...SETTINGS, ...settings }).flatMap(
    ([name, value]) => ["--var", `${name}:${value}`],
  );
  const args = [
    "dev",
    "--ip",
    "127.0.0.1",
    "--port",
    String(port),
    "--persist-to",
    state,
    ...vars,
  ];
  const env = { ...process.env, CI: "true", WRANGLER_LOG_PATH: state };
  // In a group of its own, because wrangler starts further processes.
  const child = spawn(`${root}node_modules/.bin/wrangler`, args, {
    cwd: root,
    env,
    detached: true,
    stdio: "ignore",
  });
  const url = `http://127.0.0.1:${port}`;
  const stop = async () => {
    process.kill(-(/** @type {number} */ (child.pid)), "SIGTERM");
    if (child.exitCode === null && child.signalCode === null)
      await once(child, "exit");
    await rm(state, { recursive: true, force: true });
  };
  for (
    const end = Date.now() + 60_000;
    Date.now() < end;
    await new Promise((resolve) => setTimeout(resolve, 100))
  ) {
    const response = await fetch(`${url}/healthz`).catch(() => undefined);
    if (response?.ok) return { url, stop };
  }
  await stop();
  throw new Error("wrangler dev has not started within a minute");
}

test("after a refused body the next request is served", async () => {
  const upstream = await startUpstream(() => ({
    json: { code: 0, data: { task: { id: "t", status: "QUEUED" } } },
  }));
  const wrangler = await startWrangler({ UPSTREAM_BASE_URL: upstream.url });
  const next = async () =>
    (await request(wrangler.url + CREATE, { body: { prompt: "p" } })).status;
  try {
    for (let round = 0; round < 5; round++) {
      const large = await request(wrangler.url + CREATE, {
        body: "x".repeat(3 << 20),
      });
      assert.deepEqual(
        [large.status, large.data.reason, await next()],
        [413, "body_too_large", 200],
      );
      const unknown = await request(wrangler.url + CREATE, {
        bearer: null,
        body: "x".repeat(3 << 20),
      });
      assert.deepEqual(
        [unknown.status, unknown.data.reason, await next()],
        [401, "no_token", 200],
      );
    }
    const stall = async (authorization) => {
      const connection = await openRaw(wrangler.url);
      const host = `Host: ${new URL(wrangler.url).host}`;
      connection.send(
        `POST ${CREATE} HTTP/1.1\r\n${host}\r\n${authorization}Content-Length: 900000\r\n\r\n`,
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
    assert.equal(await next(), 200);
    known.close();
    unknown.close();
  } finally {
    await Promise.all([wrangler.stop(), upstream.stop()]);
  }
});
