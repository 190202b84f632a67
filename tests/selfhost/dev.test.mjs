// `mediagate-gateway dev` runs everything on this machine, in an empty folder.
import assert from "node:assert/strict";
import { mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { decodeJwt } from "jose";
import { connect } from "mediagate";
import { bucketOf } from "../../gateway/src/emulator/bucket.js";
import { startEmulator } from "../support/emulator.mjs";
import { picture } from "../support/fixtures.mjs";
import { folder } from "../support/folder.mjs";
import { SETTINGS } from "../support/gateway.mjs";
import { listen } from "../support/listen.mjs";
import { freePort } from "../support/port.mjs";
import { sendRaw } from "../support/raw.mjs";
import { request } from "../support/request.mjs";
import { openSession } from "../support/session.mjs";
import { command, run } from "./support.mjs";

/** Starts the command, on a free port by default. Returns its printed values. */
async function dev(t, { cwd, args = [], env = {}, port = 0 }) {
  const flags = ["--port", String(port), ...args];
  const started = command(t, ["dev", ...flags], { cwd, env });
  const [, url] = await started.prints(/gateway {9}(\S+)/);
  const [token] = await started.prints(/^ey\S+$/m);
  return { ...started, url, token };
}

/** A `dev` in an empty folder, with another origin. */
const shared = await sharedDev();

async function sharedDev() {
  const cwd = await folder({ after });
  const args = ["--origin", "https://page.example:8443"];
  return { cwd, ...(await dev({ after }, { cwd, args })) };
}

test("the log has no lines of health checks, which an open page of the playground sends", async () => {
  const { url, printed } = shared;
  for (const path of ["/healthz", "/no-such-file"]) await fetch(url + path);
  while (!printed.out.includes('"operation":"asset"')) await sleep(20);
  assert.ok(!printed.out.includes('"operation":"health"'));
});

test("without ffmpeg, the start says how to get it, and the list of models names what needs it", async (t) => {
  const cwd = await folder(t);
  const { url, token, prints } = await dev(t, {
    cwd,
    args: ["--ffmpeg", "/nowhere/ffmpeg"],
  });
  const [, remedy] = await prints(/but not processed .*?\): (.+)/);
  assert.match(remedy, /^there is no program at \/nowhere\/ffmpeg/);
  const media = await connect({ url, token });
  const { models } = await media.models();
  const missingFor = (name) =>
    models.find(({ capability }) => capability === name).missing;
  assert.deepEqual(missingFor("split_video"), { program: "ffmpeg", remedy });
  assert.equal(missingFor("merge_pdf"), undefined);
});

test("the program of --ffmpeg is called, and the words for a failure are printed", async (t) => {
  const cwd = await folder(t);
  const program = join(cwd, "ffmpeg.sh");
  const script = '#!/bin/sh\necho called >>"$0.log"\nexit 1\n';
  await writeFile(program, script, { mode: 0o755 });
  const started = await dev(t, { cwd, args: ["--ffmpeg", program] });
  const [word] = await started.prints(/emulate: state=FAILED/);
  const media = await connect({ url: started.url, token: started.token });
  const film = new File(["\0\0\0\u0018ftypmp42\0\0\0\0mp42isom"], "a.mp4", {
    type: "video/mp4",
  });
  const resized = await media.resizeVideo({
    input_file_id: film,
    width: 64,
    height: 64,
  });
  await assert.rejects(resized.done(), { code: "task_failed" });
  assert.match(await readFile(`${program}.log`, "utf8"), /called/);
  const failing = await media.textToImage({ prompt: "p", title: word });
  await assert.rejects(failing.done(), { code: "task_failed" });
});

/** Resolves to the target of a result's address once the result is kept. */
async function keptAt({ url, token }) {
  const media = await connect({ url, token });
  const { id } = await media.textToImageTurbo({ prompt: "p" });
  const path = `${url}/api/app/v1/generate/tasks/${id}`;
  for (;;) {
    const { data } = await request(path, { bearer: token });
    const [output] = data.task.outputs;
    if (output?.kept) {
      const reply = await fetch(output.url, { redirect: "manual" });
      return reply.headers.get("location");
    }
    await sleep(100);
  }
}

