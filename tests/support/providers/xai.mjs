// The stand-in of xAI's pictures and videos.
import {
  BAD_GATEWAY,
  fileAt,
  has,
  isFlaky,
  isOver,
  startServer,
} from "./server.mjs";

export const KEY = "xai-canary0123456789";
/** A picture of one pixel, as its bytes in base64. */
export const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGD4DwABBAEAX+XDSwAAAABJRU5ErkJggg==";

const problem = (status, code, error, headers) => ({
  status,
  json: { code, error },
  headers,
});

/**
 * Starts the stand-in; see {@link startServer} for the words of a prompt. Of a picture, "held" is held
 * back after it was made, and "lost" is at an address that has no file.
 */
export const startXai = () =>
  startServer((call, { create, jobs, url }) => {
    const file = fileAt(call);
    if (file) return file;
    if (call.headers.authorization !== `Bearer ${KEY}`)
      return problem(
        400,
        "invalid-argument",
        "Incorrect API key provided. You can obtain an API key from https://console.x.ai.",
      );
    if (call.method === "POST") return submit(call, create, url);
    const id = call.path.split("/").at(-1);
    const job = jobs.find((made) => made.id === id);
    if (!job || has(job.input, "state=EXPIRED"))
      return problem(404, "not-found", "Video not found");
    return isFlaky(job) ? BAD_GATEWAY : { json: video(job, url) };
  });

function submit({ path, body }, create, url) {
  if (has(body, "status=429"))
    return problem(429, "rate-limited", "Too many requests", {
      "retry-after": "7",
    });
  if (has(body, "status=402"))
    return problem(403, "forbidden", "Your team has no credits left.");
  if (has(body, "html")) return BAD_GATEWAY;
  const { id } = create(path, body);
  if (!path.startsWith("/v1/images")) return { json: { request_id: id } };
  if (has(body, "held"))
    return { json: { data: [{ respect_moderation: false }] } };
  if (has(body, "lost"))
    return { json: { data: [{ url: `${url}/nothing.png` }] } };
  return { json: { data: [{ b64_json: PIXEL }] } };
}

function video(job, url) {
  if (!isOver(job)) return { status: "pending", progress: 50 };
  if (has(job.input, "refuse"))
    return { status: "done", video: { respect_moderation: false } };
  if (has(job.input, "state=FAILED"))
    return { status: "failed", error: { code: "internal", message: "no GPU" } };
  return {
    status: "done",
    video: { url: `${url}/files/${job.id}.mp4`, duration: 6 },
  };
}
