import { defineConfig } from "vite";

export default defineConfig({
  // The client loads its wasm from its own folder; the dependency optimiser would separate them.
  optimizeDeps: { exclude: ["mediagate"] },
  // React components run on Preact.
  resolve: { alias: { react: "preact/compat" } },
  build: {
    target: "es2022",
    // The gateway's content security policy allows files of its own origin, and neither data: URLs nor inline scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // One script for the first load: what it shares with later parts compresses worse in scripts of its own.
        codeSplitting: { groups: [{ name: "page", tags: ["$initial"] }] },
      },
    },
  },
});