test("results are kept in the emulator's bucket", async (t) => {
  const started = await dev(t, { cwd: await folder(t) });
  const [, emulator, admin] = await started.prints(
    /media service {3}(\S+), .* admin interface is (\S+)/,
  );
  const kept = await keptAt(started);
  assert.ok(kept.startsWith(`${emulator}/results-bucket/`), kept);
  await fetch(`${admin}/reset`, { method: "POST" });
  assert.equal((await fetch(kept)).status, 200);

  // A configured bucket stays.
  const other = await startEmulator(["--results", "placeholder"]);
  t.after(() => other.stop());
  const env = bucketOf(other);
  const own = await keptAt(await dev(t, { cwd: await folder(t), env }));
  assert.ok(own.startsWith(`${env.RESULTS_BUCKET_URL}/`), own);
});

test("with webhooks, the address of the gateway is that of this machine", async (t) => {
  const bodies = [];
  const backend = createHttpServer(async (incoming, response) => {
    bodies.push(await text(incoming));
    response.writeHead(204).end();
  });
  const hook = await listen(backend);
  t.after(() => backend.close().closeAllConnections());
  const env = {
    WEBHOOK_URLS: hook,
    WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 1).toString("base64")}`,
  };
  const started = await dev(t, { cwd: await folder(t), env });
  await keptAt(started);
  while (bodies.length === 0) await sleep(50);
  const { port } = new URL(started.url);
  const [output] = JSON.parse(bodies[0]).data.task.outputs;
  assert.ok(output.url.startsWith(`http://localhost:${port}/`), output.url);
});

test("a file of settings has the address of the media service and its dialect", async (t) => {
  const emulator = await startEmulator([
    ...["--dialect", "other-words", "--task-seconds", "0.2"],
  ]);
  t.after(() => emulator.stop());
  const cwd = await folder(t);
  await writeFile(
    join(cwd, "found.toml"),
    `[vars]\nUPSTREAM_BASE_URL = "${emulator.url}"\n[vars.UPSTREAM_DIALECT.states]\nSUCCEEDED = ["completed"]\n`,
  );
  const { url, token } = await dev(t, {
    cwd,
    args: ["--settings", "found.toml"],
    env: { UPSTREAM_API_KEY: SETTINGS.UPSTREAM_API_KEY },
  });
  const media = await connect({ url, token });
  const task = await media.textToImageTurbo({ prompt: "p" });
  assert.equal((await task.done()).state, "SUCCEEDED");
});

test("pages of any port of this machine and of listed origins may call the gateway, and no others", async () => {
  const { url } = shared;
  for (const origin of ["http://[::1]:4321", "https://page.example:8443"]) {
    assert.equal((await openSession(url, origin)).status, 200, origin);
  }
  for (const origin of [
    "https://page.example",
    "http://localhost.example:5173",
  ]) {
    assert.equal((await openSession(url, origin)).status, 403, origin);
  }
});

test("a foreign page does not reach the gateway by a name that resolves to this machine", async () => {
  const { url, token } = shared;
  const { host, port } = new URL(url);
  for (const [name, status] of /** @type {const} */ ([
    ["evil.example", 421],
    [`evil.example:${port}`, 421],
    [`localhost.evil.example:${port}`, 421],
    [`127.0.0.1.evil.example:${port}`, 421],
    [host, 200],
    [`127.0.0.1:${port}`, 200],
    [`[::1]:${port}`, 200],
  ])) {
    const head = `GET /api/app/v1/models HTTP/1.1\nAuthorization: Bearer ${token}`;
    const reply = await sendRaw(url, head, "", name);
    assert.equal(reply.status, status, `${name}: ${reply.text}`);
  }
});

