// mediagate/svelte in a page that a server has rendered.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { install, remove, run, tool } from "./support/install.mjs";
import { suite } from "./support/suite.mjs";

// Long enough for a reload before the end.
const suited = suite({
  storage: true,
  stack: { flags: ["--task-seconds", "5"] },
});

let folder;
let server;
before(async () => {
  folder = await install("svelte", "svelte");
  // Svelte's plugin reads the dependencies.
  const project = `${folder}/package.json`;
  const { name, ...others } = JSON.parse(await readFile(project, "utf8"));
  const dependencies = { mediagate: "*" };
  await writeFile(project, JSON.stringify({ name, ...others, dependencies }));
  const build = ["build", "--logLevel", "warn", "--outDir"];
  await run(tool("vite"), [...build, "dist"], folder);
  await run(tool("vite"), [...build, "server", "--ssr", "server.js"], folder);
  server = await import(pathToFileURL(`${folder}/server/server.js`).href);
  const path = `${folder}/dist/index.html`;
  const empty = await readFile(path, "utf8");
  await writeFile(path, empty.replace("<!--app-->", server.html()));
});
after(() => remove(folder));

const open = async (t) => (await suited.visit(t, `${folder}/dist`)).page;

/** Resolves to the credits that are left of the emulator's account. A picture costs 4. */
async function credits() {
  return (await (await fetch(`${suited.stack.admin}/scene`)).json()).credits;
}

async function create(page, prompt) {
  await page.find("#create:enabled");
  await page.type("#prompt", prompt);
  await page.click("#create");
}

/** Runs in the page: tests if an image is shown, and loaded. */
const isLoaded = (selector) =>
  document.querySelector(selector)?.naturalWidth > 0;

/** Runs in the page: returns the prompts of the list. */
const listed = () =>
  [...document.querySelectorAll("li")].map((item) => item.textContent.trim());

test("a page of a server goes on with a picture after a reload, and creates it once", async (t) => {
  const before = await credits();
  const page = await open(t);
  const isServers = await page.evaluate(
    () => /** @type {any} */ (document.getElementById("status")).isServers,
  );
  assert.ok(isServers, "the hydration has replaced the element");
  await create(page, "a paper boat");
  await page.find("progress");
  await page.reload();
  await page.shows("#status", "succeeded");
  await page.find("#result[alt='a paper boat']");
  await page.waitFor(isLoaded, "#result");
  await page.returns(listed, ["a paper boat"]);
  assert.equal(before - (await credits()), 4, "one picture");

  // Another task makes another store.
  await page.click("li button");
  await page.shows("figcaption", "a paper boat");
  await page.waitFor(isLoaded, "figure[data-state=SUCCEEDED] img");
  assert.deepEqual(await page.lines(), []);
});

test("another capability makes another store", async (t) => {
  const page = await open(t);
  await create(page, "a paper boat");
  await page.shows("#status", "running");
  await page.click("#fine");
  await page.shows("#status", "idle");
  await page.click("#fine");
  await page.find("#result");
  assert.deepEqual(await page.lines(), []);
});

test("a component that ends stops following", async (t) => {
  const page = await open(t);
  await page.evaluate(() => {
    const network = fetch;
    globalThis.fetch = (request, init) => {
      const { pathname } = new URL(request.url ?? request);
      const signal = init?.signal ?? request.signal;
      if (pathname.endsWith("/events")) globalThis.following = signal;
      return network(request, init);
    };
  });
  await create(page, "a paper boat");
  await page.waitFor(() => globalThis.following?.aborted === false);
  await page.evaluate(() => globalThis.end());
  await page.waitFor(() => globalThis.following.aborted);
  assert.deepEqual(await page.lines(), []);
});

/** Imports the package in Node, without Svelte's compiler, with a client that sends nothing. */
async function inNode() {
  const dist = pathToFileURL(`${folder}/node_modules/mediagate/dist/`);
  const { fakeMedia } = await import(new URL("testing.js", dist).href);
  const adapter = await import(new URL("svelte.js", dist).href);
  return { adapter, media: fakeMedia() };
}

/** Collects the states of a store until its test ends. */
function collect(t, store) {
  const states = [];
  t.after(store.subscribe((state) => states.push(state)));
  return states;
}

test("on a server, a store has its first state, and starts nothing", async (t) => {
  const { adapter, media } = await inNode();
  const history = collect(t, adapter.useHistory({ media }));
  const generation = adapter.useGeneration("text_to_image", { media });
  const states = collect(t, generation);
  await setImmediate();
  assert.deepEqual(
    states.map(({ status }) => status),
    ["connecting"],
  );
  assert.deepEqual(
    history.map(({ isLoading }) => isLoading),
    [false],
  );
});

test("without a component, a store works while something subscribes", async (t) => {
  const { adapter, media } = await inNode();
  globalThis.document ??= /** @type {any} */ (new EventTarget());
  t.after(() => Reflect.deleteProperty(globalThis, "document"));
  const options = { media, store: null };
  const generation = adapter.useGeneration("text_to_image", options);
  // Svelte's `get` subscribes only for a moment.
  const seen = [];
  generation.subscribe((state) => seen.push(state))();
  const states = collect(t, generation);
  assert.equal(states.length, 1);
  await setImmediate();
  assert.equal(seen.length, 1);
  const task = await generation.run({ prompt: "a paper boat" });
  const views = collect(t, adapter.useTask(task));
  await task.done();
  await setImmediate();
  assert.deepEqual(
    [...new Set(states.map(({ status }) => status))],
    ["connecting", "idle", "creating", "running", "succeeded"],
  );
  assert.equal(views.at(-1).snapshot.state, "SUCCEEDED");

  const upload = adapter.useUpload({ media });
  const uploaded = collect(t, upload);
  const id = await upload.upload(new Blob(["x"]));
  assert.deepEqual([uploaded.at(-1).status, uploaded.at(-1).id], ["done", id]);
  const uploads = adapter.useUploads({ media });
  const listed = collect(t, uploads);
  await uploads.upload([new Blob(["x"])]);
  assert.deepEqual(listed.at(-1).progress, { loaded: 1, total: 1 });
});

test("a server bundle leaves the package to the entry of its platform", async () => {
  const bundle = await readFile(`${folder}/server/server.js`, "utf8");
  assert.match(bundle, /^import .* from "mediagate";$/m);
  assert.match(bundle, /^import .* from "mediagate\/svelte";$/m);
});
