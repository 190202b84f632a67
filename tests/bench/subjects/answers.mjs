// A network that costs nothing but a real `Response`: every subject is answered in its own words.

const TASK = { id: "t-1", status: "PROCESSING", progress: 0.4, created_at: "2026-01-01T00:00:00Z" };
const URLS = { status_url: "https://x.test/s", response_url: "https://x.test/r", cancel_url: "https://x.test/c" };

/** One answer that is all of theirs at once, so that each reads as many bytes. */
export const ANSWER = JSON.stringify({
  ...{ code: 0, message: "ok", data: { task: TASK } },
  ...{ request_id: "t-1", status: "IN_PROGRESS", queue_position: 0, ...URLS },
  ...{ id: "t-1", version: "v", urls: { get: URLS.status_url }, createdAt: TASK.created_at, progress: 0.4 },
});

/** Takes the place of `fetch` until the function that it gives is called. */
export function stubFetch(answer = ANSWER) {
  const { fetch } = globalThis;
  globalThis.fetch = async () => new Response(answer, { status: 200, headers: { "content-type": "application/json" } });
  return () => (globalThis.fetch = fetch);
}
