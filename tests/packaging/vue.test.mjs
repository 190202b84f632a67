// mediagate/vue: in a page that a server has rendered, by its components' arguments, and its types.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { transform } from "esbuild";
import {
  createRenderer,
  createSSRApp,
  effectScope,
  isProxy,
  nextTick,
  reactive,
  ref,
} from "vue";
import { compileScript, parse } from "vue/compiler-sfc";
import { renderToString } from "vue/server-renderer";
import { until } from "../support/within.mjs";
import { install, remove, run, tool } from "./support/install.mjs";
import { suite } from "./support/suite.mjs";

// Long enough for a reload before the end.
const suited = suite({
  storage: true,
  stack: { flags: ["--task-seconds", "5"] },
});

let folder;
let dist;
let vue;
before(async () => {
  folder = await install("vue", "vue");
  await run(tool("vite"), ["build", "--logLevel", "warn"], folder);
  const { render } = await import(`${folder}/server.js`);
  const page = `${folder}/dist/index.html`;
  const html = await readFile(page, "utf8");
  await writeFile(page, html.replace("<!--app-->", await render()));
  dist = `${folder}/node_modules/mediagate/dist`;
  vue = await import(`${dist}/vue.js`);
});
after(() => remove(folder));

const open = async (t) => (await suited.visit(t, `${folder}/dist`)).page;

test("a server renders the page, which goes on with a create after a reload", async (t) => {
  const html = await readFile(`${folder}/dist/index.html`, "utf8");
  assert.match(html, /<output id="status">connecting<\/output>/);
  const page = await open(t);
  await page.shows("#status", "idle");
  await page.type("#prompt", "a paper boat");
  await page.click("button");
  await page.shows("#status", "running");
  const isRunning = () =>
    /QUEUED|RUNNING|PROCESSING/.test(
      document.querySelector("li")?.textContent ?? "",
    );
  await page.waitFor(isRunning);
  await page.reload();
  const isLoaded = () => document.querySelector("img")?.naturalWidth > 0;
  await page.waitFor(isLoaded);
  await page.shows("#status", "succeeded");
  await page.shows("ul", "a paper boat: SUCCEEDED");
  await page.find("img[alt='a paper boat']");
  await page.shows("#history", "1 false");
  assert.deepEqual(await page.lines(), []);
});

test("a component uploads files", async (t) => {
  const page = await open(t);
  await page.shows("#files", "false");
  await page.find("button:not(:disabled)");
  await page.evaluate(() => {
    const files = new DataTransfer();
    for (const name of ["a.png", "b.png"])
      files.items.add(new File([name], name, { type: "image/png" }));
    const input = document.querySelector("input[type=file]");
    Object.assign(input, { files: files.files });
    input.dispatchEvent(new Event("change"));
  });
  await page.shows("#files", "done,done false");
  assert.deepEqual(await page.lines(), []);
});

/** Makes a connection that counts its subscriptions. */
function counted() {
  const state = { media: undefined, error: undefined };
  const connection = {
    count: 0,
    subscribe: () => {
      connection.count += 1;
      return () => {
        connection.count -= 1;
      };
    },
    getSnapshot: () => state,
    retry: () => {},
  };
  return connection;
}

/** Mounts a component that renders nothing. */
async function mount(t, setup, ...plugins) {
  const operations = {
    createComment: () => ({}),
    insert: () => {},
    remove: () => {},
  };
  const { createApp } = createRenderer(/** @type {any} */ (operations));
  const app = createApp({
    setup: () => {
      setup();
      return () => null;
    },
  });
  for (const plugin of plugins) app.use(plugin);
  app.mount({});
  t.after(() => app.unmount());
  await nextTick();
  return app;
}

test("an argument that changes makes another observer, which ends with the component", async (t) => {
  const [first, second] = [counted(), counted()];
  const media = ref(first);
  const app = await mount(t, () => vue.useHistory({ media }));
  assert.deepEqual([first.count, second.count], [1, 0]);
  media.value = second;
  await nextTick();
  assert.deepEqual([first.count, second.count], [0, 1]);
  app.unmount();
  assert.equal(second.count, 0);
});

