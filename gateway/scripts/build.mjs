// Builds `dist`: the Worker, the modules that stand before it, the library for upstream modules
// with its PDFs, and the playground.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import { build } from "esbuild";
import types from "mime-db";
import { lookup } from "mrmime";

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const WORKER = at("../crates/entry/build");
const PLAYGROUND = at("../www/dist");

/** Names such as `index-BxK3f0aZ.js`, as Vite writes them. */
const HASHED = /-[\w-]{8}\.\w+$/;

/** The encodings of `Content-Encoding`, the smallest result first. Brotli's quality is 11. */
const ENCODERS = {
  br: promisify(brotliCompress),
  gzip: (bytes) => promisify(gzip)(bytes, { level: 9 }),
};

/**
 * Describes each file of the playground by its path in a URL: its type, its tag, the encodings that
 * it is also stored in, and whether its name has a hash of its content. Writes the encoded files.
 */
async function describeFiles() {
  const entries = await readdir(PLAYGROUND, {
    recursive: true,
    withFileTypes: true,
  });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(await Promise.all(files.sort().map(describe)));
}

async function describe(file) {
  const type = lookup(file);
  if (!type) throw new Error(`${file} has an extension without a known type`);
  const path = relative(PLAYGROUND, file);
  const bytes = await readFile(file);
  const tag = createHash("sha256")
    .update(bytes)
    .digest("base64url")
    .slice(0, 22);
  const encodings = types[type]?.compressible ? Object.keys(ENCODERS) : [];
  for (const encoding of encodings) {
    const encoded = at(`dist/encoded/${encoding}/${path}`);
    await mkdir(dirname(encoded), { recursive: true });
    await writeFile(encoded, await ENCODERS[encoding](bytes));
  }
  const isText = type.startsWith("text/") || type.endsWith("javascript");
  const described = {
    type: isText ? `${type}; charset=utf-8` : type,
    etag: `"${tag}"`,
    hashed: HASHED.test(file),
    encodings,
  };
  return [`/${path.split(sep).join("/")}`, described];
}

/** @param {import("esbuild").BuildOptions} options */
const bundle = (options) =>
  build({
    bundle: true,
    format: "esm",
    target: "es2022",
    legalComments: "inline",
    logLevel: "warning",
    ...options,
  });

/**
 * Leaves out the unused parts of pdf-lib: its forms, its parser of HTML and its fonts. The package
 * does not state that its files have no side effects, and one file needs the names of the fonts.
 *
 * @type {import("esbuild").Plugin}
 */
const onlyUsedParts = {
  name: "only used parts",
  setup({ onLoad, onResolve, resolve }) {
    const isOwn = Symbol("resolved by this plugin");
    onResolve({ filter: /./ }, async ({ path, pluginData, ...options }) => {
      if (pluginData === isOwn) return undefined;
      const found = await resolve(path, { ...options, pluginData: isOwn });
      return { ...found, sideEffects: false };
    });
    onLoad({ filter: /\.compressed\.json$/ }, () => ({
      contents: "{}",
      loader: "json",
    }));
  },
};

/** Bundles pdf-lib for `mediagate-gateway/upstream/pdf`: 36 kB with gzip, instead of 250. */
async function bundlePdfLib() {
  const file = at("dist/upstream/pdf/pdf-lib.js");
  const licenses = ["@cantoo/pdf-lib/LICENSE.md", "fflate/LICENSE"].map(
    (path) => readFile(at(`../node_modules/${path}`), "utf8"),
  );
  const notices = [
    "Parts of pdf-lib and fflate. The decoders are from PDF.js, Copyright 2012 Mozilla Foundation, Apache-2.0.",
    ...(await Promise.all(licenses)),
  ];
  await bundle({
    entryPoints: [file],
    outfile: file,
    allowOverwrite: true,
    legalComments: "eof",
    // pdf-lib logs the odd values of a document, of which there may be a million.
    drop: ["console"],
    plugins: [onlyUsedParts],
    banner: { js: `/*!\n${notices.join("\n\n")}\n*/` },
  });
}

for (const folder of ["worker", "www", "encoded", "upstream"])
  await rm(at(`dist/${folder}`), { recursive: true, force: true });
for (const name of ["index.js", "index_bg.wasm"])
  await cp(join(WORKER, name), at(`dist/worker/${name}`));
await cp(PLAYGROUND, at("dist/www"), { recursive: true });
await bundle({
  entryPoints: ["front.js", "files.js"].map((name) => at(`src/worker/${name}`)),
  outdir: at("dist/worker"),
  external: ["./index.js"],
});
// For the commands that sign requests to the bucket of results.
await bundle({
  entryPoints: ["aws4fetch"],
  outfile: at("dist/aws4fetch.js"),
});
execFileSync(
  process.execPath,
  [at("../node_modules/typescript/bin/tsc"), "--project", at("upstream")],
  { stdio: "inherit" },
);
await bundlePdfLib();
await writeFile(at("dist/files.json"), JSON.stringify(await describeFiles()));
