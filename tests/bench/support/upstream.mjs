// A fake upstream that costs as little as possible: fixed responses, and a storage that discards
// its files.
import { discardBody, sendJson, serve } from "./server.mjs";

/**
 * Starts the upstream. `creates` and `polls` count the requests, `stored` the uploaded bytes.
 *
 * @param {(id: string, pollCount: number) => boolean} isOver returns true if a task has ended
 */
export async function startUpstream(isOver = () => false) {
  const upstream = { creates: 0, polls: 0, stored: 0 };
  const pollCounts = new Map();
  const state = (id) => {
    upstream.polls++;
    pollCounts.set(id, (pollCounts.get(id) ?? 0) + 1);
    return isOver(id, pollCounts.get(id)) ? "SUCCEEDED" : "PROCESSING";
  };
  const server = await serve(async (request, response) => {
    if (request.method === "GET") {
      const id = request.url.split("/").pop();
      return sendJson(response, task(id, state(id)));
    }
    const length = await discardBody(request);
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

const task = (id, status) => ({
  code: 0,
  message: "ok",
  data: {
    task: {
      id,
      status,
      progress: 40,
      created_at: "2026-01-01T00:00:00Z",
      ...(status === "SUCCEEDED" && { output_url: "https://h.example/a.png" }),
    },
  },
});
