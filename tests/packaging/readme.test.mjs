// The samples of the READMEs and of the types' comments. Each one compiles against the package's
// types, and runs.
import assert from "node:assert/strict";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import "fake-indexeddb/auto";
import catalogue from "mediagate/catalogue.json" with { type: "json" };
import { delivery, EVENT, SECRET } from "../../pkg/test/support/deliveries.mjs";
import { picture } from "../support/fixtures.mjs";
import { SETTINGS } from "../support/gateway.mjs";
import { listen } from "../support/listen.mjs";
import { token } from "../support/token.mjs";
import { run, tool } from "./support/install.mjs";
import { suite } from "./support/suite.mjs";

// The samples use an extension as well.
const suited = suite({
  browser: false,
  stack: {
    flags: ["--task-seconds", "0", "--extensions"],
    settings: {
      INPUT_HOSTS: "127.0.0.1",
      CAPABILITIES: catalogue.capabilities.map(({ name }) => name).join(","),
    },
  },
});

const GLOBALS = `
import type { Media, Output, Pipeline, Task } from "mediagate";
declare global {
  function getSessionToken(): Promise<string>;
  function show(...values: unknown[]): void;
  function explain(...values: unknown[]): void;
  function save(outputs: readonly Pick<Output, "url">[]): Promise<void>;
  var video: { src: string };
  var cancel: { onclick: unknown };
  var photo: File;
  var bytes: Uint8Array<ArrayBuffer>;
  var signal: AbortSignal;
  var user: { id: string };
  function findUser(cookie: string | null | undefined): Promise<{ id: string; limit: number } | undefined>;
  var media: Media;
  var task: Task;
  var film: Pipeline;
}
`;
const OPTIONS = {
  compilerOptions: {
    target: "es2023",
    module: "preserve",
    moduleResolution: "bundler",
    lib: ["es2023", "dom", "dom.iterable"],
    types: ["node"],
    jsx: "react-jsx",
    allowJs: true,
    checkJs: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
  },
  include: ["sample-*", "globals.ts"],
};

/** Returns the files of types in a folder of the checkout, and in its subfolders. */
async function declarations(folder, url) {
  const names = await readdir(url, { recursive: true });
  return names
    .filter((name) => name.endsWith(".d.ts"))
    .map((name) => `${folder}/${name}`);
}

let samples;
before(async () => {
  const root = new URL("../../", import.meta.url);
  const types = await Promise.all(
    ["pkg/dist"].map(async (folder) =>
      declarations(folder, new URL(folder, root)),
    ),
  );
  const files = ["README.md", "pkg/README.md", ...types.flat()];
  const texts = await Promise.all(
    files.map((file) => readFile(new URL(file, root), "utf8")),
  );
  samples = texts
    .flatMap((text) => [
      ...text.replace(/^ *\* ?/gm, "").matchAll(/^```(\w+)\n(.*?)^```$/gms),
    ])
    .map(([, language, text]) => ({ language, text }));
  // Import maps and pages are tested in browser.test.mjs and tests/selfhost/installed.test.mjs, and
  // the frameworks but React in files of their own. A drawing has no language, and the JSON is
  // settings of Jest.
  const others = ["sh", "html", "json", "vue", "svelte", "ts"];
  samples = samples.filter(
    ({ language, text }) =>
      !others.includes(language) && !text.includes("mediagate/solid"),
  );
  assert.deepEqual(
    [...new Set(samples.map((sample) => sample.language))].sort(),
    ["js", "tsx"],
  );
  assert.ok(samples.length >= 15, `${samples.length}`);
});

test("every sample compiles", async (t) => {
  const folder = await suited.project(t, "page");
  await writeFile(`${folder}/globals.ts`, GLOBALS);
  await writeFile(`${folder}/tsconfig.json`, JSON.stringify(OPTIONS));
  await Promise.all(
    samples.map(({ language, text }, index) =>
      writeFile(
        `${folder}/sample-${index}.${language}`,
        `${text}\nexport {};\n`,
      ),
    ),
  );
  await run(tool("tsc"), ["--project", "."], folder);
});

