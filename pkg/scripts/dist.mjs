// Completes `dist` after wasm-bindgen and tsc: adds the wasm as a script, for `mediagate/inline`,
// and the store's database with the library that it uses.
import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const wasm = join(root, "dist/wasm");

// Few projects have the library of this member. The scripts add it only on platforms that have it.
const types = join(wasm, "mediagate.d.ts");
const written = await readFile(types, "utf8");
await writeFile(types, written.replaceAll(/^ *\[Symbol\.dispose\].*\n/gm, ""));

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
    .replace("queueMicrotask(arg0);", "Promise.resolve().then(arg0);"),
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

// A page whose import map has only `mediagate` does not find `idb`.
const { resolve } = createRequire(import.meta.url);
const idb = dirname(resolve("idb/package.json"));
const license = await readFile(join(idb, "LICENSE"), "utf8");
await build({
  entryPoints: [join(root, "src/store/database.ts")],
  outfile: join(root, "dist/store/database.js"),
  bundle: true,
  format: "esm",
  target: "es2022",
  sourcemap: true,
  banner: {
    js: `/*!\nidb (https://github.com/jakearchibald/idb)\n\n${license}*/`,
  },
});
