import { defineConfig } from "vite";

export default defineConfig({
  // The client finds its wasm beside itself; the dependency optimiser would move it away.
  optimizeDeps: { exclude: ["mediagate"] },
  // What is written for React runs on Preact.
  resolve: { alias: { react: "preact/compat" } },
  build: {
    target: "es2022",
    // The gateway's content security policy allows files of its own origin, and neither data: URLs nor inline scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