/** An address of this machine in a network, if it is in one. */
const ADDRESS = Object.values(networkInterfaces())
  .flat()
  .find((address) => address.family === "IPv4" && !address.internal)?.address;

test("with --host 0.0.0.0, a phone in the network uploads, and gets its result", {
  skip: !ADDRESS,
}, async (t) => {
  const {
    url: local,
    printed,
    token,
  } = await dev(t, { cwd: await folder(t), args: ["--host", "0.0.0.0"] });
  const url = `http://${ADDRESS}:${new URL(local).port}`;
  assert.match(printed.err, new RegExp(`On your phone: .*${url}/`));
  assert.match(
    printed.err,
    /Everyone in the same network can use the gateway meanwhile/,
  );
  assert.equal((await openSession(url, url)).status, 200);
  assert.equal((await openSession(url, `http://${ADDRESS}:5173`)).status, 403);
  const head = `GET /api/app/v1/models HTTP/1.1\nAuthorization: Bearer ${token}`;
  for (const [name, status] of /** @type {const} */ ([
    ["evil.example", 421],
    ["203.0.113.250", 421],
    [ADDRESS, 200],
  ])) {
    assert.equal((await sendRaw(url, head, "", name)).status, status, name);
  }
  const media = await connect({ url, token });
  const task = await media.backgroundRemoval({
    file_id: new File([picture(40, 30)], "a.png", { type: "image/png" }),
    title: "emulate: seconds=0.1",
  });
  const output = await outputOf(
    `${url}/api/app/v1/process/tasks/${task.id}`,
    token,
  );
  assert.equal(new URL(output).hostname, ADDRESS);
  assert.equal((await fetch(output)).status, 200);
  // Only this machine can reach the emulator's own interfaces.
  for (const path of ["/healthz", "/openapi.json", "/api/app/v1/models"]) {
    assert.equal((await fetch(new URL(path, output))).status, 404, path);
  }
});

/**
 * Polls a task until it has an output, and resolves to the output's URL. A stream would stay open
 * for some seconds.
 */
async function outputOf(task, bearer) {
  for (;;) {
    const { data } = await request(task, { bearer });
    const [output] = data.task.outputs ?? [];
    if (output) return output.url;
    await sleep(50);
  }
}

test("with one address as --host, the gateway listens only there", {
  skip: !ADDRESS,
}, async (t) => {
  // A port that nobody uses on this machine's other addresses either.
  const port = await freePort();
  const { url } = await dev(t, {
    cwd: await folder(t),
    args: ["--host", ADDRESS],
    port,
  });
  assert.equal(new URL(url).hostname, ADDRESS);
  assert.equal((await openSession(url, url)).status, 200);
  const local = `http://127.0.0.1:${new URL(url).port}`;
  await assert.rejects(
    fetch(local),
    (error) => /** @type {any} */ (error).cause.code === "ECONNREFUSED",
  );
  assert.equal(
    (await sendRaw(url, "GET / HTTP/1.1", "", "localhost")).status,
    421,
  );
});

test("--host must be an address of this machine, and is refused for the real media service", async (t) => {
  const cwd = await folder(t);
  const upstream = ["--upstream", "https://api.example.com"];
  for (const [args, message] of /** @type {const} */ ([
    [
      ["--host", "example.com"],
      /--host is "example\.com"; it is 0\.0\.0\.0, .* or one of its addresses/,
    ],
    [["--host", "203.0.113.250"], /--host is "203\.0\.113\.250"/],
    [
      ["--host", "0.0.0.0", ...upstream],
      /others in the network could spend your credits|this machine is in no network/,
    ],
  ])) {
    const { code, err } = await run(t, ["dev", ...args], { cwd });
    assert.notEqual(code, 0);
    assert.match(err, message);
  }
});

