// Tests a project with Next.js: a client component, a server component, and a route.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { SETTINGS } from "../../support/gateway.mjs";
import { token } from "../../support/token.mjs";
import { TIMEOUT_MS, within } from "../../support/within.mjs";
import { run, tool } from "./install.mjs";
import { assertWorks } from "./suite.mjs";

/** Serves the project on a free port, built or in development (`dev`). */
async function start(t, folder, command) {
  const env = {
    ...process.env,
    NEXT_TELEMETRY_DISABLED: "1",
    SESSION_SECRET: SETTINGS.SESSION_SECRET,
  };
  const server = spawn(
    process.execPath,
    [tool("next"), command, "-H", "127.0.0.1", "-p", "0"],
    { cwd: folder, env, stdio: ["ignore", "pipe", "inherit"] },
  );
  const ended = new Promise((resolve) => server.once("exit", resolve));
  t.after(async () => {
    server.kill("SIGTERM");
    await ended;
  });
  return within(
    TIMEOUT_MS,
    `the start of next ${command}`,
    urlIn(server.stdout),
  );
}

/** Resolves to the URL that next prints once it listens. */
async function urlIn(output) {
  for await (const line of createInterface({ input: output })) {
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
    if (url) {
      output.resume();
      return url;
    }
  }
  throw new Error("next exited before it listened");
}

const shown = (page) =>
  JSON.parse(
    decodeURIComponent(/data-outcome="([^"]*)"/.exec(page)?.[1] ?? ""),
  );

/**
 * Asserts that the gateway accepts a token of the session route, and that only a signed-in user
 * gets one, by `POST`.
 */
async function assertIssues(url, gateway) {
  const send = (method, headers) =>
    fetch(`${url}/session`, { method, headers });
  const { data } = /** @type {any} */ (
    await (await send("POST", { "x-user": "alice" })).json()
  );
  const query = new URLSearchParams({ gateway, token: data.session.token });
  assertWorks(await (await fetch(`${url}/server?${query}`)).json());
  assert.deepEqual(
    [(await send("POST")).status, (await send("GET")).status],
    [401, 405],
  );
}

async function assertComponentWorks(url, query) {
  assertWorks(shown(await (await fetch(`${url}/component?${query}`)).text()));
}

/**
 * Asserts that each part works in development, where Next.js builds a part when it is requested.
 */
export async function assertWorksInDevelopment(t, suited) {
  const folder = await suited.project(t, "page", "next");
  const url = await start(t, folder, "dev");
  assertWorks((await suited.open(t, url)).outcome);
  const query = new URLSearchParams({
    gateway: await suited.gateway(),
    token: token(),
  });
  assertWorks(await (await fetch(`${url}/server?${query}`)).json());
  await assertComponentWorks(url, query);
  await assertIssues(url, query.get("gateway"));
}

export async function assertWorksBuiltBy(bundler, t, suited) {
  const folder = await suited.project(t, "page", "next");
  await run(process.execPath, [tool("next"), "build", bundler], folder);
  const url = await start(t, folder, "start");
  const served = await (await fetch(url)).text();
  assert.match(served, /data-guard="false"/);
  const { outcome, lines } = await suited.open(t, url);
  assertWorks(outcome);
  assert.deepEqual(lines, []);
  const query = new URLSearchParams({
    gateway: await suited.gateway(),
    token: token(),
  });
  for (const path of ["/server", "/inline"])
    assertWorks(await (await fetch(`${url}${path}?${query}`)).json());
  await assertComponentWorks(url, query);
  await assertIssues(url, query.get("gateway"));
}
