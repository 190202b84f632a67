// The service, reduced to what costs least: answers made before, and a storage that forgets.
import { drained, sendJson, serve } from "./server.mjs";

/**
 * Starts it. A task is over when `isOver(id, looks)` says so. `creates` and `looks` count its requests, `stored` the
 * bytes that came.
 */
export async function startUpstream(isOver = () => false) {
  const upstream = { creates: 0, looks: 0, stored: 0 };
  const looked = new Map();
  const state = (id) => {
    upstream.looks++;
    looked.set(id, (looked.get(id) ?? 0) + 1);
    return isOver(id, looked.get(id)) ? "SUCCEEDED" : "PROCESSING";
  };
  const server = await serve(async (request, response) => {
    if (request.method === "GET") {
      const id = request.url.split("/").pop();
      return sendJson(response, task(id, state(id)));
    }
    const length = await drained(request);
    if (request.url.startsWith("/storage/")) {
      upstream.stored += length;
      return response.writeHead(200).end();
    }
    if (request.url.endsWith("/upload_urls")) {
      const data = { upload_url: `${server.url}/storage/file`, file_id: "f" };
      return sendJson(response, { code: 0, message: "ok", data });
    }
    return sendJson(response, task(`t-${upstream.creates++}`, "QUEUED"));
  });
  return Object.assign(upstream, server);
}

const task = (id, status) => ({ code: 0, message: "ok", data: { task: { id, status, progress: 40, created_at: "2026-01-01T00:00:00Z" } } });
