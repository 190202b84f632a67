// `mediagate-gateway serve`: the gateway on workerd, on a server of one's own.
import assert from "node:assert/strict";
import { mkdir, readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { Webhook } from "standardwebhooks";
import { openEvents } from "../support/events.mjs";
import { folder } from "../support/folder.mjs";
import { SETTINGS } from "../support/gateway.mjs";
import { sendRaw } from "../support/raw.mjs";
import { request } from "../support/request.mjs";
import { openSession } from "../support/session.mjs";
import { startUpstream } from "../support/upstream.mjs";
import {
  command,
  create,
  processes,
  run,
  serve,
  served,
  upstreamOf,
} from "./support.mjs";

const SIGNING_KEY = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/** A gateway whose folder of data others may read, and whose environment has another secret. */
const shared = await served(
  { after },
  {
    cwd: await folderWithOpenData(),
    settings: { AWS_SECRET_ACCESS_KEY: "of-another-program" },
  },
);

async function folderWithOpenData() {
  const cwd = await folder({ after });
  await mkdir(join(cwd, "mediagate-data"), { mode: 0o755 });
  return cwd;
}

/** Parses the log's lines, which are all JSON, without those of health checks. */
const logged = ({ out }) =>
  out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
    .filter(({ operation }) => operation !== "ready")
    .map(({ operation, status, reason }) => [operation, status, reason]);

test("the log has one line of JSON for each request, without secrets and prompts", async (t) => {
  const { url, printed, stop } = await served(t, {
    polls: Number.POSITIVE_INFINITY,
  });
  const body = { prompt: "canary" };
  const { data } = await create(url, "a-key-of-this-test", { body });
  await request(`${url}/nothing-here`);
  await request(`${url}/?token=canary`);
  await request(`${url}/api/app/v1/models?token=canary`, { bearer: null });
  await request(`${url}/api/app/v1/models`, { method: "OPTIONS" });
  const stream = await openEvents(url, `tasks/${data.task.id}`);
  await stream.body.cancel();
  await sendRaw(url, "GET /?token=canary HTTP/1.1", "", "[");
  // workerd refuses these itself.
  await sendRaw(url, "GET /?token=canary HTTP/1.1", "", "a b");
  await sendRaw(url, "GET http://a/?token=canary HTTP/1.1", "", "a");
  await stop();
  assert.deepEqual(logged(printed), [
    ["text_to_image_turbo", 200, undefined],
    ["asset", 404, undefined],
    ["asset", 200, undefined],
    ["models", 401, "no_token"],
    ["preflight", 204, undefined],
    ["events", 200, undefined],
    ["-", 400, "malformed_host"],
    ["-", 500, "malformed_request"],
    ["-", 500, "malformed_request"],
  ]);
  const text = printed.out + printed.err;
  for (const secret of [...Object.values(SETTINGS), "canary"])
    assert.ok(!text.includes(secret), text);
  assert.doesNotMatch(text, /\bey[\w-]+\.ey/, "a session token");
});

test("a request whose caller disconnects is in the log", async (t) => {
  const upstream = await startUpstream(() => ({ hang: true }));
  t.after(() => upstream.stop());
  const settings = { UPSTREAM_TIMEOUT_MS: "1000" };
  const { url, printed } = await serve(t, upstream.url, {
    cwd: await folder(t),
    settings,
  });
  const signal = AbortSignal.timeout(300);
  await assert.rejects(request(`${url}/api/app/v1/models`, { signal }));
  while (!printed.out.includes("models")) await sleep(50);
  assert.deepEqual(logged(printed), [["models", 504, "deadline"]]);
});

test("a watched task is followed to its end after a kill", async (t) => {
  const cwd = await folder(t);
  const upstream = await upstreamOf(t, 4);
  const backend = await startUpstream(() => ({ status: 204 }));
  t.after(() => backend.stop());
  const settings = {
    PUBLIC_URL: "https://media.example.com",
    WEBHOOK_URLS: `${backend.url}/hook`,
    WEBHOOK_SECRET: SIGNING_KEY,
  };
  const first = await serve(t, upstream.url, { cwd, settings });
  const created = await create(first.url);
  const { workerd } = await processes(cwd);
  process.kill(workerd, "SIGKILL");
  assert.equal(await first.ended, 1);
  assert.match(first.printed.err, /error: the gateway has ended \(SIGKILL\)/);
  assert.equal(backend.seen.length, 0);
  await serve(t, upstream.url, { cwd, settings });
  while (backend.seen.length === 0) await sleep(50);
  const [{ body, headers }] = backend.seen;
  const event = /** @type {any} */ (
    new Webhook(SIGNING_KEY).verify(body, headers)
  );
  assert.equal(event.data.task.id, created.data.task.id);
  assert.equal(event.data.task.state, "SUCCEEDED");
});

test("a stop ends an open stream at once", async (t) => {
  const { url, stop } = await served(t, { polls: Number.POSITIVE_INFINITY });
  const { data } = await create(url);
  const stream = await openEvents(url, `tasks/${data.task.id}`);
  assert.equal(stream.headers.get("content-type"), "text/event-stream");
  const reader = stream.body.getReader();
  await reader.read();
  const stopped = stop();
  while (!(await reader.read()).done);
  assert.equal(await stopped, 0);
});

test("if several gateways start at once on a folder, one serves", async (t) => {
  const cwd = await folder(t);
  const upstream = await upstreamOf(t);
  const env = { ...SETTINGS, UPSTREAM_BASE_URL: upstream.url };
  const args = ["serve", "--port", "0", "--private-upstream"];
  const started = [1, 2, 3].map(() => command(t, args, { cwd, env }));
  const serves = (server) =>
    server.prints(/the gateway serves/).then(() => server);
  const first = await Promise.any(started.map(serves));
  for (const other of started.filter((server) => server !== first)) {
    assert.equal(await other.ended, 1);
    assert.match(other.printed.err, /is in use by another gateway/);
  }
});

test("only this user can read the data, even in a folder that others may read", async () => {
  const data = join(shared.cwd, "mediagate-data");
  await create(shared.url);
  const entries = await readdir(data, { recursive: true });
  const databases = entries.filter((entry) => entry.endsWith(".sqlite"));
  assert.ok(databases.length > 0);
  for (const path of databases)
    assert.equal((await stat(join(data, path))).mode & 0o077, 0, path);
});

test("a malformed host is refused, and the log has no stack and no control characters", async (t) => {
  const { url, printed, stop } = await served(t);
  for (const host of ["[::1", "a:99999999", "xn--a", ""]) {
    for (const path of ["/healthz", "/api/app/v1/tasks"]) {
      const { status, text } = await sendRaw(
        url,
        `GET ${path} HTTP/1.1`,
        "",
        host,
      );
      assert.equal(status, 400, `${host}: ${text}`);
      assert.doesNotMatch(text, /\.js|stack/);
    }
  }
  // workerd refuses these itself.
  for (const [head, host] of [
    ["GET / HTTP/1.1", "a b"],
    ["GET / HTTP/1.1", "a@b"],
    ["GET http://a/ HTTP/1.1", "a"],
    ["CONNECT a:443 HTTP/1.1", "a:443"],
  ]) {
    const { status, text } = await sendRaw(url, head, "", host);
    assert.equal(status, 500, head);
    assert.match(text, /\r\n\r\nInternal Server Error$/);
  }
  await sendRaw(url, "GET / HTTP/1.1", "", "\x1b]0;canary\x07");
  assert.equal((await request(`${url}/healthz`)).status, 200);
  await stop();
  assert.match(
    printed.err,
    /invalid hostname when stringifying URL; host = a b$/m,
  );
  const all = `${printed.out}${printed.err}`;
  assert.doesNotMatch(all, /^stack:|^ +at /m);
  // A caller's text does not control the operator's terminal.
  assert.match(printed.err, /\\x1b\]0;canary\\x07/);
  assert.ok(!all.includes("\x1b") && !all.includes("\x07"));
});

