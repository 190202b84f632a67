// The limit of open files. `serve` checks it at its start, and refuses requests before it is
// reached.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createTranslator } from "../../gateway/src/workerd/messages.js";
import { tellOpenFiles } from "../../gateway/src/workerd/open-files.js";
import { folder } from "../support/folder.mjs";
import { SETTINGS } from "../support/gateway.mjs";
import { request } from "../support/request.mjs";
import { startUpstream } from "../support/upstream.mjs";
import { COMMAND, create, printedBy, upstreamOf } from "./support.mjs";

const SERVER = new URL("../../gateway/src/workerd/server.js", import.meta.url)
  .href;
const onPosix = { skip: process.platform === "win32" };
const onLinux = { skip: process.platform !== "linux" };

/** Runs Node with these arguments under a limit of open files. */
function limited(t, limit, args, options) {
  const child = spawn(
    "sh",
    ["-c", `ulimit -n ${limit} && exec "$@"`, "sh", process.execPath, ...args],
    {
      stdio: ["ignore", "pipe", "pipe"],
      ...options,
    },
  );
  const printed = printedBy(child);
  const ended = once(child, "close");
  t.after(() => {
    child.kill();
    return ended;
  });
  return { printed, ended };
}

test(
  "a start under a low limit is refused with the remedy, and makes no folder",
  onPosix,
  async (t) => {
    const cwd = await folder(t);
    const env = {
      ...process.env,
      ...SETTINGS,
      UPSTREAM_BASE_URL: "https://api.example.com",
    };
    const { printed, ended } = limited(
      t,
      1_024,
      [COMMAND, "serve", "--port", "0"],
      { cwd, env },
    );
    assert.deepEqual(await ended, [1, null]);
    assert.match(
      printed.err,
      /^error: the limit of open files is 1024, and the gateway needs 16384: /,
    );
    for (const remedy of [
      "`ulimit -n 65536`",
      "LimitNOFILE=65536",
      "--ulimit nofile=65536:65536",
    ])
      assert.ok(printed.err.includes(remedy), printed.err);
    assert.deepEqual(await readdir(cwd), []);
  },
);

/** Starts the gateway under this limit, as `serve` does after its check of the limit. */
async function startLimited(t, limit) {
  const cwd = await folder(t);
  const upstream = await upstreamOf(t);
  const options = {
    host: "127.0.0.1",
    port: 0,
    settings: { ...SETTINGS, UPSTREAM_BASE_URL: upstream.url },
    place: "",
    folder: join(cwd, "data"),
    hosts: null,
    proxies: [],
    privateUpstream: true,
    playground: false,
  };
  const source = `import { startServer } from ${JSON.stringify(SERVER)};
const server = await startServer(${JSON.stringify(options)});
console.error(server.url);
process.once("SIGTERM", () => server.stop());`;
  const { printed, ended } = limited(
    t,
    limit,
    ["--input-type=module", "-e", source],
    { cwd },
  );
  let url;
  for (; !url; await sleep(20)) url = /^http:\S+$/m.exec(printed.err)?.[0];
  return { url, printed, ended };
}

/** Opens connections that send nothing. */
async function openIdle(url, count) {
  const { hostname, port } = new URL(url);
  const sockets = [];
  for (let opened = 0; opened < count; opened += 1) {
    const socket = connect(Number(port), hostname).on("error", () => undefined);
    await once(socket, "connect");
    sockets.push(socket);
  }
  return () => {
    for (const socket of sockets) socket.destroy();
  };
}

test(
  "requests are refused while three quarters of the limit are used, and nothing is sent",
  onLinux,
  async (t) => {
    const { url, printed } = await startLimited(t, 1_024);
    assert.equal((await create(url, "first")).status, 200);
    const closeAll = await openIdle(url, 760);
    t.after(closeAll);
    const refused = await firstWith(url, 503);
    assert.deepEqual(refused.data, {
      reason: "overloaded",
      outcome: "not_sent",
    });
    assert.match(refused.message, /too many requests and connections open/);
    assert.equal(refused.headers.get("retry-after"), "2");
    assert.equal(refused.headers.get("access-control-allow-origin"), "*");
    assert.equal((await request(`${url}/healthz`)).status, 200);
    assert.notEqual(
      (await request(`${url}/session`, { method: "OPTIONS" })).status,
      503,
    );
    assert.match(
      printed.out,
      /^\{"code":99,"method":"POST","operation":"overload","reason":"overloaded","status":503,"time":"[^"]+"\}$/m,
    );
    closeAll();
    assert.equal((await firstWith(url, 200)).status, 200);
  },
);

/**
 * Creates until a response has this status, and resolves to it. The gateway checks its files four
 * times a second.
 */
async function firstWith(url, status) {
  for (let number = 0; ; number += 1) {
    const response = await create(url, `key-${number}`);
    if (response.status === status) return response;
    await sleep(50);
  }
}

test(
  "if workerd runs out of files, the command ends and names the limit",
  onLinux,
  async (t) => {
    const { url, printed, ended } = await startLimited(t, 256);
    // The last connections are refused.
    await openIdle(url, 300).catch(() => undefined);
    await ended;
    assert.match(
      printed.err,
      /^error: the limit of open files \(256\) is reached; raise it: `ulimit -n 65536`/m,
    );
  },
);

test(
  "the gateway is told of its open objects all the time, also without requests",
  onLinux,
  async (t) => {
    const gateway = await startUpstream(() => ({ status: 204 }));
    t.after(() => gateway.stop());
    let end = () => {};
    const ended = new Promise((resolve) => (end = () => resolve(0)));
    await tellOpenFiles(`${gateway.url}/told`, { pid: process.pid, ended });
    const told = () => gateway.seen.map(({ body }) => JSON.parse(body));
    assert.equal(told().length, 1, "before the first caller");
    while (told().length < 4) await sleep(20);
    for (const { areShort, objects, at } of told()) {
      assert.equal(areShort, false);
      assert.ok(objects >= 0 && objects < 1_000, `${objects}`);
      assert.ok(Math.abs(Date.now() - at) < 60_000, `${at}`);
    }
    end();
    await sleep(1_000);
    const count = told().length;
    await sleep(1_000);
    assert.equal(told().length, count, "after its end");
  },
);

test("workerd's message about a refused request is printed without the stack and the query, and has a log line", () => {
  const uncaught = "workerd/server/server.c++:1: error: Uncaught exception: ";
  const print = createTranslator();
  const printed = [
    `${uncaught}kj/compat/url.c++:1: failed: url = http://a/?token=canary`,
    "stack: 1",
    `${uncaught}y: failed: jsg.TypeError: Incoming CONNECT on a worker not supported`,
    "stack: 2",
    `${uncaught}workerd/io/worker.c++:1: failed: canary`,
    "stack: 3",
    "stack: 4",
  ].map(print);
  assert.deepEqual(
    printed.flatMap(({ messages }) => messages),
    [
      `${uncaught}kj/compat/url.c++:1: failed: url = http://a/?…`,
      `${uncaught}y: failed: jsg.TypeError: Incoming CONNECT on a worker not supported`,
      `${uncaught}workerd/io/worker.c++:1: failed: canary`,
      "stack: 3",
      "stack: 4",
    ],
  );
  assert.deepEqual(
    printed.flatMap(({ log }) => log.map((line) => JSON.parse(line).reason)),
    ["malformed_request", "malformed_request", "crashed"],
  );
});
