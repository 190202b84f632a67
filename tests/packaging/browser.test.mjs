// The package without a bundler: the tarball's files, unchanged.
import assert from "node:assert/strict";
import { readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { test } from "node:test";
import { IN_CHROMIUM } from "../support/engines/index.mjs";
import { listen } from "../support/listen.mjs";
import { assertWorks, suite } from "./support/suite.mjs";

const suited = suite();
const project = (t) => suited.project(t, "page", "plain");
const WASM = "/node_modules/mediagate/dist/wasm/mediagate_bg.wasm";
const COPY = "/node_modules/mediagate/dist/wasm/inline.js";

test("a module script imports the package with no set-up, fetches the wasm once, and prints nothing", async (t) => {
  const { outcome, lines, seen } = await suited.visit(t, await project(t));
  assertWorks(outcome);
  assert.deepEqual(lines, []);
  assert.equal(seen.filter((path) => path === WASM).length, 1);
  assert.ok(!seen.includes(COPY));
});

test("a module worker imports the package", async (t) => {
  const { outcome, lines } = await suited.visit(t, await project(t), {
    path: "/worker.html",
  });
  assertWorks(outcome);
  assert.deepEqual(lines, []);
});

test("the package works from a server without the media type of wasm, and the console stays empty", async (t) => {
  const types = { ".html": "text/html", ".js": "text/javascript" };
  const { outcome, lines } = await suited.visit(t, await project(t), { types });
  assertWorks(outcome);
  assert.deepEqual(lines, []);
});

test("the README's import map works with the files on another origin", {
  skip: IN_CHROMIUM,
}, async (t) => {
  const folder = await project(t);
  const readme = await readFile(
    new URL("../../pkg/README.md", import.meta.url),
    "utf8",
  );
  const maps = readme.match(/<script type="importmap">.*?<\/script>/gs) ?? [];
  const map = maps.find((text) => text.includes("cdn.example.com")) ?? "";
  const cdn = createServer(async (request, response) => {
    const type = request.url.endsWith(".wasm")
      ? "application/wasm"
      : "text/javascript";
    const file = await readFile(`${folder}/node_modules${request.url}`);
    response
      .writeHead(200, {
        "content-type": type,
        "access-control-allow-origin": "*",
      })
      .end(file);
  });
  const url = await listen(cdn);
  t.after(() => cdn.close());
  const page = `<!doctype html>${map.replace("https://cdn.example.com", url)}<script type="module" src="/main.js"></script>`;
  await writeFile(`${folder}/cdn.html`, page);
  const { outcome, seen } = await suited.visit(t, folder, {
    path: "/cdn.html",
  });
  assertWorks(outcome);
  assert.ok(!seen.some((path) => path.includes("mediagate")), `${seen}`);
});

test("mediagate/inline fetches no wasm, and needs no file beside it", async (t) => {
  const { outcome, seen } = await suited.visit(t, await project(t), {
    path: "/inline.html",
  });
  assertWorks(outcome);
  assert.ok(!seen.includes(WASM));
});

for (const source of [
  "url",
  "string",
  "request",
  "response",
  "bytes",
  "module",
]) {
  test(`mediagate/slim loads the wasm from a source of the kind ${source}`, {
    skip: IN_CHROMIUM,
  }, async (t) => {
    assertWorks(
      (
        await suited.visit(t, await project(t), {
          path: "/slim.html",
          query: { source },
        })
      ).outcome,
    );
  });
}

test("without wasm, mediagate/slim fails with an error that names load()", {
  skip: IN_CHROMIUM,
}, async (t) => {
  const { outcome } = await suited.visit(t, await project(t), {
    path: "/unloaded.html",
  });
  assert.equal(outcome.code, "not_loaded");
  assert.match(outcome.message, /mediagate\/slim .* load\(\)/);
});

test("the copy in a script is loaded if the wasm file is missing", {
  skip: IN_CHROMIUM,
}, async (t) => {
  const folder = await project(t);
  await rm(folder + WASM);
  assertWorks((await suited.visit(t, folder)).outcome);
});

test("the error names the URL of the wasm file if the copy is missing too", {
  skip: IN_CHROMIUM,
}, async (t) => {
  const folder = await project(t);
  await rm(folder + WASM);
  await rm(folder + COPY);
  const { outcome } = await suited.visit(t, folder);
  assert.equal(outcome.code, "load_failed");
  assert.match(
    outcome.message,
    /no WebAssembly at http:.*mediagate_bg\.wasm; .*mediagate\/inline/,
  );
});

test("the error names the URL that was given to load, and the alternatives", {
  skip: IN_CHROMIUM,
}, async (t) => {
  const { outcome } = await suited.visit(t, await project(t), {
    path: "/slim.html",
    query: { source: "missing" },
  });
  assert.equal(outcome.code, "load_failed");
  assert.match(
    outcome.message,
    /no WebAssembly at .*\/missing\.wasm; .*mediagate\/inline/,
  );
});

const SELF = "default-src 'none'; img-src data:; connect-src *;";

test("a policy that blocks WebAssembly is an error that names the missing keyword", async (t) => {
  for (const path of ["/", "/inline.html"]) {
    const policy = `${SELF} script-src 'self' 'unsafe-inline'`;
    const { outcome } = await suited.visit(t, await project(t), {
      policy,
      path,
    });
    assert.equal(outcome.code, "load_failed");
    assert.match(
      outcome.message,
      /Content-Security-Policy.*'wasm-unsafe-eval' to its script-src/,
    );
  }
});

test("the copy in a script is loaded if a policy blocks fetching the wasm", async (t) => {
  const { outcome } = await suited.visit(t, await project(t), {
    policy: gatewayOnly(),
  });
  assertWorks(outcome);
});

test("a policy that blocks the URL given to load is an error that names connect-src", async (t) => {
  const { outcome } = await suited.visit(t, await project(t), {
    policy: gatewayOnly(),
    path: "/slim.html",
    query: { source: "url" },
  });
  assert.equal(outcome.code, "load_failed");
  assert.match(outcome.message, /connect-src/);
});

/**
 * Returns a policy for a page that may send requests to the gateway and to the storage, but not to
 * its own server.
 */
function gatewayOnly() {
  const { url, emulator } = suited.stack;
  return [
    "default-src 'none'",
    "img-src data:",
    `connect-src ${url} ${emulator}`,
    "script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'",
  ].join("; ");
}
