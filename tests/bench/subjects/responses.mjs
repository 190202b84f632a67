// A fake network that costs only a real `Response`, in the format of every subject.

const TASK = {
  id: "t-1",
  status: "PROCESSING",
  progress: 0.4,
  created_at: "2026-01-01T00:00:00Z",
};
const URLS = {
  status_url: "https://x.test/s",
  response_url: "https://x.test/r",
  cancel_url: "https://x.test/c",
};

/** One body with the members of all formats, so that each client reads the same number of bytes. */
const RESPONSE = JSON.stringify({
  ...{ code: 0, message: "ok", data: { task: TASK } },
  ...{ request_id: "t-1", status: "IN_PROGRESS", queue_position: 0, ...URLS },
  ...{
    id: "t-1",
    version: "v",
    urls: { get: URLS.status_url },
    createdAt: TASK.created_at,
    progress: 0.4,
  },
});

/** Replaces `fetch`, and returns a function that restores it. */
export function stubFetch(body = RESPONSE) {
  const { fetch } = globalThis;
  globalThis.fetch = async () =>
    new Response(body, {
      status: 200,
      headers: { "content-type": "application/json" },
    });
  return () => (globalThis.fetch = fetch);
}
