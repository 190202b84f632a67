// Loads modules of the playground that need no browser.
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const sources = fileURLToPath(new URL("../../www/src/", import.meta.url));

/** Bundles a module for Node and imports it, by its path under `www/src`. */
export async function sourceModule(path) {
  const { outputFiles } = await build({
    entryPoints: [sources + path],
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    logLevel: "error",
  });
  return import(
    `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`
  );
}
