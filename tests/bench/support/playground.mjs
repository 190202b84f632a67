// Measures the size of the playground's first load, with each file compressed by itself, and of the
// files that are loaded on demand.
import { readdir, readFile } from "node:fs/promises";
import { brotliCompressSync } from "node:zlib";

const dist = new URL("../../../www/dist/", import.meta.url);
/**
 * The files of every first load that the page's script and style sheet name: the wasm with its
 * glue, the package's store, and the font.
 */
const ALWAYS = /\.(wasm|woff2)$|^(glue|store)-.*\.js$/;

/** Returns the bytes of the first load after brotli, and the raw bytes of the rest. */
export async function playground() {
  const page = await readFile(new URL("index.html", dist), "utf8");
  const sizes = { first: brotliCompressSync(page).length, later: 0 };
  for (const name of await readdir(new URL("assets/", dist))) {
    const bytes = await readFile(new URL(`assets/${name}`, dist));
    if (page.includes(name) || ALWAYS.test(name))
      sizes.first += brotliCompressSync(bytes).length;
    else sizes.later += bytes.length;
  }
  return sizes;
}
