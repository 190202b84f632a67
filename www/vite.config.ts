import { defineConfig, type Plugin } from "vite";

/**
 * Loads the client's wasm beside the script, which requests it only once it runs. The low priority lets
 * the script come first over HTTP/2.
 */
const preloadWasm: Plugin = {
  name: "preload-wasm",
  transformIndexHtml: {
    order: "post",
    handler(_, { bundle = {} }) {
      const names = Object.keys(bundle).filter((name) =>
        name.endsWith(".wasm"),
      );
      return names.map((name) => ({
        tag: "link",
        attrs: {
          rel: "preload",
          as: "fetch",
          type: "application/wasm",
          href: `/${name}`,
          crossorigin: true,
          fetchpriority: "low",
        },
        injectTo: "head",
      }));
    },
  },
};

export default defineConfig({
  plugins: [preloadWasm],
  // The client loads its wasm from its own folder, which the dependency optimiser would separate.
  optimizeDeps: { exclude: ["mediagate"] },
  // React components run on Preact.
  resolve: { alias: { react: "preact/compat" } },
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