/**
 * Sends requests for anonymous sessions with these headers. An address gets two sessions a minute.
 * Returns the statuses.
 */
async function sessions(t, args, headers) {
  const upstream = await upstreamOf(t);
  const origin = "http://page.example";
  const settings = {
    ANONYMOUS_SESSIONS: "on",
    ALLOWED_ORIGINS: origin,
    RATE_LIMIT_PER_MINUTE: "2",
  };
  const { url } = await serve(t, upstream.url, {
    cwd: await folder(t),
    settings,
    args,
  });
  const statuses = [];
  for (const own of headers) {
    const reply = await openSession(url, origin, own);
    statuses.push(reply.status);
  }
  return statuses;
}

test("a caller cannot choose its address", async (t) => {
  const forged = [1, 2, 3, 4].map((index) => ({
    "cf-connecting-ip": `192.0.2.${index}`,
    "x-forwarded-for": `192.0.2.${index}`,
  }));
  assert.deepEqual(await sessions(t, [], forged), [200, 200, 429, 429]);
});

test("a trusted proxy sets the caller's address, and a caller behind it can't forge it", async (t) => {
  const behind = (client, forged) => ({
    "x-forwarded-for": `${forged}, ${client}`,
  });
  const headers = [1, 2, 3, 4].map((index) =>
    behind("198.51.100.7", `192.0.2.${index}`),
  );
  const other = behind("198.51.100.8", "192.0.2.1");
  assert.deepEqual(
    await sessions(t, ["--trust-proxy", "127.0.0.1"], [...headers, other]),
    [200, 200, 429, 429, 200],
  );
});

