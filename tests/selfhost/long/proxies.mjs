// Starts proxies before a gateway, with the examples' configurations. On Debian,
// `apt-get install nginx-light caddy` installs them.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort } from "../../support/port.mjs";

const NGINX = "/usr/sbin/nginx";
const CADDY = "/usr/bin/caddy";
const example = (name) =>
  fileURLToPath(
    new URL(`../../../examples/self-hosted/${name}`, import.meta.url),
  );

/** The reason for skipping a test with nginx, or false. */
export const NO_NGINX = !existsSync(NGINX) && "nginx is not installed";
/** The reason for skipping a test with Caddy, or false. */
export const NO_CADDY = !existsSync(CADDY) && "Caddy is not installed";

/** Starts nginx before a gateway, with its own certificate. Returns its URL. */
export async function startNginx(t, gateway) {
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
  const shipped = await readFile(example("nginx.conf"), "utf8");
  const substituted = [
    ["listen 443 ", `listen 127.0.0.1:${port} `],
    [/ssl_certificate .*;/, `ssl_certificate ${certificate};`],
    [/ssl_certificate_key .*;/, `ssl_certificate_key ${key};`],
    [/127\.0\.0\.1:8787/g, new URL(gateway).host],
  ].reduce((text, [from, to]) => text.replace(from, String(to)), shipped);
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

/** Starts Caddy before a gateway, without TLS. Returns its URL. */
export async function startCaddy(t, gateway) {
  const cwd = await mkdtemp(join(tmpdir(), "mediagate-caddy-"));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(
    CADDY,
    ["run", "--adapter", "caddyfile", "--config", example("Caddyfile")],
    {
      env: {
        HOME: cwd,
        DOMAIN: url,
        GATEWAY: new URL(gateway).host,
        CADDY_ADMIN: `127.0.0.1:${await freePort()}`,
      },
      stdio: "ignore",
    },
  );
  const ended = once(child, "exit");
  t.after(async () => {
    child.kill();
    await ended;
    await rm(cwd, { recursive: true });
  });
  while (!(await listens(port))) await sleep(20);
  return url;
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
