// A static web server.
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { listen } from "../../support/listen.mjs";

const TYPES = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".wasm": "application/wasm",
};

/**
 * The content of a site: a folder, a Content-Security-Policy, and other media types.
 *
 * @typedef {{ folder: string, policy?: string, types?: Record<string, string> }} Content
 */

/**
 * Starts a site on a free port of 127.0.0.1.
 *
 * @param {string} head inserted at the start of every page
 * @returns {Promise<{
 *   url: string,
 *   serve: (content: Content) => string[],
 *   stop: () => Promise<unknown>,
 * }>} `serve` replaces the content, and returns a list that grows with each requested path
 */
export async function startSite(head = "") {
  let content;
  let seen;
  const server = createServer(async (request, response) => {
    const { folder, policy, types = TYPES } = content;
    const { pathname } = new URL(request.url, "http://site");
    seen.push(pathname);
    const file = join(
      folder,
      normalize(pathname.endsWith("/") ? `${pathname}index.html` : pathname),
    );
    // Nothing is cached, because the next test serves other files at these paths.
    const headers = {
      "content-type": types[extname(file)] ?? "application/octet-stream",
      "cache-control": "no-store",
    };
    if (policy) headers["content-security-policy"] = policy;
    try {
      const bytes = await readFile(file);
      const isPage = extname(file) === ".html";
      response
        .writeHead(200, headers)
        .end(
          isPage
            ? String(bytes).replace("<!doctype html>", `$&${head}`)
            : bytes,
        );
    } catch {
      response
        .writeHead(404, { "content-type": "text/html" })
        .end("<!doctype html><title>Not found</title>");
    }
  });
  const url = await listen(server);
  const serve = (files) => {
    content = files;
    seen = [];
    return seen;
  };
  const stop = () => {
    server.closeAllConnections();
    server.close();
    return once(server, "close");
  };
  return { url, serve, stop };
}