test("the playground's files have types and tags, and no other file is served", async () => {
  const { url } = shared;
  const page = await fetch(`${url}/`);
  assert.equal(page.headers.get("content-type"), "text/html; charset=utf-8");
  assert.match(
    page.headers.get("content-security-policy"),
    /script-src 'self'/,
  );
  const [script] = /\/assets\/[\w-]+\.js/.exec(await page.text());
  const loaded = await fetch(`${url}${script}`);
  assert.equal(
    loaded.headers.get("content-type"),
    "text/javascript; charset=utf-8",
  );
  assert.match(loaded.headers.get("cache-control"), /immutable/);
  const etag = page.headers.get("etag");
  for (const [tag, status] of /** @type {const} */ ([
    [etag, 304],
    [`W/${etag}, "other"`, 304],
    ['"other"', 200],
  ])) {
    assert.equal(
      (await fetch(`${url}/`, { headers: { "if-none-match": tag } })).status,
      status,
    );
  }
  assert.equal((await fetch(`${url}/`, { method: "HEAD" })).status, 200);
  for (const path of [
    "/..%2fworker/index.js",
    "/%2e%2e/settings.json",
    "/assets",
    "/__proto__",
    "/constructor",
  ]) {
    assert.equal((await fetch(`${url}${path}`)).status, 404, path);
  }
  assert.equal(
    (await sendRaw(url, "GET /../settings.json HTTP/1.1")).status,
    404,
  );
});

test("the playground's script arrives compressed once, and decompresses to the file", async () => {
  const assets = new URL("../../gateway/dist/www/assets/", import.meta.url);
  const names = await readdir(assets);
  const name = names.find((name) => /^index-.*\.js$/.test(name));
  const file = await readFile(new URL(name, assets));
  for (const [encoding, decompress] of /** @type {const} */ ([
    ["br", brotliDecompressSync],
    ["gzip", gunzipSync],
  ])) {
    const head = `GET /assets/${name} HTTP/1.1\nAccept-Encoding: ${encoding}`;
    const { text } = await sendRaw(shared.url, head);
    const end = text.indexOf("\r\n\r\n");
    assert.match(
      text.slice(0, end),
      RegExp(`content-encoding: ${encoding}\\b`, "i"),
    );
    const body = Buffer.from(text.slice(end + 4), "latin1");
    assert.ok(body.length < file.length / 2);
    assert.ok(decompress(body).equals(file));
  }
});

test("without the playground, only the API is there", async (t) => {
  const { url } = await served(t, { args: ["--no-playground"] });
  assert.equal((await fetch(`${url}/`)).status, 404);
  assert.equal((await create(url)).status, 200);
});

test("nothing but the settings of the environment reaches the gateway's process", async () => {
  const { workerd } = await processes(shared.cwd);
  const environment = await readFile(`/proc/${workerd}/environ`, "utf8");
  assert.ok(!environment.includes("of-another-program"));
  const line = await readFile(`/proc/${workerd}/cmdline`, "utf8");
  assert.ok(!line.includes("sk-canary"));
});

test("the list of commands and the help of each exit with 0", async (t) => {
  const cwd = await folder(t);
  const { out: list } = await run(t, [], { cwd });
  assert.match(list, /dev +Run gateway, emulator and playground/);
  assert.match(list, /^docs\/media-service\.md .* which media services fit/m);
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
