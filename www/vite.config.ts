import { defineConfig, type Plugin } from "vite";

/** The chunks that the page's script imports as soon as it runs. */
const IMPORTED_AT_ONCE = ["glue", "store"];

/**
 * Loads beside the page's script what that requests only once it runs: the client's wasm, its glue
 * and the store. Also loads the font, which is not used if it comes after the first paint. The low
 * priority lets the page's script come first over HTTP/2.
 */
const preload: Plugin = {
  name: "preload",
  transformIndexHtml: {
    order: "post",
    handler(_, { bundle = {} }) {
      const links = Object.values(bundle)
        .map(linkTo)
        .filter((link) => !!link);
      return links.map((link) => ({
        tag: "link",
        attrs: { ...link, crossorigin: true, fetchpriority: "low" },
        injectTo: "head",
      }));
    },
  },
};

function linkTo({
  fileName,
  name = "",
}: {
  fileName: string;
  name?: string | undefined;
}) {
  const href = `/${fileName}`;
  if (href.endsWith(".wasm"))
    return { rel: "preload", as: "fetch", type: "application/wasm", href };
  if (href.endsWith(".woff2"))
    return { rel: "preload", as: "font", type: "font/woff2", href };
  return IMPORTED_AT_ONCE.includes(name)
    ? { rel: "modulepreload", href }
    : undefined;
}

export default defineConfig({
  plugins: [preload],
  // The client loads its wasm from its own folder, which the dependency optimiser would separate.
  optimizeDeps: { exclude: ["mediagate"] },
  // React components run on Preact.
  resolve: { alias: { react: "preact/compat", "react-dom": "preact/compat" } },
  build: {
    target: "es2022",
    // The gateway's content security policy allows no data: URLs, and below no inline scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // The first load is one script, since code in several scripts compresses worse.
        codeSplitting: { groups: [{ name: "page", tags: ["$initial"] }] },
      },
    },
  },
});