test("a task that is restored again is followed on, and another one is followed instead", async (t) => {
  const { fakeMedia } = await import(`${dist}/testing.js`);
  const media = fakeMedia();
  const followed = [];
  const restored = (id) => {
    const task = media.tasks.restore({ id, capability: "text_to_image" });
    const updates = (options) => {
      followed.push(id);
      return Object.getPrototypeOf(task).updates.call(task, options);
    };
    return Object.assign(task, { updates });
  };
  // A deep ref, whose proxies would be around all that is in a task.
  const task = ref(restored("a"));
  let snapshot;
  await mount(t, () => {
    ({ snapshot } = vue.useTask(task));
  });
  await until(() => snapshot.value.state === "SUCCEEDED", "the last snapshot");
  task.value = restored("a");
  await nextTick();
  assert.equal(snapshot.value.state, "SUCCEEDED");
  task.value = restored("b");
  assert.deepEqual([snapshot.value.id, snapshot.value.state], ["b", undefined]);
  assert.ok(!isProxy(snapshot.value));
  await until(() => snapshot.value.state === "SUCCEEDED", "that of the other");
  assert.deepEqual(followed, ["a", "b"]);
});

test("a client of another user is connected once what its getter reads has changed", async (t) => {
  const user = ref("ada");
  const asked = [];
  const connect = async ({ token }) => {
    asked.push(token);
    return { token };
  };
  let media;
  const plugin = vue.createMediagate(connect, () => ({ token: user.value }));
  const app = await mount(
    t,
    () => {
      ({ media } = vue.useMedia());
      vue.useMedia();
    },
    plugin,
  );
  await until(() => media.value?.token === "ada", "the first client");
  user.value = "ben";
  assert.equal(media.value, undefined);
  await until(() => media.value?.token === "ben", "the client of the other");
  assert.deepEqual(asked, ["ada", "ben"]);
  assert.ok(!isProxy(media.value));
  app.unmount();
});

test("on a server and without a client, the composables do nothing", async () => {
  const media = counted();
  const setup = () => {
    const used = [
      vue.useMedia(),
      vue.useGeneration("text_to_image", { media }),
      vue.useUpload(),
      vue.useUploads(),
      vue.useHistory({ media }),
      vue.useStoredTasks({ media }),
      vue.useTask(undefined),
      vue.usePipeline(() => undefined),
    ];
    return () => JSON.stringify(used.map(reactive));
  };
  const html = await renderToString(createSSRApp({ setup }));
  assert.match(html, /connecting.*idle.*isUploading.*hasMore.*creates/);
  assert.equal(media.count, 0);
});

test("outside of a component, a composable works in a page until the end of its scope", async (t) => {
  const media = counted();
  const open = async () => {
    const scope = effectScope();
    scope.run(() => vue.useHistory({ media }));
    await nextTick();
    return scope;
  };
  const elsewhere = await open();
  assert.equal(media.count, 0);
  elsewhere.stop();
  globalThis.document = /** @type {any} */ ({});
  t.after(() => {
    delete globalThis.document;
  });
  const scope = await open();
  assert.equal(media.count, 1);
  scope.stop();
  assert.equal(media.count, 0);
});

test("the samples compile, and a server renders them", async () => {
  const texts = await Promise.all(
    [`${dist}/vue.d.ts`, `${dist}/../README.md`].map((path) =>
      readFile(path, "utf8"),
    ),
  );
  const samples = texts.flatMap((text) => [
    ...text.replace(/^ *\* ?/gm, "").matchAll(/^```vue\n(.*?)^```$/gms),
  ]);
  assert.ok(samples.length > 0);
  for (const [index, [, text]] of samples.entries()) {
    const { descriptor } = parse(text);
    const options = { id: `sample-${index}`, inlineTemplate: true };
    const { content } = compileScript(descriptor, options);
    const { code } = await transform(content, { loader: "ts" });
    const file = `${folder}/${options.id}.mjs`;
    await writeFile(file, code);
    const { default: sample } = await import(file);
    assert.match(await renderToString(createSSRApp(sample)), /</);
  }
});

test("TypeScript infers the types", async () => {
  await run(tool("tsc"), ["--project", "."], folder);
});
