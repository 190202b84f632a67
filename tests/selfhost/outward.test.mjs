// The connections of `mediagate-gateway serve` to others: the authorities that it trusts, and
// addresses in private networks.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { createServer as createTlsServer } from "node:https";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { bucketOf } from "../../gateway/src/emulator/bucket.js";
import { checkSystem } from "../../gateway/src/workerd/program.js";
import { startEmulator } from "../support/emulator.mjs";
import { folder } from "../support/folder.mjs";
import { SETTINGS } from "../support/gateway.mjs";
import { request } from "../support/request.mjs";
import { startUpstream } from "../support/upstream.mjs";
import { create, run, serve, served, upstreamOf } from "./support.mjs";

const execute = promisify(execFile);
const SIGNING_KEY = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
const TASK = {
  code: 0,
  data: {
    task: { id: "t", status: "SUCCEEDED", output_url: "https://h.example/a" },
  },
};

/** Makes a certificate of 127.0.0.1, and the authority that has issued it. */
async function certify(cwd) {
  const at = (name) => join(cwd, name);
  const make = (...args) => execute("openssl", args, { cwd });
  const key = [
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:P-256",
    "-nodes",
  ];
  await make(
    ...["req", "-x509", ...key, "-subj", "/CN=An authority of our own"],
    ...["-days", "2", "-keyout", "ca.key", "-out", "ca.pem"],
  );
  await make(
    ...["req", ...key, "-subj", "/CN=service", "-keyout", "own.key"],
    ...["-out", "own.csr"],
  );
  await writeFile(at("own.ext"), "subjectAltName=IP:127.0.0.1\n");
  await make(
    ...["x509", "-req", "-in", "own.csr", "-CA", "ca.pem", "-CAkey", "ca.key"],
    ...[
      "-CAcreateserial",
      "-days",
      "2",
      "-extfile",
      "own.ext",
      "-out",
      "own.pem",
    ],
  );
  const [cert, ownKey] = await Promise.all(
    ["own.pem", "own.key"].map((name) => readFile(at(name))),
  );
  return { authority: at("ca.pem"), cert, key: ownKey };
}

/** Starts a service with this certificate, and returns its URL. */
async function startService(t, certificate) {
  const server = createTlsServer(certificate, (incoming, response) => {
    incoming.resume().once("end", () => response.end(JSON.stringify(TASK)));
  });
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (
    server.address()
  );
  return `https://127.0.0.1:${port}`;
}

test("the gateway trusts the authorities in the files that the environment names", async (t) => {
  const cwd = await folder(t);
  const { authority, ...certificate } = await certify(cwd);
  const url = await startService(t, certificate);
  for (const [settings, status] of /** @type {const} */ ([
    [{}, 502],
    [{ NODE_EXTRA_CA_CERTS: authority }, 200],
    [{ SSL_CERT_FILE: authority }, 200],
  ])) {
    const gateway = await serve(t, url, { cwd: await folder(t), settings });
    const { status: found, text } = await create(gateway.url);
    assert.equal(found, status, text);
    await gateway.stop();
  }
});

test("a file without certificates is refused, by the variable's name", async (t) => {
  const cwd = await folder(t);
  await writeFile(join(cwd, "empty.pem"), "no certificate\n");
  for (const [name, file, problem] of [
    [
      "NODE_EXTRA_CA_CERTS",
      "empty.pem",
      "is not a file of certificates in PEM",
    ],
    ["SSL_CERT_FILE", "missing.pem", "can't be read \\(ENOENT\\)"],
  ]) {
    const at = join(cwd, file);
    const env = { ...SETTINGS, UPSTREAM_BASE_URL: "https://h.example" };
    const { code, err } = await run(t, ["serve", "--port", "0"], {
      cwd,
      env: { ...env, [name]: at },
    });
    assert.equal(code, 1);
    assert.match(err, new RegExp(`error: ${name} is ${at}, which ${problem}`));
  }
});

test("a proxy that the gateway does not use is noted", async (t) => {
  const settings = { HTTPS_PROXY: "http://user:canary@proxy.example:3128" };
  const { printed } = await served(t, { settings });
  assert.match(
    printed.err,
    /note: HTTPS_PROXY is set, and the gateway does not use it/,
  );
  assert.ok(!printed.err.includes("canary"));
});

