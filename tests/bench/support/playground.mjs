// What the playground downloads at once, each file compressed by itself, and what waits until somebody needs it.
import { readFile, readdir } from "node:fs/promises";
import { brotliCompressSync } from "node:zlib";

const dist = new URL("../../../www/dist/", import.meta.url);
/** Every start needs these, though the page does not name them: its script and its style sheet do. */
const ALWAYS = /\.(wasm|woff2)$/;

/** Bytes after brotli at once, and raw bytes of the rest. */
export async function playground() {
  const page = await readFile(new URL("index.html", dist), "utf8");
  const sizes = { first: brotliCompressSync(page).length, later: 0 };
  for (const name of await readdir(new URL("assets/", dist))) {
    const bytes = await readFile(new URL(`assets/${name}`, dist));
    if (page.includes(name) || ALWAYS.test(name)) sizes.first += brotliCompressSync(bytes).length;
    else sizes.later += bytes.length;
  }
  return sizes;
}
