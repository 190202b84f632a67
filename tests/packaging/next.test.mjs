// In Next.js, built by each of its bundlers: a client component, a server component, and a route.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { token } from "../support/token.mjs";
import { run, tool } from "./support/install.mjs";
import { assertWorks, suite } from "./support/suite.mjs";

const suited = suite();

/** Serves the built project on a free port. */
async function start(t, folder) {
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: "1" };
  const server = spawn(process.execPath, [tool("next"), "start", "-H", "127.0.0.1", "-p", "0"], { cwd: folder, env });
  const ended = new Promise((resolve) => server.once("exit", resolve));
  t.after(async () => {
    server.kill("SIGTERM");
    await ended;
  });
  for await (const line of createInterface({ input: server.stdout })) {
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
    if (url) {
      server.stdout.resume();
      return url;
    }
  }
  throw new Error("next exited before it listened");
}

for (const bundler of ["--turbopack", "--webpack"]) {
  test(`next build ${bundler}: a client component works, and so does the server`, async (t) => {
    const folder = await suited.project(t, "page", "next");
    await run(process.execPath, [tool("next"), "build", bundler], folder);
    const url = await start(t, folder);
    const served = await (await fetch(url)).text();
    assert.match(served, /data-guard="false"/);
    const { outcome, lines } = await suited.open(t, url);
    assertWorks(outcome);
    assert.deepEqual(lines, []);
    const query = new URLSearchParams({ gateway: await suited.gateway(t), token: token() });
    const call = async (path) => (await fetch(`${url}${path}?${query}`)).json();
    const server = await call("/server");
    // Next's webpack replaces the file's path by a URL path of the site, which the server cannot open.
    if (bundler === "--webpack") assert.match(server.message, /mediagate\/inline/);
    else assertWorks(server);
    assertWorks(await call("/inline"));
  });
}
