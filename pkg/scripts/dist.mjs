// Completes `dist` after wasm-pack: adds the scripts that the glue imports and the wasm as a JavaScript module, for
// `mediagate/inline`, and removes the glue's internal types.
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";

const SCRIPTS = ["copy", "driver", "events", "network", "page", "values"];
/** Where the glue's internal types begin: the raw exports, whose types are `any`. */
const INTERNALS = "export type InitInput";

const dist = new URL("../dist/", import.meta.url);
const sources = new URL("../../crates/browser/src/", import.meta.url);

for (const name of SCRIPTS)
  await copyFile(new URL(`${name}.js`, sources), new URL(`${name}.js`, dist));

// Compressed before it is base64, which compresses badly.
const packed = gzipSync(await readFile(new URL("mediagate_bg.wasm", dist)), {
  level: 9,
});
// The byte of the operating system, so that every machine writes the same.
packed[9] = 255;
await writeFile(
  new URL("inline.js", dist),
  `export default "${packed.toString("base64")}";\n`,
);

const types = await readFile(new URL("mediagate.d.ts", dist), "utf8");
const end = types.indexOf(INTERNALS);
if (end < 0)
  throw new Error(
    `dist/mediagate.d.ts has no \`${INTERNALS}\`; wasm-bindgen's output has changed`,
  );
await writeFile(new URL("mediagate.d.ts", dist), types.slice(0, end));
