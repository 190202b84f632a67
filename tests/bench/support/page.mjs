// Opens a page in Chromium that can import our modules, and serves its files.
import { startBrowser } from "../../support/browser.mjs";
import { serve } from "./server.mjs";

// Isolated pages have a clock of higher resolution.
const ISOLATED = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
};
const TYPES = {
  js: "text/javascript",
  wasm: "application/wasm",
  html: "text/html",
};

/**
 * Opens a browser and serves files to it; `fallback` handles all other paths.
 *
 * @param {Record<string, Buffer | string>} files by path, such as `/app.js`
 * @param {(request: object, response: object) => unknown} [fallback]
 * @param {{ cache?: boolean }} options `cache` if the browser may cache the files
 */
export async function openSite(files, fallback, { cache = false } = {}) {
  const all = { "/": "<!doctype html><title>bench</title>", ...files };
  const server = await serve((request, response) => {
    const file = all[request.url];
    if (file === undefined)
      return fallback
        ? fallback(request, response)
        : response.writeHead(404).end();
    const type = TYPES[request.url.split(".").pop()] ?? TYPES.html;
    const caching = {
      "cache-control": cache ? "public, max-age=3600, immutable" : "no-store",
    };
    response
      .writeHead(200, { "content-type": type, ...ISOLATED, ...caching })
      .end(file);
  });
  const browser = await startBrowser();
  const stop = async () => {
    await browser.close();
    await server.stop();
  };
  const page = async (context) => {
    const opened = await (context ?? (await browser.newContext())).newPage();
    await opened.goto(server.url);
    return opened;
  };
  return { url: server.url, browser, page, stop };
}
