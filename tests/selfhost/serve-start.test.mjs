// The start and the end of `mediagate-gateway serve`: its checks, its notes, and the rest after a
// kill.
import assert from "node:assert/strict";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { folder } from "../support/folder.mjs";
import { SETTINGS } from "../support/gateway.mjs";
import { request } from "../support/request.mjs";
import {
  command,
  create,
  processes,
  readyOnce,
  run,
  serve,
  upstreamOf,
} from "./support.mjs";

test("an error names the setting and the remedy, and never the value", async (t) => {
  const cwd = await folder(t);
  await writeFile(
    join(cwd, "settings"),
    "UPSTREAM_BASE_URL=http://127.0.0.1:1\nSEAL_SECRTE=canary-canary\n",
  );
  await writeFile(join(cwd, "broken"), "UPSTREAM_API_KEY: sk-canary/abc==\n");
  await writeFile(join(cwd, "cut"), "UPSTREAM_API_KEY=canary#canary\n");
  await writeFile(
    join(cwd, "found.toml"),
    '# canary\n[vars]\nUPSTREAM_BASE_URL = "http://127.0.0.1:1"\n[vars.UPSTREAM_DIALECT.states]\nFAILED = ["no"]\n',
  );
  const env = { ...SETTINGS, UPSTREAM_BASE_URL: "https://api.example.com" };
  for (const [args, environment, code, message] of /** @type {const} */ ([
    [
      ["--settings", "settings"],
      {},
      1,
      /settings sets SEAL_SECRTE, which is no setting of the gateway; did you mean SEAL_SECRET\?/,
    ],
    [
      ["--settings", "broken"],
      {},
      1,
      /broken has a line that does not begin with a name and =/,
    ],
    [
      ["--settings", "cut"],
      {},
      1,
      /cut has a # inside the value of UPSTREAM_API_KEY, .*quotes/,
    ],
    [["--settings", "absent"], {}, 1, /absent can't be read \(ENOENT\)/],
    [
      ["--settings", "found.toml"],
      {},
      1,
      /on this machine, .* --private-upstream/,
    ],
    [
      ["--private-upstream"],
      { ...env, INPUT_HOSTS: "*" },
      1,
      /INPUT_HOSTS is \*, .* --private-upstream/,
    ],
    [["--port", "http"], env, 2, /--port is "http"; a port is a number/],
    [
      ["--trust-proxy", "10.0.0.0/33"],
      env,
      2,
      /--trust-proxy has "10.0.0.0\/33"/,
    ],
    [
      ["--prot", "1"],
      env,
      2,
      /no option --prot \(did you mean --port\?\); .*--help/,
    ],
  ])) {
    const ended = await run(t, ["serve", "--port", "0", ...args], {
      cwd,
      env: { ...environment },
    });
    assert.match(ended.err, message);
    assert.equal(ended.code, code);
    assert.ok(!ended.err.includes("canary"), ended.err);
  }
});

test("all missing or wrong settings are listed together, and the folder of data is not made", async (t) => {
  const cwd = await folder(t);
  const env = { SESSION_SECRET: "canary", DEFAULT_BUDGET: "canary" };
  const { code, err } = await run(
    t,
    ["serve", "--port", "0", "--data", "made/here"],
    { cwd, env },
  );
  assert.equal(code, 1);
  assert.match(err, /^error: 5 settings are missing or wrong:$/m);
  for (const line of [
    /^ {2}UPSTREAM_BASE_URL is missing: the media service's address/m,
    /^ {2}UPSTREAM_API_KEY is missing: your key at the media service$/m,
    /^ {2}SESSION_SECRET has a key shorter than 32 bytes: .*`openssl rand -hex 32` makes one$/m,
    /^ {2}SEAL_SECRET is missing: .*`openssl rand -hex 32` makes one$/m,
    /^ {2}DEFAULT_BUDGET is not a /m,
  ])
    assert.match(err, line);
  assert.match(
    err,
    /^Set each in the environment, or in the file that --settings names\.$/m,
  );
  assert.ok(!err.includes("canary"));
  assert.deepEqual(await readdir(cwd), []);
});

test("a media service whose name only has private addresses causes a note at the start", async (t) => {
  for (const [addresses, isNoted] of /** @type {const} */ ([
    [["10.0.0.7", "fd00::7"], true],
    [["10.0.0.7", "203.0.113.7"], false],
  ])) {
    const env = {
      ...SETTINGS,
      UPSTREAM_BASE_URL: "https://media.example",
      NODE_OPTIONS: resolvingTo(addresses),
    };
    const started = command(t, ["serve", "--port", "0"], {
      cwd: await folder(t),
      env,
    });
    await started.prints(/the gateway serves/);
    await started.stop();
    const note =
      /note: media\.example is in a private network \(10\.0\.0\.7, fd00::7\).*--private-upstream/;
    assert.equal(note.test(started.printed.err), isNoted, started.printed.err);
  }
});

/** Makes Node resolve every name to these addresses. */
function resolvingTo(addresses) {
  const listed = JSON.stringify(addresses.map((address) => ({ address })));
  const source = `import dns from "node:dns/promises"; import { syncBuiltinESMExports } from "node:module";
dns.lookup = async () => ${listed}; syncBuiltinESMExports();`;
  return `--import=data:text/javascript,${encodeURIComponent(source)}`;
}

test("an error names a folder for temporary files that can't be used", async (t) => {
  const cwd = await folder(t);
  const env = {
    ...SETTINGS,
    UPSTREAM_BASE_URL: "https://api.example.com",
    TMPDIR: join(cwd, "no-such"),
  };
  const { code, err } = await run(t, ["serve", "--port", "0"], { cwd, env });
  assert.equal(code, 1);
  assert.match(
    err,
    /^error: the gateway can't be prepared in .*no-such \(ENOENT\); .* name another folder in TMPDIR\n$/,
  );
});

test("a killed command ends workerd too, and leaves no file but its data", async (t) => {
  const cwd = await folder(t);
  const temporary = await folder(t);
  const upstream = await upstreamOf(t);
  const first = await serve(t, upstream.url, {
    cwd,
    settings: { TMPDIR: temporary },
  });
  const created = await create(first.url);
  const { workerd } = await processes(cwd);
  assert.equal(await first.stop("SIGKILL"), "SIGKILL");
  await ended(workerd);
  assert.deepEqual(await readdir(temporary), []);
  const second = await serve(t, upstream.url, { cwd });
  assert.equal((await create(second.url)).data.task.id, created.data.task.id);
});

test("a command that is killed while workerd is paused ends workerd too", async (t) => {
  const cwd = await folder(t);
  const upstream = await upstreamOf(t);
  const { stop } = await serve(t, upstream.url, { cwd });
  const { workerd } = await processes(cwd);
  process.kill(workerd, "SIGSTOP");
  const start = Date.now();
  await stop("SIGKILL");
  await ended(workerd);
  assert.ok(
    Date.now() - start < 4_000,
    "SIGTERM ended it, and not the SIGKILL after five seconds",
  );
});

/** Resolves once a process is gone. */
async function ended(pid) {
  while (isRunning(pid)) await sleep(20);
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test("a folder of data that can't be written to makes /readyz a 503 with the reason, until it can", async (t) => {
  const cwd = await folder(t);
  const upstream = await upstreamOf(t);
  const { url, printed, stop } = await serve(t, upstream.url, { cwd });
  assert.equal((await request(`${url}/readyz`)).status, 200);
  // A folder of that name prevents the file, also for root.
  const inTheWay = join(cwd, "mediagate-data/readiness.tmp");
  await mkdir(inTheWay);
  await writeFile(join(inTheWay, "file"), "");
  const refused = await readyOnce(url, 503);
  assert.equal(
    refused.message,
    "the gateway can't write in its folder of data: EISDIR; creates fail until it can",
  );
  assert.equal(refused.data.reason, "storage");
  assert.equal(
    (await request(`${url}/healthz`)).status,
    200,
    "a restart would not help",
  );
  for (const [path, status] of [
    ["readyz", 503],
    ["healthz", 200],
  ]) {
    const head = await fetch(`${url}/${path}`, { method: "HEAD" });
    assert.deepEqual([head.status, await head.text()], [status, ""]);
  }
  await rm(inTheWay, { recursive: true });
  await readyOnce(url, 200);
  await stop();
  assert.match(
    printed.out,
    /^\{"code":99,"method":"GET","operation":"ready","reason":"storage","status":503,"time":"[^"]+"\}$/m,
  );
  assert.ok(
    !(await readdir(join(cwd, "mediagate-data"))).includes("readiness.tmp"),
  );
});

test("an error names a taken port", async (t) => {
  const upstream = await upstreamOf(t);
  const { port } = new URL(upstream.url);
  const env = { ...SETTINGS, UPSTREAM_BASE_URL: upstream.url };
  const ended = await run(t, ["serve", "--port", port, "--private-upstream"], {
    cwd: await folder(t),
    env,
  });
  assert.equal(ended.code, 1);
  assert.match(ended.err, new RegExp(`port ${port} .*taken`));
});

test("an error names a host that is not of this machine, and the remedy", async (t) => {
  const env = { ...SETTINGS, UPSTREAM_BASE_URL: "https://api.example.com" };
  for (const [host, reason] of /** @type {const} */ ([
    ["gateway.invalid", /which is no address, and no name that resolves/],
    ["203.0.113.250", /which is no address of this machine/],
    ["", /which is no address/],
  ])) {
    const args = ["serve", "--port", "0", "--host", host];
    const ended = await run(t, args, { cwd: await folder(t), env });
    assert.equal(ended.code, 1);
    assert.match(ended.err, reason);
    assert.match(
      ended.err,
      new RegExp(`^error: --host is "${host}", .*; pass 127\\.0\\.0\\.1 .*\n$`),
    );
  }
});

test("a signal during the start leaves no workerd behind", async (t) => {
  const cwd = await folder(t);
  const upstream = await upstreamOf(t);
  const env = { ...SETTINGS, UPSTREAM_BASE_URL: upstream.url };
  const started = command(t, ["serve", "--port", "0", "--private-upstream"], {
    cwd,
    env,
  });
  const workerd = await startedWorkerd(cwd);
  assert.equal(await started.stop(), 0);
  assert.throws(() => process.kill(workerd, 0), { code: "ESRCH" });
});

/** Resolves to the process of workerd as soon as it is started. */
async function startedWorkerd(cwd) {
  for (;;) {
    const { workerd } = await processes(cwd).catch(() => ({
      workerd: undefined,
    }));
    if (workerd !== undefined) return workerd;
    await sleep(5);
  }
}