test("a page's stored ids stay valid after a restart, and so does the token of `token`", async (t) => {
  const cwd = await folder(t);
  const port = await freePort();
  const first = await dev(t, { cwd, port });
  const [, emulator] = await first.prints(/media service {3}(\S+),/);
  const made = await (
    await connect({ url: first.url, token: first.token })
  ).textToImage({ prompt: "p" });
  const [{ url: output }] = (await made.done()).outputs;
  const saved = JSON.stringify(made);
  assert.equal(await first.stop("SIGINT"), 0);
  // Takes the port after the emulator's, which another program may use after a restart.
  const admin = Number(new URL(emulator).port) + 1;
  const other = createServer().listen(admin, "127.0.0.1");
  // Another program may use it already.
  other.on("error", () => {});
  t.after(() => other.close());
  const second = await dev(t, { cwd, port });
  assert.ok(second.printed.err.includes(emulator));
  const media = await connect({ url: second.url, token: second.token });
  assert.equal(
    (await media.tasks.restore(JSON.parse(saved)).done()).outputs[0].url,
    output,
  );
  assert.equal((await fetch(output)).status, 200);
  const { out: minted } = await run(
    t,
    ["token", "--subject", "alice", "--scope", "upload"],
    { cwd },
  );
  for (const bearer of [first.token, second.token, minted.trim()]) {
    const reply = await request(`${second.url}/api/app/v1/models`, { bearer });
    assert.equal(reply.status, 200, reply.text);
  }
  assert.equal(
    (await stat(join(cwd, ".mediagate/secrets.json"))).mode & 0o777,
    0o600,
  );
  assert.equal(
    await readFile(join(cwd, ".mediagate/.gitignore"), "utf8"),
    "*\n",
  );
});

test("a script without a token gets an error that names the command for one", async () => {
  const { url, printed } = shared;
  const models = async () => (await connect({ url })).models();
  await assert.rejects(models, {
    hint: /one that `mediagate-gateway token` prints/,
  });
  assert.match(
    printed.err,
    /which a script in Node needs.*\n.*`mediagate-gateway token` prints another/,
  );
});

test("a second `dev` in a folder reports the address of the first one", async (t) => {
  const { cwd, url } = shared;
  // The first one's port, as without `--port`, and another one.
  for (const port of [new URL(url).port, "0"]) {
    const { code, err } = await run(t, ["dev", "--port", port], { cwd });
    assert.equal(code, 1);
    const [, pid, at] =
      /in use by another gateway \(process (\d+) at (\S+)\); end it with/.exec(
        err,
      ) ?? assert.fail(err);
    assert.equal(at, url);
    assert.ok(process.kill(Number(pid), 0));
  }
  assert.equal((await fetch(`${url}/healthz`)).status, 200);
});

test("a link in a folder from elsewhere leads no write out of the folder", async (t) => {
  const cwd = await folder(t);
  await mkdir(join(cwd, ".mediagate"));
  await writeFile(join(cwd, "victim"), "mine");
  await symlink("../victim", join(cwd, ".mediagate/.gitignore"));
  await mkdir(join(cwd, ".mediagate/data"));
  // The file that the check of the disk writes, which `/readyz` causes.
  await symlink("../../victim", join(cwd, ".mediagate/data/readiness.tmp"));
  await (await dev(t, { cwd })).stop();
  assert.equal(await readFile(join(cwd, "victim"), "utf8"), "mine");
  const other = await folder(t);
  await symlink(cwd, join(other, ".mediagate"));
  const { code, err } = await run(t, ["dev", "--port", "0"], { cwd: other });
  assert.equal(code, 1);
  assert.match(err, /\.mediagate is a symbolic link or a file; move it away/);
});

test("with a real media service, there are no anonymous sessions, and its key is needed", async (t) => {
  const cwd = await folder(t);
  const upstream = ["--upstream", "https://api.example.com"];
  const { url, token } = await dev(t, {
    cwd,
    args: upstream,
    env: { UPSTREAM_API_KEY: "sk-canary-of-the-account" },
  });
  assert.equal((await openSession(url, "http://localhost:5173")).status, 404);
  assert.equal(
    (await request(`${url}/healthz`, { bearer: token })).status,
    200,
  );
  const { code, err } = await run(t, ["dev", "--port", "0", ...upstream], {
    cwd,
  });
  assert.equal(code, 1);
  assert.match(
    err,
    /--upstream needs the media service's key: set UPSTREAM_API_KEY/,
  );
});

