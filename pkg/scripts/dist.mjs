// Completes `dist` after wasm-bindgen and tsc: adds the wasm as a script, for `mediagate/inline`,
// and the modules of the store with the libraries that they use.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

/** The message of the loader of the glue if it has no source. */
const NO_SOURCE =
  "init needs the source of the WebAssembly: init({ module_or_path: source }), " +
  "with the URL, a response, the bytes or the module of mediagate/mediagate.wasm";

const root = fileURLToPath(new URL("..", import.meta.url));
const wasm = join(root, "dist/wasm");

// Few projects have the library of `Symbol.dispose`. The scripts add it only on platforms that have
// it. The exports of the module are internal, and an editor would offer them.
const types = join(wasm, "mediagate.d.ts");
const written = await readFile(types, "utf8");
await writeFile(
  types,
  written
    .replaceAll(/^ *\[Symbol\.dispose\].*\n/gm, "")
    .replace(
      "export default function __wbg_init ",
      "export default function init",
    )
    .replace(
      /^export interface InitOutput \{[^}]*\}\n/m,
      "export type InitOutput = object;\n",
    )
    .replaceAll(/^.*\b__wb\w+.*;\n/gm, ""),
);

// The script must be importable on platforms without these classes. wasm-bindgen only allows for
// that if the memory is shared. Fake timers must not delay it, as in `waiting.ts`.
const script = join(wasm, "mediagate.js");
const glue = await readFile(script, "utf8");
await writeFile(
  script,
  glue
    .replaceAll(
      /^((?:let|const) \w+ =) (new (Text(?:De|En)coder)\(.*\));$/gm,
      '$1 typeof $3 === "undefined" ? undefined : $2;',
    )
    .replaceAll(
      /^cachedTextDecoder\.decode\(\);$/gm,
      "cachedTextDecoder?.decode();",
    )
    .replace(
      "if (!('encodeInto' in cachedTextEncoder))",
      "if (cachedTextEncoder && !('encodeInto' in cachedTextEncoder))",
    )
    .replace("queueMicrotask(arg0);", "Promise.resolve().then(arg0);")
    .replace(
      "async function __wbg_init_once(module_or_path) {\n",
      (line) =>
        `${line}    if (module_or_path === undefined) throw new TypeError(${JSON.stringify(NO_SOURCE)});\n`,
    ),
);

// Compressed before the conversion to base64, which compresses badly.
const packed = gzipSync(await readFile(join(wasm, "mediagate_bg.wasm")), {
  level: 9,
});
// Sets the byte for the operating system, so that every machine writes an equal file.
packed[9] = 255;
await writeFile(
  join(wasm, "inline.js"),
  `export default "${packed.toString("base64")}";\n`,
);

// The types of `mediagate/mediagate.wasm`. Those of wasm-bindgen describe the exports of the
// module.
await writeFile(
  join(wasm, "mediagate_bg.wasm.d.ts"),
  `import type { WasmSource } from "../loading.js";

/**
 * The file in the form in which the platform or the bundler imports it: its URL, its bytes or the
 * compiled module. \`load\` accepts each.
 */
declare const source: WasmSource;
export default source;
`,
);

/** Bundles a module of the store with a library: an import map may have only `mediagate`. */
async function bundle(module, name, homepage) {
  const folder = join(root, "../node_modules", name);
  const license = await readFile(join(folder, "LICENSE"), "utf8");
  await build({
    entryPoints: [join(root, `src/store/${module}.ts`)],
    outfile: join(root, `dist/store/${module}.js`),
    bundle: true,
    format: "esm",
    target: "es2022",
    sourcemap: true,
    banner: { js: `/*!\n${name} (${homepage})\n\n${license}*/` },
  });
}
await bundle("database", "idb", "https://github.com/jakearchibald/idb");
await bundle(
  "owner",
  "@noble/hashes",
  "https://github.com/paulmillr/noble-hashes",
);
