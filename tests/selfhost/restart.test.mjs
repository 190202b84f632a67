// Stops, restarts and changes of settings of `mediagate-gateway serve`, while callers connect.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { request as requestRaw } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { holdSocket } from "../../gateway/src/workerd/socket.js";
import { openEvents } from "../support/events.mjs";
import { folder } from "../support/folder.mjs";
import { SETTINGS } from "../support/gateway.mjs";
import { request } from "../support/request.mjs";
import { startUpstream } from "../support/upstream.mjs";
import { taskResponse } from "../support/world.mjs";
import {
  COMMAND,
  create,
  printedBy,
  prints,
  serve,
  serveActivated,
  served,
  upstreamOf,
} from "./support.mjs";

/**
 * Lets eight callers send one request after another until `stop`, each on a connection of its own.
 * `stop` resolves to the number of responses with 200, and to everything else that happened.
 */
function callers(url) {
  const state = { isOver: false, served: 0, others: [] };
  const call = () =>
    new Promise((resolve) => {
      const sent = requestRaw(`${url}/healthz`, { agent: false }, (response) =>
        resolve(response.resume().statusCode),
      );
      sent.on("error", (error) => resolve(error.message));
      sent.end();
    });
  const all = Array.from({ length: 8 }, async () => {
    while (!state.isOver) {
      const outcome = await call();
      if (outcome === 200) state.served += 1;
      else state.others.push(outcome);
    }
  });
  const stop = async () => {
    state.isOver = true;
    await Promise.all(all);
    return [state.served, state.others];
  };
  return { state, stop };
}

test("SIGHUP changes the settings, and no caller notices", async (t) => {
  const cwd = await folder(t);
  const file = join(cwd, "settings");
  const page = (name) => `ALLOWED_ORIGINS=https://${name}.example\n`;
  await writeFile(file, page("old"));
  const { url, child, prints } = await served(t, {
    cwd,
    polls: Number.POSITIVE_INFINITY,
    args: ["--settings", file],
  });
  const allows = async (name) => {
    const headers = { origin: `https://${name}.example` };
    const reply = await request(`${url}/api/app/v1/models`, { headers });
    return reply.status !== 403;
  };
  assert.deepEqual([await allows("old"), await allows("new")], [true, false]);
  const { data } = await create(url);
  const stream = await openEvents(url, `tasks/${data.task.id}`);
  const connecting = callers(url);

  await writeFile(file, "ALLOWED_ORIGINS=no origin\nRATE_LIMIT_PER_MINUTE=x\n");
  child.kill("SIGHUP");
  const [problems] = await prints(/error: 2 settings are[\s\S]*goes on/);
  assert.match(problems, /ALLOWED_ORIGINS [\s\S]*RATE_LIMIT_PER_MINUTE /);
  assert.equal(await allows("old"), true);

  await writeFile(file, page("new"));
  child.kill("SIGHUP");
  const reader = stream.body.getReader();
  while (!(await reader.read()).done);
  await prints(/has read its settings again/);
  assert.deepEqual([await allows("old"), await allows("new")], [false, true]);
  const read = await request(
    `${url}/api/app/v1/generate/tasks/${data.task.id}`,
  );
  assert.equal(read.status, 200, "its id is still valid");

  const { served: before } = connecting.state;
  while (connecting.state.served === before) await sleep(20);
  const [, others] = await connecting.stop();
  assert.deepEqual(others, []);
});

test("after SIGTERM, a request has DRAIN_SECONDS to finish", async (t) => {
  const upstream = await startUpstream(async () => {
    await sleep(3_000);
    return taskResponse("QUEUED");
  });
  t.after(() => upstream.stop());
  for (const [seconds, isCut] of /** @type {const} */ ([
    ["60", false],
    ["0", true],
  ])) {
    const { url, stop } = await serve(t, upstream.url, {
      cwd: await folder(t),
      settings: { DRAIN_SECONDS: seconds },
    });
    const seen = upstream.seen.length;
    const created = create(url).catch(() => undefined);
    while (upstream.seen.length === seen) await sleep(20);
    assert.equal(await stop(), 0);
    assert.equal((await created)?.status, isCut ? undefined : 200);
  }
});

test("a wrong DRAIN_SECONDS is refused", async (t) => {
  const { url } = await upstreamOf(t);
  const settings = { DRAIN_SECONDS: "8s" };
  await assert.rejects(
    serve(t, url, { cwd: await folder(t), settings }),
    /DRAIN_SECONDS is "8s"; it is the whole seconds from 0 to 600/,
  );
});

test("with a socket of systemd's, a restart of the command fails no caller", async (t) => {
  const cwd = await folder(t);
  const upstream = await upstreamOf(t);
  // systemd's part: a socket that listens, and outlives the command.
  const { fd, port, close } = await holdSocket("127.0.0.1", 0);
  t.after(close);
  const url = `http://127.0.0.1:${port}`;
  const start = () => serveActivated(t, upstream.url, { cwd, fd });
  const first = await start();
  const connecting = callers(url);
  while (connecting.state.served < 8) await sleep(20);
  assert.deepEqual(await first.stop(), [0, null]);
  await start();
  const { served: before } = connecting.state;
  while (connecting.state.served < before + 16) await sleep(20);
  const [, others] = await connecting.stop();
  assert.deepEqual(others, []);
});

for (const [name, args] of /** @type {const} */ ([
  ["npm start", ["npm", "start", "--silent"]],
  ["npx", ["npx", "mediagate-gateway", "serve", "--port", "0"]],
]))
  test(`a gateway that ${name} has started ends with it, also after a kill`, async (t) => {
    const cwd = await folder(t);
    const scripts = { start: "mediagate-gateway serve --port 0" };
    await writeFile(join(cwd, "package.json"), JSON.stringify({ scripts }));
    await mkdir(join(cwd, "node_modules/.bin"), { recursive: true });
    await symlink(COMMAND, join(cwd, "node_modules/.bin/mediagate-gateway"));
    const [program, ...rest] = args;
    const child = spawn(program, rest, {
      cwd,
      env: {
        ...process.env,
        ...SETTINGS,
        UPSTREAM_BASE_URL: "https://h.example",
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [, url] = await prints(
      printedBy(child),
      /the gateway serves (\S+);/,
      once(child, "exit"),
    );
    child.kill("SIGKILL");
    while (existsSync(join(cwd, "mediagate-data/gateway.lock")))
      await sleep(50);
    await assert.rejects(fetch(`${url}/healthz`));
    // The next start is not refused.
    await serve(t, "https://h.example", { cwd });
  });