/** Renders the exports of a sample: components, and hooks inside a component. */
async function render(file, media) {
  const root = fileURLToPath(new URL("../../node_modules", import.meta.url));
  const outfile = file.replace(/tsx$/, "bundled.cjs");
  const entry = {
    contents: `export * as sample from ${JSON.stringify(file)};
      export { createElement } from "react"; export { renderToString } from "react-dom/server";`,
    resolveDir: dirname(file),
  };
  await build({
    stdin: entry,
    bundle: true,
    platform: "node",
    jsx: "automatic",
    outfile,
    nodePaths: [root],
    logLevel: "silent",
  });
  const { sample, createElement, renderToString } =
    createRequire(file)(outfile);
  return Object.entries(sample).map(([name, value]) => {
    const component = name.startsWith("use")
      ? () =>
          createElement(
            "p",
            null,
            typeof value("https://media.example.com", async () => "t"),
          )
      : value;
    return renderToString(
      createElement(component, { media, task: globalThis.task }),
    );
  });
}

test("every sample runs", async (t) => {
  const folder = await suited.project(t, "page");
  const url = await suited.gateway();
  const host = createServer((_, response) => {
    const bytes = picture(16, 16);
    const headers = { "content-type": "image/png" };
    response.writeHead(200, { ...headers, "content-length": bytes.length });
    response.end(bytes);
  });
  t.after(() => host.close());
  const cdn = await listen(host);
  const { connect } = await import(
    `${folder}/node_modules/mediagate/dist/node.js`
  );
  const shown = [];
  const stored = new Map();
  const media = await connect({ url, token: token() });
  process.env.SESSION_SECRET = "a secret of at least 32 characters";
  t.after(() => delete process.env.SESSION_SECRET);
  Object.assign(globalThis, {
    getSessionToken: async () => token(),
    show: (...values) => shown.push(values),
    save: async () => {},
    explain: (...values) => assert.fail(values.join()),
    user: { id: "jo" },
    video: {},
    cancel: {},
    photo: new File([picture(16, 16)], "photo.png", { type: "image/png" }),
    bytes: new Uint8Array(picture(16, 16)),
    signal: new AbortController().signal,
    media,
    task: await media.textToImageTurbo({ prompt: "a paper boat" }),
    film: await media.pipelines.start((p) =>
      p.textToImageTurbo({ prompt: "a paper boat" }),
    ),
    localStorage: {
      getItem: (name) => stored.get(name),
      setItem: (name, text) => stored.set(name, text),
    },
  });
  for (const [index, { language, text }] of samples.entries()) {
    if (language === "tsx") {
      const file = `${folder}/sample-${index}.tsx`;
      await writeFile(file, text);
      const pages = await render(file, media);
      assert.ok(
        pages.length > 0 && pages.every((page) => page.startsWith("<")),
        `${pages}`,
      );
      continue;
    }
    const file = `${folder}/sample-${index}.mjs`;
    const local = text
      .replaceAll("https://media.example.com", url)
      .replaceAll("https://cdn.example.com", cdn);
    await writeFile(file, local);
    await import(file).catch((error) => assert.fail(`${text}\n${error.stack}`));
  }
  assert.match(globalThis.video.src, /^http/);
  assert.ok(
    shown.some((facts) => facts[0] === "prompt"),
    "the errors are shown",
  );
});

test("the samples for servers issue tokens to users who are signed in, and accept a webhook", async (t) => {
  const folder = await suited.project(t, "page");
  const saved = [];
  Object.assign(process.env, {
    SESSION_SECRET: SETTINGS.SESSION_SECRET,
    WEBHOOK_SECRET: SECRET,
  });
  Object.assign(globalThis, {
    findUser: async (cookie) =>
      cookie === "user=jo" ? { id: "jo", limit: 3 } : undefined,
    save: async (outputs) => saved.push(outputs),
    show: () => {},
  });
  const own = samples.filter((sample) =>
    /export const (POST|app)\b/.test(sample.text),
  );
  const exported = {};
  for (const [index, { text }] of own.entries()) {
    const file = `${folder}/server-${index}.mjs`;
    await writeFile(file, text);
    Object.assign(exported, await import(file));
  }
  const server = createServer(exported.app);
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = await listen(server);
  const session = (cookie) =>
    new Request(`${url}/media/session`, {
      method: "POST",
      headers: { cookie },
    });
  for (const send of [exported.POST, fetch]) {
    assert.equal((await send(session("user=al"))).status, 401);
    const { data } = await (await send(session("user=jo"))).json();
    const [, claims] = data.session.token.split(".");
    assert.equal(
      JSON.parse(Buffer.from(claims, "base64url").toString()).sub,
      "jo",
    );
  }
  const sent = await fetch(`${url}/media/ended`, {
    method: "POST",
    ...delivery(),
  });
  assert.deepEqual([sent.status, saved], [204, [EVENT.data.task.outputs]]);
});
