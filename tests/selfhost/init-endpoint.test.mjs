// The token endpoint that `mediagate-gateway init` writes: it refuses as it is written, and issues tokens once the
// app's authentication is filled in.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import express from "express";
import { Hono } from "hono";
import { jwtVerify } from "jose";
import { SETTINGS } from "../support/gateway.mjs";
import { listen } from "../support/listen.mjs";
import {
  contents,
  init,
  link,
  packageJson,
  project,
  ROOT,
  write,
} from "./init-support.mjs";

const secret = SETTINGS.SESSION_SECRET;
process.env.SESSION_SECRET = secret;

/** What a server of Node with this listener responds with to a `POST`. */
async function posted(t, listener, path = "/") {
  const server = createServer(listener);
  t.after(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return fetch(new URL(path, await listen(server)), { method: "POST" });
}

const request = () =>
  new Request("https://app.example.com/media/session", { method: "POST" });

/** What each kind of endpoint responds with, in its framework or as that calls it. */
const RESPONSES = {
  next: (_t, { POST }) => POST(request(), { params: Promise.resolve({}) }),
  // An API route is called with a request and a response of Node, which Next.js extends.
  pages: (t, { default: handler }) => posted(t, handler),
  hono: (_t, { sessionHandler }) =>
    new Hono()
      .post("/media/session", sessionHandler)
      .fetch(request(), process.env),
  express: (t, { sessionHandler }) =>
    posted(
      t,
      express().post("/media/session", sessionHandler),
      "/media/session",
    ),
  sveltekit: (_t, { POST }) => POST({ request: request() }),
};

/**
 * By the kind of endpoint: the dependency, further files of the project, and where the endpoint is.
 *
 * @type {[string, string, Record<string, string>, string, object?][]}
 */
const PROJECTS = [
  ["next", "next", {}, "app/media/session/route.js"],
  ["next", "next", { "tsconfig.json": "{}" }, "app/media/session/route.ts"],
  [
    "next",
    "next",
    { "tsconfig.json": "{}", "src/app/page.tsx": "" },
    "src/app/media/session/route.ts",
  ],
  [
    "next",
    "next",
    { "app/page.jsx": "", "pages/index.jsx": "" },
    "app/media/session/route.js",
  ],
  ["pages", "next", { "pages/index.jsx": "" }, "pages/api/media/session.js"],
  [
    "pages",
    "next",
    { "tsconfig.json": "{}", "src/pages/index.tsx": "" },
    "src/pages/api/media/session.ts",
  ],
  ["hono", "hono", {}, "session.mjs"],
  [
    "hono",
    "hono",
    { "tsconfig.json": "{}", "src/index.ts": "" },
    "src/session.ts",
  ],
  ["express", "express", {}, "session.mjs"],
  [
    "express",
    "express",
    { "src/index.js": "" },
    "src/session.js",
    { type: "module" },
  ],
  [
    "express",
    "express",
    { "tsconfig.json": "{}", "src/index.ts": "" },
    "src/session.ts",
  ],
  ["sveltekit", "@sveltejs/kit", {}, "src/routes/media/session/+server.js"],
  [
    "sveltekit",
    "@sveltejs/kit",
    { "tsconfig.json": "{}" },
    "src/routes/media/session/+server.ts",
  ],
];

/** The endpoint as a module: TypeScript, and the names that only SvelteKit has, are for a bundler. */
async function load(cwd, path) {
  const outfile = join(cwd, `out-${crypto.randomUUID()}.mjs`);
  const alias = { "$env/dynamic/private": join(cwd, "env.mjs") };
  await write(cwd, { "env.mjs": "export const env = process.env;" });
  const external = ["hono", "mediagate"].flatMap((it) => [it, `${it}/*`]);
  await build({
    entryPoints: [join(cwd, path)],
    outfile,
    bundle: true,
    format: "esm",
    alias,
    external,
  });
  return import(pathToFileURL(outfile).href);
}

/** The endpoint once the app's authentication is filled in. */
async function fillIn(cwd, path) {
  const text = (await contents(cwd))[path];
  assert.equal(text.split("return undefined;").length, 2);
  await write(cwd, {
    [path]: text.replace("return undefined;", 'return { subject: "alice" };'),
  });
}

for (const [kind, dependency, files, path, others] of PROJECTS) {
  test(`${dependency}, ${path}: it refuses, until it is filled in`, async (t) => {
    const cwd = await project(t, {
      "package.json": packageJson([dependency], others),
      ...files,
    });
    const { code, out } = await init(t, cwd);
    assert.equal(code, 0);
    assert.match(
      out,
      new RegExp(`^written +${path.replace("+", "\\+")}$`, "m"),
    );
    assert.match(out, /^- .* refuses everyone \(401\) until you fill in/m);
    assert.match(out, /^- .*SESSION_SECRET/m);
    const route = kind === "pages" ? "/api/media/session" : "/media/session";
    assert.match(
      out,
      new RegExp(
        `^- Your pages get their token by POST ${route}, and pass it`,
        "m",
      ),
    );
    assert.match(out, /^ {2}npm install mediagate && /m);
    await link(cwd, "mediagate", "hono", "express");

    const refused = await RESPONSES[kind](t, await load(cwd, path));
    assert.equal(refused.status, 401);
    assert.equal((await refused.json()).data.reason, "not_signed_in");

    await fillIn(cwd, path);
    const issued = await RESPONSES[kind](t, await load(cwd, path));
    assert.equal(issued.status, 200);
    const { token } = (await issued.json()).data.session;
    const { payload } = await jwtVerify(
      token,
      new TextEncoder().encode(secret),
      { audience: "mediagate" },
    );
    assert.deepEqual(
      [payload.sub, payload.budget],
      ["alice", { creates: 20, in_flight: 2 }],
    );
  });
}

test("a route that exists under another name stays the only one", async (t) => {
  for (const existing of [
    "pages/api/media/session/index.tsx",
    "pages/api/media/session.js",
  ]) {
    const cwd = await project(t, {
      "package.json": packageJson(["next"]),
      "tsconfig.json": "{}",
      [existing]: "",
    });
    const { out } = await init(t, cwd);
    assert.match(out, new RegExp(`^unchanged +${existing}`, "m"));
    assert.doesNotMatch(out, /401/);
    assert.deepEqual(
      Object.keys(await contents(cwd)).filter((it) => it.includes("session")),
      [existing],
    );
  }
});

test("an app without a type in package.json mounts the handler as the output says, of CommonJS and as a module", async (t) => {
  const cwd = await project(t, { "package.json": packageJson(["express"]) });
  const { out } = await init(t, cwd);
  await link(cwd, "mediagate");
  const app =
    "const app = { post: (path, handler) => console.log(path, typeof handler) };";
  for (const [name, pattern] of /** @type {const} */ ([
    ["app.js", /^- Mount it: (.*)$/m],
    [
      "app.mjs",
      /^- Or, in a module or where a bundler builds your app: (.*)$/m,
    ],
  ])) {
    const [, mount] = pattern.exec(out);
    await write(cwd, { [name]: `${app}\n${mount}` });
    assert.equal(
      execFileSync(process.execPath, [name], { cwd, encoding: "utf8" }),
      "/media/session function\n",
    );
  }
});

const COMPILER_OPTIONS = {
  target: "es2023",
  module: "nodenext",
  moduleResolution: "nodenext",
  lib: ["es2023", "dom"],
  types: ["node"],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  skipLibCheck: true,
  noEmit: true,
};

/** What `node_modules` and the frameworks' own files would declare, and how each handler is used. */
const USES = {
  next: `import type { NextRequest } from "next/server.js";
import { POST } from "../app/media/session/route.js";
export const route: (request: NextRequest, context: { params: Promise<{}> }) => Promise<Response> = POST;`,
  pages: `import type { NextApiHandler } from "next";
import handler from "../pages/api/media/session.js";
export const route: NextApiHandler = handler;`,
  hono: `import { Hono } from "hono";
import { sessionHandler } from "../src/session.js";
new Hono().post("/media/session", sessionHandler);
new Hono<{ Bindings: { OTHER: string } }>().post("/media/session", sessionHandler);`,
  express: `import express from "express";
import { sessionHandler } from "../src/session.js";
express().post("/media/session", sessionHandler);`,
  sveltekit: `import { POST } from "../src/routes/media/session/+server.js";
interface RequestEvent { request: Request; locals: {} }
export const route: (event: RequestEvent) => Response | Promise<Response> = POST;`,
};

for (const [kind, use] of Object.entries(USES)) {
  test(`${kind}: the endpoint fits the framework's types, also filled in`, async (t) => {
    const [, dependency] = PROJECTS.find(([it]) => it === kind);
    const cwd = await project(t, {
      "package.json": packageJson([dependency], { type: "module" }),
      "tsconfig.json": JSON.stringify({
        compilerOptions: COMPILER_OPTIONS,
        include: ["**/*.ts"],
      }),
      "uses/use.ts": use,
      "uses/env.d.ts":
        'declare module "$env/dynamic/private" { export const env: Record<string, string | undefined>; }',
      ...(kind === "pages" ? { "pages/index.ts": "" } : { "src/index.ts": "" }),
    });
    await init(t, cwd);
    await link(
      cwd,
      "mediagate",
      "hono",
      "express",
      "next",
      "react",
      "@types/node",
      "@types/express",
      "@types/react",
    );
    const check = () =>
      execFileSync(join(ROOT, "node_modules/.bin/tsc"), ["--project", "."], {
        cwd,
        encoding: "utf8",
      });
    assert.equal(check(), "");
    const path = Object.keys(await contents(cwd)).find((it) =>
      /session.*\.ts$/.test(it),
    );
    await fillIn(cwd, path);
    assert.equal(check(), "");
  });
}
