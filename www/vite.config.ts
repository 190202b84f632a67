import { defineConfig, type Plugin } from "vite";

/**
 * Loads the font, and the client's script and wasm, beside the page's script, which requests them
 * only once it runs. The low priority lets the page's script come first over HTTP/2.
 */
const preloadClient: Plugin = {
  name: "preload-client",
  transformIndexHtml: {
    order: "post",
    handler(_, { bundle = {} }) {
      const links = Object.keys(bundle).flatMap((name) => {
        if (name.endsWith(".woff2"))
          return {
            rel: "preload",
            as: "font",
            type: "font/woff2",
            href: `/${name}`,
          };
        if (!/\bmediagate[-_]/.test(name)) return [];
        return name.endsWith(".wasm")
          ? {
              rel: "preload",
              as: "fetch",
              type: "application/wasm",
              href: `/${name}`,
            }
          : { rel: "modulepreload", href: `/${name}` };
      });
      return links.map((link) => ({
        tag: "link",
        attrs: { ...link, crossorigin: true, fetchpriority: "low" },
        injectTo: "head",
      }));
    },
  },
};

export default defineConfig({
  plugins: [preloadClient],
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