test("a secret that may have come with the folder causes a note, and one that init has written does not", async (t) => {
  for (const [lines, mode, note] of /** @type {const} */ ([
    [`SESSION_SECRET=${"ab".repeat(32)}`, 0o600, undefined],
    [`SESSION_SECRET=${"ab".repeat(32)}`, 0o644, "SESSION_SECRET"],
    [
      `SESSION_SECRET=${"a-word ".repeat(8)}\nALLOWED_ORIGINS=https://a.example`,
      0o600,
      "ALLOWED_ORIGINS, SESSION_SECRET",
    ],
  ])) {
    const cwd = await folder(t);
    await writeFile(join(cwd, ".dev.vars"), lines, { mode });
    const { code, err } = await run(
      t,
      ["dev", "--upstream", "https://api.example.com"],
      { cwd },
    );
    assert.equal(code, 1);
    assert.equal(
      /note: \.dev\.vars sets (.*), which decide/.exec(err)?.[1],
      note,
    );
  }
});

test("an origin of the command line is added to those of the settings", async (t) => {
  const cwd = await folder(t);
  await writeFile(
    join(cwd, ".dev.vars"),
    "ALLOWED_ORIGINS=https://set.example\nOF_ANOTHER_WORKER=1\n",
  );
  const { url, printed } = await dev(t, {
    cwd,
    args: ["--origin", "https://added.example"],
  });
  for (const [origin, status] of /** @type {const} */ ([
    ["https://set.example", 200],
    ["https://added.example", 200],
    ["http://localhost:5173", 403],
  ])) {
    assert.equal((await openSession(url, origin)).status, status, origin);
  }
  assert.match(
    printed.err,
    /^note: \.dev\.vars sets OF_ANOTHER_WORKER, which is no setting of the gateway, and is ignored$/m,
  );
});

test("a token for an agent may live for months, and no other may", async (t) => {
  const cwd = await folder(t);
  await writeFile(join(cwd, "settings"), `SESSION_SECRET=${"x".repeat(40)}\n`);
  const mint = (...args) =>
    run(t, ["token", "--settings", "settings", ...args], { cwd });
  const agent = ["--scope", "mcp generate:*"];
  for (const [expires, seconds] of [
    ["90d", 90 * 86_400],
    ["600", 600],
  ]) {
    const { out } = await mint(...agent, "--expires", expires);
    const claims = decodeJwt(out.trim());
    assert.equal(claims.exp - claims.iat, seconds);
    assert.ok(claims.jti);
  }
  for (const args of [
    ["--expires", "90d"],
    [...agent, "--expires", "91d"],
    [...agent, "--expires", "soon"],
  ]) {
    const { code, err } = await mint(...args);
    assert.equal(code, 2, err);
    assert.match(err, /--expires is .* a number of seconds from 1 to/);
  }
});

test("a token is signed with a gateway's secret, and never with a new one", async (t) => {
  const cwd = await folder(t);
  await writeFile(join(cwd, "settings"), "TENANT=a\n");
  for (const args of [[], ["--settings", "settings"]]) {
    const { code, err } = await run(t, ["token", ...args], { cwd });
    assert.equal(code, 1);
    assert.match(
      err,
      /there is no SESSION_SECRET, with which tokens are signed/,
    );
  }
});

test("an error names the emulator's program that did not start", async (t) => {
  const cwd = await folder(t);
  const env = { MEDIAGATE_EMULATOR: "/no/such/program" };
  const { code, err } = await run(t, ["dev", "--port", "0"], { cwd, env });
  assert.match(err, /the emulator did not start \(spawn .* ENOENT\)/);
  assert.equal(code, 1);
});
