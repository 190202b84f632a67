// `mediagate/server` as an app imports it: in Node, Deno, Bun and a Worker, and with the types of
// the frameworks.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { build } from "esbuild";
import { jwtVerify } from "jose";
import { Miniflare } from "miniflare";
import { delivery, SECRET } from "../../pkg/test/support/deliveries.mjs";
import { SETTINGS } from "../support/gateway.mjs";
import { RUNTIMES, run, tool } from "./support/install.mjs";
import { suite } from "./support/suite.mjs";

const suited = suite({ browser: false });
const secret = SETTINGS.SESSION_SECRET;
const subject = async (jwt) => {
  const { payload } = await jwtVerify(jwt, new TextEncoder().encode(secret), {
    audience: "mediagate",
  });
  return payload.sub;
};

for (const [name, command, ...options] of RUNTIMES) {
  test(`${name}: a token is issued, and webhooks are verified`, async (t) => {
    const folder = await suited.project(t, "server");
    const altered = { ...delivery(), body: "{}" };
    const input = JSON.stringify({
      secret,
      deliveries: [delivery(), altered],
      key: SECRET,
    });
    const { token, results } = JSON.parse(
      await run(command, [...options, "main.js", input], folder),
    );
    assert.equal(await subject(token), "alice");
    assert.deepEqual(results, ["task.succeeded", "invalid_signature"]);
  });
}

/** Starts a Worker that is bundled without a configuration. Returns its URL and its bundle. */
async function worker(t, bindings) {
  const folder = await suited.project(t, "server");
  const outfile = `${folder}/out.js`;
  const { inputs } = (
    await build({
      entryPoints: [`${folder}/worker.js`],
      outfile,
      bundle: true,
      minify: true,
      format: "esm",
      metafile: true,
    })
  ).metafile;
  const script = await readFile(outfile, "utf8");
  const miniflare = new Miniflare({
    host: "127.0.0.1",
    modules: true,
    script,
    compatibilityDate: "2026-04-01",
    bindings,
    cf: false,
  });
  t.after(() => miniflare.dispose());
  return {
    url: (await miniflare.ready).origin,
    script,
    files: Object.keys(inputs),
  };
}

test("a Worker issues tokens and verifies webhooks", async (t) => {
  const { url } = await worker(t, {
    SESSION_SECRET: secret,
    WEBHOOK_SECRET: SECRET,
  });
  const session = await fetch(`${url}/session`, {
    method: "POST",
    headers: { "x-user": "alice" },
  });
  const { data } = /** @type {any} */ (await session.json());
  assert.equal(await subject(data.session.token), "alice");
  assert.equal((await fetch(`${url}/session`)).status, 405);
  const send = async (init) =>
    (await fetch(`${url}/hook`, { method: "POST", ...init })).json();
  assert.equal((await send(delivery())).type, "task.succeeded");
  assert.deepEqual(await send({ ...delivery(), body: "{}" }), {
    code: "invalid_signature",
  });
});

test("a bundle has no part of the client: no wasm, and no file but the entry's own", async (t) => {
  const { script, files } = await worker(t, {});
  assert.doesNotMatch(script, /WebAssembly|document|window/);
  assert.ok(script.length < 14_000, `${script.length} bytes`);
  const own =
    /mediagate\/dist\/(server|server\/\w+|generated\/claims|error|json|records)\.js$/;
  const others = files.filter(
    (file) => !own.test(file) && !file.endsWith("worker.js"),
  );
  assert.deepEqual(others, []);
});

test("the handlers fit the types of Next.js, Hono, Express and SvelteKit", async (t) => {
  await run(tool("tsc"), ["--project", "."], await suited.project(t, "server"));
});
