// `mediagate-gateway serve`: the gateway on workerd, as a server of one's own.
import assert from "node:assert/strict";
import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { SETTINGS } from "../support/gateway.mjs";
import { sendRaw } from "../support/raw.mjs";
import { request } from "../support/request.mjs";
import { token } from "../support/token.mjs";
import { startUpstream } from "../support/upstream.mjs";
import { command, folder, healthOnce, run, serve } from "./support.mjs";

const CREATE = "/api/app/v1/generate/image/text_to_image_turbo";
const SIGNING_KEY = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/** An upstream whose tasks take this many polls; `creates` counts. */
async function upstreamOf(t, polls = 1) {
  const counted = { creates: 0, polls: 0 };
  const upstream = await startUpstream(({ method }) => {
    if (method === "POST") counted.creates += 1;
    else counted.polls += 1;
    const status = method === "POST" || counted.polls < polls ? "QUEUED" : "SUCCEEDED";
    return { json: { code: 0, data: { task: { id: "t", status, output_url: "https://h.example/a.png" } } } };
  });
  t.after(() => upstream.stop());
  return { ...upstream, counted };
}

const create = (url, key = "a-key-of-this-test", options = {}) =>
  request(`${url}${CREATE}`, { body: { prompt: "p" }, headers: { "idempotency-key": key }, ...options });

test("a create is sent once, also after a restart, and its id stays valid", async (t) => {
  const cwd = await folder(t);
  const upstream = await upstreamOf(t);
  const first = await serve(t, upstream.url, { cwd });
  const created = await create(first.url);
  assert.equal(created.status, 200, created.text);
  assert.equal(await first.stop(), 0);
  const second = await serve(t, upstream.url, { cwd });
  const repeated = await create(second.url);
  assert.equal(repeated.headers.get("idempotent-replayed"), "true");
  assert.equal(repeated.data.task.id, created.data.task.id);
  assert.equal(upstream.counted.creates, 1);
  const read = await request(`${second.url}/api/app/v1/generate/tasks/${created.data.task.id}`);
  assert.equal(read.data?.task.state, "SUCCEEDED", read.text);
});

test("it has one line of JSON for each request, without secrets and prompts", async (t) => {
  const upstream = await upstreamOf(t);
  const { url, printed, stop } = await serve(t, upstream.url, { cwd: await folder(t) });
  await create(url);
  await request(`${url}/nothing-here`);
  await stop();
  const lines = printed.out
    .trim()
    .split("\n")
    .map((it) => JSON.parse(it));
  assert.deepEqual(
    lines.filter((it) => it.operation !== "health").map((it) => [it.operation, it.status]),
    [
      ["text_to_image_turbo", 200],
      ["asset", 404],
    ],
  );
  for (const secret of Object.values(SETTINGS)) assert.ok(!(printed.out + printed.err).includes(secret));
});

