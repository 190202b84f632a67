// The packages as npm installs them, in an empty folder, on a machine without Rust, such as a web
// team's.
import assert from "node:assert/strict";
import {
  access,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import express from "express";
import { createServer } from "vite";
import { run as execute, pack } from "../packaging/support/install.mjs";
import { startBrowser } from "../support/browser.mjs";
import { picture } from "../support/fixtures.mjs";
import { listen } from "../support/listen.mjs";
import { BUILT_EMULATOR, command } from "./support.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
/** Inside the checkout, so that Vite may serve the imports of its page. */
const projects = join(root, ".tools/selfhost");

const made = {};

before(async () => {
  await mkdir(projects, { recursive: true });
  made.tarballs = await mkdtemp(join(projects, "tarballs-"));
  const emulator = process.env.MEDIAGATE_EMULATOR ?? BUILT_EMULATOR;
  await execute(
    "node",
    ["gateway/scripts/pack.mjs", made.tarballs, `linux-x64=${emulator}`],
    root,
  );
  made.folder = await mkdtemp(join(projects, "project-"));
  await writeFile(
    join(made.folder, "package.json"),
    JSON.stringify({ private: true, type: "module" }),
  );
  const names = await readdir(made.tarballs);
  const tarballs = names.map((name) => join(made.tarballs, name));
  assert.equal(tarballs.push((await pack()).tarball), 3);
  await execute(
    "npm",
    ["install", "--no-audit", "--no-fund", ...tarballs],
    made.folder,
  );
  const script = join(
    made.folder,
    "node_modules/mediagate-gateway/bin/mediagate-gateway.js",
  );
  made.started = command(
    { after: (end) => (made.end = end) },
    ["dev", "--port", "0"],
    { cwd: made.folder, env: await nodeAlone(), script },
  );
  const [, gateway] = await made.started.prints(/gateway {9}(\S+)/);
  made.gateway = gateway;
  made.browser = await startBrowser();
});
after(async () => {
  await made.browser?.close();
  await made.end?.();
  for (const folder of [made.tarballs, made.folder])
    await rm(folder, { recursive: true, force: true });
});

/** Makes an environment in which only Node is found. */
async function nodeAlone() {
  const bin = join(made.folder, "bin");
  await mkdir(bin);
  await symlink(process.execPath, join(bin, "node"));
  return { PATH: bin, MEDIAGATE_EMULATOR: "", MEDIAGATE_FFMPEG: "" };
}

/** Serves a folder with all its files, like a simple server of files. */
async function startFiles(t, folder) {
  const files = express.static(folder, { dotfiles: "allow" });
  const app = express().use(files);
  const server = createHttpServer(app);
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return listen(server);
}

async function startPage(t) {
  await cp(fileURLToPath(new URL("page", import.meta.url)), made.folder, {
    recursive: true,
  });
  const server = await createServer({
    root: made.folder,
    logLevel: "error",
    server: { host: "127.0.0.1", port: 0, ws: false },
  });
  t.after(() => server.close());
  await server.listen();
  const { port } = /** @type {import("node:net").AddressInfo} */ (
    server.httpServer.address()
  );
  return `http://127.0.0.1:${port}`;
}

test("a page on another port makes a video, with nothing compiled and only Node on the PATH", async (t) => {
  const page = await startPage(t);
  const tab = await made.browser.newPage();
  const lines = [];
  tab
    .on("console", (message) => lines.push(message.text()))
    .on("pageerror", (error) => lines.push(String(error)));
  await tab.goto(`${page}/?gateway=${encodeURIComponent(made.gateway)}`);
  await tab
    .waitForFunction(() => document.title.startsWith("a video of"), undefined, {
      timeout: 60_000,
    })
    .catch(() => {
      const { err, out } = made.started.printed;
      throw new Error(`no video: ${lines.join("\n")}\n${err}${out}`);
    });
  assert.match(await tab.title(), /^a video of [1-9]\d* × [1-9]\d*$/);
});

test("the page of the README makes a video when it is pasted", async (t) => {
  const readme = await readFile(join(root, "pkg/README.md"), "utf8");
  const [, html] = /^```html\n(.*?)^```$/ms.exec(readme);
  const local = "http://127.0.0.1:8787";
  assert.ok(html.includes(local));
  const site = join(made.folder, "site");
  const { tarball } = await pack();
  await execute(
    "npm",
    ["install", "--no-audit", "--no-fund", "--prefix", site, tarball],
    made.folder,
  );
  await writeFile(join(site, "index.html"), html.replace(local, made.gateway));
  const tab = await made.browser.newPage();
  const errors = [];
  tab.on("pageerror", (error) => errors.push(String(error)));
  const url = await startFiles(t, site);
  await tab.goto(url);
  const photo = { name: "a.png", mimeType: "image/png" };
  // The page listens once it is connected.
  await tab.waitForFunction(() => document.querySelector("input").onchange);
  await tab.setInputFiles("input", { ...photo, buffer: picture(64, 48) });
  await tab
    .waitForFunction(() => document.querySelector("video").videoWidth > 0)
    .catch(() => assert.fail(`no video: ${errors.join()}`));
  assert.equal(await tab.textContent("p"), "SUCCEEDED");
  assert.deepEqual(errors, []);
  const own = await readFile(join(made.folder, ".mediagate/secrets.json"));
  assert.ok(own.length > 0);
  const served = await fetch(`${url}/.mediagate/secrets.json`);
  assert.equal(served.status, 404);
});

test("the tarball has all that it needs, and no sources of its build", async () => {
  const packed = await readdir(
    join(made.folder, "node_modules/mediagate-gateway"),
    { recursive: true },
  );
  const readme = await readFile(
    join(made.folder, "node_modules/mediagate-gateway/README.md"),
    "utf8",
  );
  const linked = [...readme.matchAll(/\]\((docs\/[\w-]+\.md)/g)].map(
    ([, path]) => path,
  );
  assert.ok(linked.length > 2 && !readme.includes("](../docs"));
  for (const path of [
    ...linked,
    "dist/upstream/index.d.ts",
    "dist/upstream/index.js",
    "dist/upstream/pdf/index.d.ts",
    "dist/upstream/pdf/index.js",
    "dist/worker/index.js",
    "dist/worker/index_bg.wasm",
    "dist/www/index.html",
    "LICENSE-MIT",
    "README.md",
  ])
    assert.ok(packed.includes(path), path);
  assert.ok(!packed.some((path) => path.startsWith("scripts")));
});

test("no document of the tarball has a dead link", async () => {
  const folder = join(made.folder, "node_modules/mediagate-gateway");
  const names = await readdir(join(folder, "docs"));
  for (const path of ["README.md", ...names.map((name) => `docs/${name}`)]) {
    const text = await readFile(join(folder, path), "utf8");
    for (const [, target] of text.matchAll(/\]\((?!https?:|#)([^)#]+)/g))
      await access(join(folder, dirname(path), target));
  }
});

test("the packages and the emulator's program have one version", async () => {
  const installed = (path) => join(made.folder, "node_modules", path);
  const versionOf = async (name) =>
    JSON.parse(await readFile(installed(`${name}/package.json`), "utf8"))
      .version;
  const version = await versionOf("mediagate-gateway");
  assert.equal(await versionOf("mediagate"), version);
  assert.equal(await versionOf("mediagate-emulator-linux-x64"), version);
  const program = installed(
    "mediagate-emulator-linux-x64/bin/mediagate-emulator",
  );
  assert.equal(
    (await execute(program, ["--version"], made.folder)).trim(),
    `mediagate-emulator ${version}`,
  );
});
