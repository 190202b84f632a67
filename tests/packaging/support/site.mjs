// A plain static web server.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";

const TYPES = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".wasm": "application/wasm",
};

/**
 * Serves a folder on a free port of 127.0.0.1.
 *
 * @param {string} folder
 * @param {{ policy?: string, types?: Record<string, string> }} options a Content-Security-Policy; other media types
 * @returns {Promise<{ url: string, seen: string[], stop: () => Promise<void> }>} `seen` grows with each requested path
 */
export async function serve(folder, { policy, types = TYPES } = {}) {
  const seen = [];
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://site");
    seen.push(pathname);
    const file = join(folder, normalize(pathname.endsWith("/") ? `${pathname}index.html` : pathname));
    const headers = { "content-type": types[extname(file)] ?? "application/octet-stream" };
    if (policy) headers["content-security-policy"] = policy;
    try {
      const bytes = await readFile(file);
      response.writeHead(200, headers).end(bytes);
    } catch {
      response.writeHead(404, { "content-type": "text/html" }).end("<!doctype html><title>Not found</title>");
    }
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  const stop = () => {
    server.closeAllConnections();
    return new Promise((stopped) => server.close(stopped));
  };
  return { url: `http://127.0.0.1:${server.address().port}`, seen, stop };
}