test("a watched task is followed to its end after a kill", async (t) => {
  const cwd = await folder(t);
  const upstream = await upstreamOf(t, 4);
  const backend = await startUpstream(() => ({ status: 204 }));
  t.after(() => backend.stop());
  const settings = { WEBHOOK_URLS: `${backend.url}/hook`, WEBHOOK_LOOPBACK: "on", WEBHOOK_SECRET: SIGNING_KEY };
  const first = await serve(t, upstream.url, { cwd, settings });
  const created = await create(first.url);
  const { workerd } = await processes(cwd);
  process.kill(workerd, "SIGKILL");
  assert.equal(await first.ended, 1);
  assert.match(first.printed.err, /error: the gateway has ended \(SIGKILL\)/);
  assert.equal(backend.seen.length, 0);
  await serve(t, upstream.url, { cwd, settings });
  while (backend.seen.length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
  const [{ body, headers }] = backend.seen;
  const event = /** @type {any} */ (new Webhook(SIGNING_KEY).verify(body, headers));
  assert.equal(event.data.task.id, created.data.task.id);
  assert.equal(event.data.task.state, "SUCCEEDED");
});

/** The processes that use the folder of data. */
async function processes(cwd) {
  const {
    pids: [, workerd],
  } = JSON.parse(await readFile(join(cwd, "mediagate-data/gateway.lock"), "utf8"));
  return { workerd };
}

test("a stop ends an open stream, and takes a limited time", async (t) => {
  const upstream = await upstreamOf(t, Number.POSITIVE_INFINITY);
  const { url, stop } = await serve(t, upstream.url, { cwd: await folder(t) });
  const { data } = await create(url);
  const stream = await fetch(`${url}/api/app/v1/tasks/${data.task.id}/events`, {
    headers: { authorization: `Bearer ${token()}` },
  });
  assert.equal(stream.headers.get("content-type"), "text/event-stream");
  const reader = stream.body.getReader();
  await reader.read();
  const start = Date.now();
  assert.equal(await stop(), 0);
  assert.ok(Date.now() - start < 15_000, `${Date.now() - start} ms`);
  await assert.rejects(async () => {
    for (;;) if ((await reader.read()).done) throw new Error("it ended");
  });
});

test("a signal during the start leaves no workerd behind", async (t) => {
  const cwd = await folder(t);
  const upstream = await upstreamOf(t);
  const env = { ...SETTINGS, UPSTREAM_BASE_URL: upstream.url };
  const started = command(t, ["serve", "--port", "0", "--private-upstream"], { cwd, env });
  const workerd = await startedWorkerd(cwd);
  assert.equal(await started.stop(), 0);
  assert.throws(() => process.kill(workerd, 0), { code: "ESRCH" });
});

/** The process of workerd, as soon as it is started. */
async function startedWorkerd(cwd) {
  for (;;) {
    const { workerd } = await processes(cwd).catch(() => ({ workerd: undefined }));
    if (workerd !== undefined) return workerd;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

test("a second gateway does not use the folder of the first", async (t) => {
  const cwd = await folder(t);
  const upstream = await upstreamOf(t);
  const first = await serve(t, upstream.url, { cwd });
  const env = { ...SETTINGS, UPSTREAM_BASE_URL: upstream.url };
  const second = await run(t, ["serve", "--port", "0", "--private-upstream"], { cwd, env });
  assert.equal(second.code, 1);
  assert.match(
    second.err,
    /error: the folder .*mediagate-data is in use by another gateway \(process (\d+)\); end it with `kill \1`, or take/,
  );
  assert.equal((await create(first.url)).status, 200);
});

test("of several that start at once on a folder, one serves", async (t) => {
  const cwd = await folder(t);
  const upstream = await upstreamOf(t);
  const env = { ...SETTINGS, UPSTREAM_BASE_URL: upstream.url };
  const args = ["serve", "--port", "0", "--private-upstream"];
  const started = [1, 2, 3].map(() => command(t, args, { cwd, env }));
  const serves = (it) => it.prints(/the gateway serves/).then(() => it);
  const first = await Promise.any(started.map(serves));
  for (const other of started.filter((it) => it !== first)) {
    assert.equal(await other.ended, 1);
    assert.match(other.printed.err, /is in use by another gateway/);
  }
});

test("the data is for this user alone, also in a folder that others may read", async (t) => {
  const cwd = await folder(t);
  await mkdir(join(cwd, "mediagate-data"), { mode: 0o755 });
  const upstream = await upstreamOf(t);
  const { url } = await serve(t, upstream.url, { cwd });
  await create(url);
  const entries = await readdir(join(cwd, "mediagate-data"), { recursive: true });
  const databases = entries.filter((it) => it.endsWith(".sqlite"));
  assert.ok(databases.length > 0);
  for (const it of databases) assert.equal((await stat(join(cwd, "mediagate-data", it))).mode & 0o077, 0, it);
});

test("what a caller sends cannot control the operator's terminal", async (t) => {
  const upstream = await upstreamOf(t);
  const { url, printed, stop } = await serve(t, upstream.url, { cwd: await folder(t) });
  await sendRaw(url, "GET / HTTP/1.1", "", "\x1b]0;canary\x07");
  await stop();
  assert.match(printed.err, /\\x1b\]0;canary\\x07/);
  assert.ok(![..."\x1b\x07"].some((it) => `${printed.out}${printed.err}`.includes(it)));
});

test("what is wrong is named, with the remedy, and never with its value", async (t) => {
  const cwd = await folder(t);
  await writeFile(join(cwd, "settings"), "UPSTREAM_BASE_URL=http://127.0.0.1:1\nSEAL_SECRTE=canary-canary\n");
  await writeFile(join(cwd, "broken"), "UPSTREAM_API_KEY: sk-canary/abc==\n");
  await writeFile(join(cwd, "local"), "UPSTREAM_BASE_URL=http://127.0.0.1:1\n");
  const env = { ...SETTINGS, UPSTREAM_BASE_URL: "https://api.example.com" };
  for (const [args, environment, code, message] of /** @type {const} */ ([
    [["--settings", "settings"], {}, 1, /settings sets SEAL_SECRTE, which is no setting of the gateway; take it out/],
    [["--settings", "broken"], {}, 1, /broken has a line that does not begin with a name and =/],
    [["--settings", "absent"], {}, 1, /absent can't be read \(ENOENT\)/],
    [["--settings", "local"], {}, 1, /on this machine, .* --private-upstream/],
    [[], { ...env, UPSTREAM_BASE_URL: "https://10.0.0.7/" }, 1, /in a private network, .* --private-upstream/],
    [[], { ...env, UPSTREAM_BASE_URL: "https://[::ffff:10.0.0.7]" }, 1, /in a private network, .* --private-upstream/],
    [[], { ...env, SEAL_SECRET: "canary-canary" }, 1, /SEAL_SECRET holds a key shorter than 32 bytes: it encrypts/],
    [[], { ...SETTINGS }, 1, /UPSTREAM_BASE_URL is missing: the media service's address/],
    [["--port", "http"], env, 2, /--port is "http"; a port is a number/],
    [["--trust-proxy", "10.0.0.0/33"], env, 2, /--trust-proxy has "10.0.0.0\/33"/],
    [["--trust-proxy", "proxy.example.com"], env, 2, /neither an address nor a network/],
    [["--prot", "1"], env, 2, /no option --prot \(did you mean --port\?\); .*--help/],
  ])) {
    const ended = await run(t, ["serve", "--port", "0", ...args], { cwd, env: { ...environment } });
    assert.match(ended.err, message);
    assert.equal(ended.code, code);
    assert.ok(!ended.err.includes("canary"), ended.err);
  }
});

test("every setting that is missing or wrong is named at once, and the folder of data is not made", async (t) => {
  const cwd = await folder(t);
  const env = { SESSION_SECRET: "canary", DEFAULT_BUDGET: "canary" };
  const { code, err } = await run(t, ["serve", "--port", "0", "--data", "made/here"], { cwd, env });
  assert.equal(code, 1);
  assert.match(err, /^error: 5 settings are missing or wrong:$/m);
  for (const line of [
    /^ {2}UPSTREAM_BASE_URL is missing: the media service's address/m,
    /^ {2}UPSTREAM_API_KEY is missing: your key at the media service$/m,
    /^ {2}SESSION_SECRET holds a key shorter than 32 bytes: .*`openssl rand -hex 32` makes one$/m,
    /^ {2}SEAL_SECRET is missing: .*`openssl rand -hex 32` makes one$/m,
    /^ {2}DEFAULT_BUDGET is no /m,
  ])
    assert.match(err, line);
  assert.match(err, /^Set each in the environment, or as a line NAME=value of the file that --settings names\.$/m);
  assert.ok(!err.includes("canary"));
  assert.deepEqual(await readdir(cwd), []);
});

test("a media service whose name has private addresses alone is noted at the start", async (t) => {
  for (const [addresses, isNoted] of /** @type {const} */ ([
    [["10.0.0.7", "fd00::7"], true],
    [["10.0.0.7", "203.0.113.7"], false],
  ])) {
    const env = { ...SETTINGS, UPSTREAM_BASE_URL: "https://media.example", NODE_OPTIONS: resolvingTo(addresses) };
    const started = command(t, ["serve", "--port", "0"], { cwd: await folder(t), env });
    await started.prints(/the gateway serves/);
    await started.stop();
    const note = /note: media\.example is in a private network \(10\.0\.0\.7, fd00::7\).*--private-upstream/;
    assert.equal(note.test(started.printed.err), isNoted, started.printed.err);
  }
});

/** Has Node resolve every name to these addresses. */
function resolvingTo(addresses) {
  const listed = JSON.stringify(addresses.map((address) => ({ address })));
  const source = `import dns from "node:dns/promises"; import { syncBuiltinESMExports } from "node:module";
dns.lookup = async () => ${listed}; syncBuiltinESMExports();`;
  return `--import=data:text/javascript,${encodeURIComponent(source)}`;
}

test("a folder for temporary files that can't be used is named", async (t) => {
  const cwd = await folder(t);
  const env = { ...SETTINGS, UPSTREAM_BASE_URL: "https://api.example.com", TMPDIR: join(cwd, "no-such") };
  const { code, err } = await run(t, ["serve", "--port", "0"], { cwd, env });
  assert.equal(code, 1);
  assert.match(
    err,
    /^error: the gateway can't be prepared in .*no-such \(ENOENT\); .* name another folder in TMPDIR\n$/,
  );
});

test("killed, the command takes workerd with it, and leaves no file but its data", async (t) => {
  const cwd = await folder(t);
  const [temporary, other] = await Promise.all([folder(t), folder(t)]);
  const upstream = await upstreamOf(t);
  const first = await serve(t, upstream.url, { cwd, settings: { TMPDIR: temporary } });
  const beside = await serve(t, upstream.url, { cwd: other });
  const created = await create(first.url);
  const { workerd } = await processes(cwd);
  assert.equal(await first.stop("SIGKILL"), "SIGKILL");
  await ended(workerd);
  assert.deepEqual(await readdir(temporary), []);
  const second = await serve(t, upstream.url, { cwd });
  assert.equal((await create(second.url)).data.task.id, created.data.task.id);
  assert.equal((await create(beside.url)).status, 200);
});

/** Resolves once a process is gone. */
async function ended(pid) {
  while (isRunning(pid)) await new Promise((resolve) => setTimeout(resolve, 20));
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test("a folder of data that can't be written to makes /healthz a 503 with the reason, until it can", async (t) => {
  const cwd = await folder(t);
  const upstream = await upstreamOf(t);
  const { url, printed, stop } = await serve(t, upstream.url, { cwd });
  assert.equal((await request(`${url}/healthz`)).status, 200);
  // A folder of that name is in the way, also for root.
  const inTheWay = join(cwd, "mediagate-data/readiness.tmp");
  await mkdir(inTheWay);
  await writeFile(join(inTheWay, "file"), "");
  const refused = await healthOnce(url, 503);
  assert.equal(refused.message, "the gateway can't write in its folder of data: EISDIR; creates fail until it can");
  assert.equal(refused.data.reason, "storage");
  await rm(inTheWay, { recursive: true });
  await healthOnce(url, 200);
  await stop();
  assert.match(printed.out, /^\{"code":99,"operation":"health","reason":"storage","status":503\}$/m);
  assert.ok(!(await readdir(join(cwd, "mediagate-data"))).includes("readiness.tmp"));
});

test("a taken port is named", async (t) => {
  const upstream = await upstreamOf(t);
  const { port } = new URL(upstream.url);
  const env = { ...SETTINGS, UPSTREAM_BASE_URL: upstream.url };
  const ended = await run(t, ["serve", "--port", port, "--private-upstream"], { cwd: await folder(t), env });
  assert.equal(ended.code, 1);
  assert.match(ended.err, new RegExp(`port ${port} .*taken`));
});

/** The statuses of requests for anonymous sessions, of which an address gets two a minute, each with these headers. */
async function sessions(t, args, headers) {
  const upstream = await upstreamOf(t);
  const origin = "http://page.example";
  const settings = { ANONYMOUS_SESSIONS: "on", ALLOWED_ORIGINS: origin, RATE_LIMIT_PER_MINUTE: "2" };
  const { url } = await serve(t, upstream.url, { cwd: await folder(t), settings, args });
  const statuses = [];
  for (const it of headers) {
    const reply = await request(`${url}/session`, {
      method: "POST",
      bearer: null,
      headers: { origin, "x-mediagate": "1", ...it },
    });
    statuses.push(reply.status);
  }
  return statuses;
}

test("a caller cannot choose its address", async (t) => {
  const forged = [1, 2, 3, 4].map((it) => ({
    "cf-connecting-ip": `192.0.2.${it}`,
    "x-forwarded-for": `192.0.2.${it}`,
  }));
  assert.deepEqual(await sessions(t, [], forged), [200, 200, 429, 429]);
});

test("a trusted proxy says whom it forwards for, and a caller behind it still cannot", async (t) => {
  const behind = (client, forged) => ({ "x-forwarded-for": `${forged}, ${client}` });
  const headers = [1, 2, 3, 4].map((it) => behind("198.51.100.7", `192.0.2.${it}`));
  const other = behind("198.51.100.8", "192.0.2.1");
  assert.deepEqual(await sessions(t, ["--trust-proxy", "127.0.0.1"], [...headers, other]), [200, 200, 429, 429, 200]);
});

test("the playground's files have types and tags, and nothing else is on the disk", async (t) => {
  const upstream = await upstreamOf(t);
  const { url } = await serve(t, upstream.url, { cwd: await folder(t) });
  const page = await fetch(`${url}/`);
  assert.equal(page.headers.get("content-type"), "text/html; charset=utf-8");
  assert.match(page.headers.get("content-security-policy"), /script-src 'self'/);
  const [script] = /\/assets\/[\w-]+\.js/.exec(await page.text());
  const loaded = await fetch(`${url}${script}`);
  assert.equal(loaded.headers.get("content-type"), "text/javascript; charset=utf-8");
  assert.match(loaded.headers.get("cache-control"), /immutable/);
  const etag = page.headers.get("etag");
  for (const [tag, status] of /** @type {const} */ ([
    [etag, 304],
    [`W/${etag}, "other"`, 304],
    ['"other"', 200],
  ])) {
    assert.equal((await fetch(`${url}/`, { headers: { "if-none-match": tag } })).status, status);
  }
  assert.equal((await fetch(`${url}/`, { method: "HEAD" })).status, 200);
  for (const path of ["/..%2fworker/index.js", "/%2e%2e/settings.json", "/assets", "/__proto__", "/constructor"]) {
    assert.equal((await fetch(`${url}${path}`)).status, 404, path);
  }
  assert.equal((await sendRaw(url, "GET /../settings.json HTTP/1.1")).status, 404);
});

test("without the playground, only the API is there", async (t) => {
  const upstream = await upstreamOf(t);
  const { url } = await serve(t, upstream.url, { cwd: await folder(t), args: ["--no-playground"] });
  assert.equal((await fetch(`${url}/`)).status, 404);
  assert.equal((await create(url)).status, 200);
});

test("nothing but the settings of the environment reaches the gateway's process", async (t) => {
  const upstream = await upstreamOf(t);
  const cwd = await folder(t);
  await serve(t, upstream.url, { cwd, settings: { AWS_SECRET_ACCESS_KEY: "of-another-program" } });
  const { workerd } = await processes(cwd);
  assert.ok(!(await readFile(`/proc/${workerd}/environ`, "utf8")).includes("of-another-program"));
  assert.ok(!(await readFile(`/proc/${workerd}/cmdline`, "utf8")).includes("sk-canary"));
});

test("the list of commands and the help of each exit with 0", async (t) => {
  const cwd = await folder(t);
  assert.match((await run(t, [], { cwd })).out, /dev {5}Run gateway, emulator and playground/);
  for (const args of [
    ["dev", "--help"],
    ["help", "serve"],
    ["token", "help"],
  ]) {
    const { code, out } = await run(t, args, { cwd });
    assert.equal(code, 0);
    assert.match(out, /Options:/);
  }
  for (const [name, message] of /** @type {const} */ ([
    ["no-such", /no command "no-such"; there are dev, init,/],
    ["sreve", /no command "sreve" \(did you mean serve\?\)/],
  ])) {
    const { code, err } = await run(t, [name], { cwd });
    assert.equal(code, 2);
    assert.match(err, message);
  }
});