test("without --private-upstream, no address of the settings is in a private network", async (t) => {
  const cwd = await folder(t);
  for (const [name, url, place] of [
    ["UPSTREAM_BASE_URL", "https://[::ffff:10.0.0.7]", "in a private network"],
    ["RESULTS_BUCKET_URL", "http://10.0.0.1/mine", "in a private network"],
    ["SESSION_JWKS_URL", "http://[::1]/keys", "on this machine"],
    [
      "WEBHOOK_URLS",
      "https://h.example/,http://192.168.0.7/hook",
      "in a private network",
    ],
  ]) {
    const { code, err } = await run(t, ["serve", "--port", "0"], {
      cwd,
      env: { ...SETTINGS, UPSTREAM_BASE_URL: "https://h.example", [name]: url },
    });
    assert.equal(code, 1);
    assert.match(
      err,
      new RegExp(
        `error: ${name} is ${place}, where the gateway connects only if`,
      ),
    );
  }
});

test("webhooks go to a private network over http, and a slow receiver gets each once", async (t) => {
  const received = [];
  const backend = await startUpstream(async ({ body }) => {
    received.push(body);
    await sleep(8_000);
    return { status: 204 };
  });
  t.after(() => backend.stop());
  const upstream = await upstreamOf(t);
  const settings = {
    PUBLIC_URL: "http://app:8787",
    WEBHOOK_URLS: `${backend.url}/hook`,
    WEBHOOK_SECRET: SIGNING_KEY,
  };
  const { url, printed } = await serve(t, upstream.url, {
    cwd: await folder(t),
    settings,
  });
  await create(url);
  while (received.length === 0) await sleep(50);
  // With the deadline of before, the second attempt began after ten seconds.
  await sleep(14_000);
  assert.equal(received.length, 1);
  assert.doesNotMatch(printed.out, /"operation":"webhook"/);
});

test("a failed webhook is in the log, with the time of the next attempt", async (t) => {
  const backend = await startUpstream(() => ({ status: 503 }));
  t.after(() => backend.stop());
  const upstream = await upstreamOf(t);
  const settings = {
    PUBLIC_URL: "https://media.example.com",
    WEBHOOK_URLS: `${backend.url}/hook`,
    WEBHOOK_SECRET: SIGNING_KEY,
  };
  const { url, printed } = await serve(t, upstream.url, {
    cwd: await folder(t),
    settings,
  });
  await create(url);
  const line = () => /^.*"operation":"webhook".*$/m.exec(printed.out)?.[0];
  while (!line()) await sleep(50);
  const { attempt, next, status, time } = JSON.parse(line() ?? "");
  assert.deepEqual([attempt, status], [1, 503]);
  const wait = Date.parse(next) - Date.parse(time);
  assert.ok(wait >= 2_500 && wait <= 7_500, `${wait} ms`);
});

test("a bucket that refuses the gateway's key is named at the start, and the gateway serves", async (t) => {
  const emulator = await startEmulator(["--results", "placeholder"]);
  t.after(() => emulator.stop());
  const settings = {
    ...bucketOf(emulator),
    RESULTS_SECRET_ACCESS_KEY: "canary",
  };
  const cwd = await folder(t);
  const { url, printed, prints } = await serve(t, emulator.url, {
    cwd,
    settings,
  });
  await prints(/^error: RESULTS_ACCESS_KEY_ID may not store objects/m);
  assert.ok(!printed.err.includes("canary"));
  assert.equal((await create(url)).status, 200);
});

test("a bucket that does not respond makes the gateway unready, and not unhealthy", async (t) => {
  const bucket = await startUpstream(() => ({ status: 403 }));
  const settings = {
    RESULTS_BUCKET_URL: `${bucket.url}/mine`,
    RESULTS_ACCESS_KEY_ID: "id",
    RESULTS_SECRET_ACCESS_KEY: "secret",
  };
  const { url } = await served(t, { settings });
  const status = async (path) => (await request(`${url}/${path}`)).status;
  assert.equal(await status("readyz"), 200);
  await bucket.stop();
  while ((await status("readyz")) === 200) await sleep(100);
  const { code, data, message } = await request(`${url}/readyz`);
  assert.deepEqual([code, data.reason], [99, "bucket"]);
  assert.match(message, /RESULTS_BUCKET_URL does not respond/);
  assert.equal(await status("healthz"), 200);
});

test("a system that workerd does not run on gets a sentence", () => {
  for (const glibc of ["2.35", "2.36", "2.100", "3.0"])
    checkSystem({ glibcVersionRuntime: glibc }, "linux");
  checkSystem({}, "darwin");
  for (const [glibc, found] of [
    ["2.34", "glibc 2.34"],
    ["2.4", "glibc 2.4"],
    [undefined, "another C library"],
  ])
    assert.throws(() => checkSystem({ glibcVersionRuntime: glibc }, "linux"), {
      message: new RegExp(
        `needs glibc 2\\.35 or newer, and this system has ${found}`,
      ),
    });
});
