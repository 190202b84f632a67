// The token endpoint that `mediagate-gateway init` writes. It refuses everyone until the app's
// authentication is filled in, and issues tokens then.
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
import { SETTINGS } from "../../support/gateway.mjs";
import { listen } from "../../support/listen.mjs";
import {
  contents,
  init,
  link,
  packageJson,
  project,
  ROOT,
  write,
} from "../init-support.mjs";

const secret = SETTINGS.SESSION_SECRET;
process.env.SESSION_SECRET = secret;

/** Resolves to the response of a Node server with this listener to a `POST`. */
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

/** Calls each kind of endpoint in its framework, or in the way that the framework does. */
const RESPONSES = {
  next: (_t, { POST }) => POST(request(), { params: Promise.resolve({}) }),
  // Next.js calls an API route with a request and a response that extend Node's.
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
 * For each kind of endpoint: the dependency, further files of the project, and the endpoint's path.
 *
 * @type {[string, string, Record<string, string>, string, object?][]}
 */
const PROJECTS = [
  ["next", "next", {}, "app/media/session/route.js"],
  [
    "next",
    "next",
    { "tsconfig.json": "{}", "src/app/page.tsx": "" },
    "src/app/media/session/route.ts",
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
  ["sveltekit", "@sveltejs/kit", {}, "src/routes/media/session/+server.js"],
  [
    "sveltekit",
    "@sveltejs/kit",
    { "tsconfig.json": "{}" },
    "src/routes/media/session/+server.ts",
  ],
];

/**
 * Loads the endpoint as a module. TypeScript, and the names that only SvelteKit has, need a
 * bundler.
 */
async function load(cwd, path) {
  const outfile = join(cwd, `out-${crypto.randomUUID()}.mjs`);
  const alias = { "$env/dynamic/private": join(cwd, "env.mjs") };
  await write(cwd, { "env.mjs": "export const env = process.env;" });
  const external = ["hono", "mediagate"].flatMap((name) => [name, `${name}/*`]);
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

/** Fills in the app's authentication. */
async function fillIn(cwd, path) {
  const text = (await contents(cwd))[path];
  assert.equal(text.split("return undefined;").length, 2);
  await write(cwd, {
    [path]: text.replace("return undefined;", 'return { subject: "alice" };'),
  });
}

for (const [kind, dependency, files, path, others] of PROJECTS) {
  test(`${dependency}, ${path}: the endpoint refuses until it is filled in`, async (t) => {
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

test("an existing route under another name stays the only one", async (t) => {
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
      Object.keys(await contents(cwd)).filter((path) =>
        path.includes("session"),
      ),
      [existing],
    );
  }
});

test("an app without a type in package.json mounts the handler as the output says, in CommonJS and as a module", async (t) => {
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

/**
 * The declarations of `node_modules` and of the frameworks' own files, and a use of each handler.
 */
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
    const [, dependency] = PROJECTS.find(([project]) => project === kind);
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
    const path = Object.keys(await contents(cwd)).find((path) =>
      /session.*\.ts$/.test(path),
    );
    await fillIn(cwd, path);
    assert.equal(check(), "");
  });
}
