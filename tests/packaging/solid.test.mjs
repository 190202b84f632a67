// mediagate/solid: a page that a server has rendered, and each function in it.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { renderToString } from "solid-js/web";
import { install, remove, run, tool } from "./support/install.mjs";
import { suite } from "./support/suite.mjs";

// Long enough for a reload before the end.
const suited = suite({
  storage: true,
  stack: { flags: ["--task-seconds", "5"] },
});

let folder;
const build = (...options) =>
  run(tool("vite"), ["build", "--logLevel", "warn", ...options], folder);
before(async () => {
  folder = await install("solid", "solid");
  await build("--outDir", "dist/client");
  await build("--outDir", "dist/server", "--ssr", "server.tsx");
  const { render } = await import(`${folder}/dist/server/server.js`);
  const { head, app } = render(() =>
    assert.fail("a server has connected to the gateway"),
  );
  const page = `${folder}/dist/client/index.html`;
  const html = await readFile(page, "utf8");
  await writeFile(
    page,
    html.replace("<!--head-->", head).replace("<!--app-->", app),
  );
});
after(() => remove(folder));

const open = async (t) => (await suited.visit(t, `${folder}/dist/client`)).page;

test("a page goes on from the server's HTML, and after a reload with its task", async (t) => {
  const html = await readFile(`${folder}/dist/client/index.html`, "utf8");
  assert.match(html, /<button[^>]* disabled[^>]*>/);
  assert.match(html, /<output[^>]*>connecting</);
  const page = await open(t);
  await page.shows("output", "idle");
  await page.type("input", "a paper boat");
  await page.click("button");
  await page.find("progress");
  await page.reload();
  await page.waitFor(() => /restoring|running/.test(document.body.innerText));
  await page.shows("output", "succeeded");
  await page.waitFor(() => document.querySelector("img")?.naturalWidth > 0);
  await page.shows("ol", "a paper boat: SUCCEEDED");
  assert.ok(await page.evaluate(() => globalThis.served.isConnected));
  const tasks = await page.evaluate(async () => {
    const url = new URLSearchParams(location.search).get("gateway");
    const media = await globalThis.connect({ url });
    return (await media.tasks.list()).tasks.length;
  });
  assert.equal(tasks, 1);
  assert.deepEqual(await page.lines(), []);
});

test("each function shows its state until it is cleaned up", async (t) => {
  const page = await open(t);
  await page.evaluate(async () => {
    const { connect, createRoot, ...own } = /** @type {any} */ (globalThis);
    const url = new URLSearchParams(location.search).get("gateway");
    const media = await connect({ url });
    const task = await media.textToImageTurbo({ prompt: "a paper boat" });
    const film = await media.pipelines.start((p) =>
      p.textToImageTurbo({ prompt: "a paper boat" }),
    );
    globalThis.shown = createRoot((dispose) => ({
      dispose,
      connection: own.useMedia(connect, { url }),
      task: own.useTask(() => task),
      film: own.usePipeline(() => film),
      upload: own.useUpload({ media }),
      uploads: own.useUploads({ media }),
      history: own.useHistory({ media }),
    }));
    const { upload, uploads } = globalThis.shown;
    await upload.upload(new File(["x"], "a.png", { type: "image/png" }));
    await uploads.upload([new Blob([])]);
  });
  await page.returns(() => globalThis.shown.task.snapshot.state, "SUCCEEDED");
  await page.returns(() => globalThis.shown.film.snapshot.state, "SUCCEEDED");
  await page.waitFor(() => globalThis.shown.history.tasks.length > 0);
  await page.waitFor(() => globalThis.shown.connection.media);
  const { status, codes, ids } = await page.evaluate(async () => {
    const { upload, uploads, dispose } = globalThis.shown;
    const codes = uploads.files.map(({ error }) => error.code);
    const left = uploads.upload([new Blob(["x"])]);
    dispose();
    const ids = (await left).map(Boolean);
    return { status: upload.status, codes, ids };
  });
  assert.deepEqual(
    [status, codes, ids],
    ["done", ["invalid_argument"], [false]],
  );
  assert.deepEqual(await page.lines(), []);
});

test("a changed argument makes another observer, and an equal one does not", async (t) => {
  const page = await open(t);
  const seen = await page.evaluate(() => {
    const { createRoot, createSignal, createEffect, useMedia, useHistory } =
      /** @type {any} */ (globalThis);
    const seen = [];
    /** Makes a connection that records its subscriptions. */
    const connection = (name) => {
      const state = { media: undefined, error: undefined };
      const subscribe = () => {
        seen.push(`+${name}`);
        return () => seen.push(`-${name}`);
      };
      return { getSnapshot: () => state, subscribe };
    };
    const sources = { one: connection("one"), other: connection("other") };
    const [name, setName] = createSignal("one");
    const [limit, setLimit] = createSignal({ limit: 1 });
    const [user, setUser] = createSignal("ada");
    const connect = async ({ user }) => seen.push(user);
    createRoot((dispose) => {
      useHistory(() => ({ media: sources[name()], ...limit() }));
      const { retry } = useMedia(connect, () => ({ user: user() }));
      createEffect(() => {
        retry();
        seen.push("retried");
      });
      globalThis.dispose = dispose;
    });
    setLimit({ limit: 1 });
    setName("other");
    setUser("ben");
    setLimit({ limit: 2 });
    globalThis.dispose();
    return seen.join(" ");
  });
  // The effect follows no signal of the function that it calls.
  assert.equal(
    seen,
    "+one ada ada retried -one +other ben -other +other -other",
  );
});

test("the sample compiles, and a server renders it", async () => {
  const readme = `${folder}/node_modules/mediagate/README.md`;
  const samples = (await readFile(readme, "utf8")).matchAll(
    /^```tsx\n(.*?)^```$/gms,
  );
  const [sample] = [...samples]
    .map(([, text]) => text)
    .filter((text) => text.includes("mediagate/solid"));
  await writeFile(`${folder}/sample.tsx`, sample);
  await build("--outDir", "dist/sample", "--ssr", "sample.tsx");
  const { App } = await import(`${folder}/dist/sample/sample.js`);
  assert.match(renderToString(App), /<button[^>]*>connecting</);
  await run(tool("tsc"), ["--project", "."], folder);
});
