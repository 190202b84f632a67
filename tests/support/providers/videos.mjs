// The stand-in of OpenAI's `/v1/videos`, with the states and the refusals of OpenRouter beside.
import { BAD_GATEWAY, has, isFlaky, isOver, startServer } from "./server.mjs";

export const KEY = "sk-canary0123456789";

const problem = (status, message, more) => ({
  status,
  json: { error: { message, type: "invalid_request_error", ...more } },
});

/**
 * Starts the stand-in; see {@link startServer} for the words of a prompt. "moderated" is refused at
 * once, as by OpenRouter. The content needs the key.
 */
export const startVideos = () =>
  startServer((call, { create, jobs }) => {
    if (call.headers.authorization !== `Bearer ${KEY}`)
      // Some services repeat the key.
      return problem(
        401,
        `Incorrect API key provided: ${call.headers.authorization?.slice(7)}.`,
      );
    const [, , kind, id, part] = call.path.split("/");
    if (kind !== "videos") return problem(404, "Invalid URL");
    if (call.method === "POST") return submit(call, create);
    const job = jobs.find((made) => made.id === id && !made.isCancelled);
    if (!job || has(job.input, "state=EXPIRED"))
      return problem(404, `Video with id '${id}' not found.`);
    if (part === "content") return content(job, call);
    if (call.method === "DELETE") {
      job.isCancelled = true;
      return { json: { id, deleted: true, object: "video.deleted" } };
    }
    return isFlaky(job) ? BAD_GATEWAY : { json: video(job) };
  });

function submit({ path, body }, create) {
  if (has(body, "status=429"))
    return {
      ...problem(429, "Rate limit reached", { code: "rate_limit_exceeded" }),
      headers: { "retry-after": "7" },
    };
  if (has(body, "moderated"))
    return problem(403, "Your input was flagged", {
      code: 403,
      metadata: { reasons: ["violence"], flagged_input: "moderated" },
    });
  if (has(body, "status=402"))
    return problem(402, "Insufficient credits", { code: 402 });
  if (has(body, "html")) return BAD_GATEWAY;
  return { json: video(create(path, body)) };
}

function content(job, { headers }) {
  if (!isOver(job)) return problem(404, "Video is not ready yet.");
  return headers.range
    ? {
        isFile: true,
        status: 206,
        headers: { "content-range": "bytes 0-4095/4096", "set-cookie": "a=b" },
      }
    : { isFile: true, headers: { "set-cookie": "a=b" } };
}

const ERRORS = [
  [
    "refuse",
    {
      code: "moderation_blocked",
      message: "Your request was blocked by our moderation system.",
    },
  ],
  [
    "state=FAILED",
    { code: "server_error", message: "Video generation failed." },
  ],
];

function video({ id, input, polls }) {
  const isEnded = polls >= 2;
  const error = isEnded
    ? (ERRORS.find(([word]) => has(input, String(word)))?.[1] ?? null)
    : null;
  const running = polls === 0 ? "queued" : "in_progress";
  return {
    id,
    object: "video",
    created_at: 1_700_000_000,
    completed_at: isEnded ? 1_700_000_100 : null,
    expires_at: null,
    model: input.model,
    prompt: input.prompt,
    progress: isEnded ? 100 : polls * 50,
    seconds: input.seconds ?? "4",
    size: input.size ?? "720x1280",
    status: isEnded ? (error ? "failed" : "completed") : running,
    error,
    remixed_from_video_id: null,
  };
}
