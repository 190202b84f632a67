import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const HERE = fileURLToPath(new URL("../", import.meta.url));

/** Bundles a module's source with all its imports, minified for browsers; returns the bytes. */
export async function bundle(contents, options = {}) {
  const result = await build({
    stdin: { contents, resolveDir: HERE },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    write: false,
    logLevel: "error",
    ...options,
  });
  return Buffer.from(result.outputFiles[0].contents);
}
