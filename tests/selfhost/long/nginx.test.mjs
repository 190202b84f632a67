// nginx before the gateway, with the example's configuration. On Debian,
// `apt-get install nginx-light` installs it.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { startEmulator } from "../../support/emulator.mjs";
import { picture } from "../../support/fixtures.mjs";
import { folder } from "../../support/folder.mjs";
import { freePort } from "../../support/port.mjs";
import { token } from "../../support/token.mjs";
import { serve } from "../support.mjs";

const NGINX = "/usr/sbin/nginx";
const EXAMPLE = new URL(
  "../../../examples/self-hosted/nginx.conf",
  import.meta.url,
);
const API = "/api/app/v1";
const ORIGIN = "https://page.example";
/** Seconds that a task takes. A buffered event could not be this early by chance. */
const TASK_SECONDS = 20;

/** Starts nginx before a gateway, with its own certificate. Returns its URL. */
async function startNginx(t, gateway) {
  const cwd = await mkdtemp(join(tmpdir(), "mediagate-nginx-"));
  const certificate = join(cwd, "certificate.pem");
  const key = join(cwd, "key.pem");
  execFileSync(
    "openssl",
    [
      ...["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1"],
      ...[
        "-subj",
        "/CN=media.example.com",
        "-out",
        certificate,
        "-keyout",
        key,
      ],
    ],
    { stdio: "ignore" },
  );
  const port = await freePort();
  const example = await readFile(EXAMPLE, "utf8");
  const substituted = [
    ["listen 443 ", `listen 127.0.0.1:${port} `],
    [/ssl_certificate .*;/, `ssl_certificate ${certificate};`],
    [/ssl_certificate_key .*;/, `ssl_certificate_key ${key};`],
    [/127\.0\.0\.1:8787/g, new URL(gateway).host],
  ].reduce((text, [from, to]) => text.replace(from, String(to)), example);
  const folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  await mkdir(join(cwd, "temp"));
  const config = `daemon off;
pid ${cwd}/nginx.pid;
error_log stderr warn;
events {}
http {
${folders.map((name) => `${name}_temp_path ${cwd}/temp/${name};`).join("\n")}
access_log off;
${substituted}
}
`;
  await writeFile(join(cwd, "nginx.conf"), config);
  const child = spawn(NGINX, ["-p", cwd, "-c", join(cwd, "nginx.conf")], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const ended = once(child, "exit");
  t.after(async () => {
    child.kill();
    await ended;
    await rm(cwd, { recursive: true });
  });
  while (!(await listens(port))) await sleep(20);
  return `https://127.0.0.1:${port}`;
}

async function listens(port) {
  const socket = connect(port, "127.0.0.1");
  const isOpen = await once(socket, "connect").then(
    () => true,
    () => false,
  );
  socket.destroy();
  return isOpen;
}

/**
 * Sends a request with a token, and accepts any certificate. Resolves to the head of the response.
 *
 * @param {string} url
 * @param {{ method?: string, headers?: Record<string, string>, body?: string | Buffer }} [options]
 * @returns {Promise<import("node:http").IncomingMessage>}
 */
async function send(url, { method, headers, body } = {}) {
  const sent = request(url, {
    method: method ?? (body === undefined ? "GET" : "POST"),
    headers: { authorization: `Bearer ${token()}`, ...headers },
    rejectUnauthorized: false,
  }).end(body);
  const [response] = await once(sent, "response");
  return response;
}

/** Sends a request, and resolves to the envelope's data. */
async function dataOf(url, options) {
  const response = await send(url, options);
  const text = (await response.toArray()).join("");
  assert.equal(response.statusCode, 200, text);
  return JSON.parse(text).data;
}

test("with the example's configuration, nginx passes on events at once, uploads and the caller's address", {
  skip: !existsSync(NGINX) && "nginx is not installed",
}, async (t) => {
  const emulator = await startEmulator([
    "--task-seconds",
    String(TASK_SECONDS),
  ]);
  t.after(() => emulator.stop());
  const { url: gateway } = await serve(t, emulator.url, {
    cwd: await folder(t),
    args: ["--trust-proxy", "127.0.0.1"],
    settings: {
      UPLOAD_MODE: "relay",
      UPLOAD_HOSTS: "127.0.0.1",
      ALLOWED_ORIGINS: ORIGIN,
      ANONYMOUS_SESSIONS: "on",
      RATE_LIMIT_PER_MINUTE: "5",
    },
  });
  const url = await startNginx(t, gateway);

  await t.test("an upload larger than nginx's own limit passes", async () => {
    const bytes = Buffer.concat([picture(40, 30), Buffer.alloc(3_000_000)]);
    const { upload_url } = await dataOf(`${url}${API}/upload_urls`, {
      body: JSON.stringify({
        file_name: "a.png",
        content_type: "image/png",
        size: bytes.length,
      }),
    });
    assert.ok(upload_url.startsWith(`https://127.0.0.1${API}/uploads/`));
    const stored = await send(`${url}${new URL(upload_url).pathname}`, {
      method: "PUT",
      headers: { "content-type": "image/png" },
      body: bytes,
    });
    assert.equal(stored.statusCode, 200, (await stored.toArray()).join(""));
  });

  await t.test("the first event of a stream arrives at once", async () => {
    const { task } = await dataOf(
      `${url}${API}/generate/image/text_to_image_turbo`,
      { body: JSON.stringify({ prompt: "p" }) },
    );
    const start = Date.now();
    const stream = await send(`${url}${API}/tasks/${task.id}/events`);
    let text = "";
    for await (const chunk of stream) {
      text += chunk;
      if (/^data:/m.test(text)) break;
    }
    assert.match(text, /^data:/m);
    assert.ok(Date.now() - start < 5_000, `${Date.now() - start} ms`);
  });

  await t.test("a caller does not choose its address", async () => {
    const statuses = [];
    for (const number of [1, 2, 3, 4, 5, 6]) {
      const response = await send(`${url}/session`, {
        method: "POST",
        headers: {
          authorization: "",
          origin: ORIGIN,
          "x-mediagate": "1",
          "x-forwarded-for": `192.0.2.${number}`,
          "x-forwarded-proto": "http",
        },
      });
      response.resume();
      statuses.push(response.statusCode);
    }
    assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429]);
  });
});
