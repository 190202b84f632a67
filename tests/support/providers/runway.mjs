// The stand-in of Runway's tasks.
import { BAD_GATEWAY, fileAt, has, isFlaky, startServer } from "./server.mjs";

export const KEY = "key_canary0123456789";

const ENDPOINTS = [
  "avatar_videos",
  "character_performance",
  "image_to_video",
  "text_to_image",
  "text_to_video",
  "video_to_video",
];

/** Starts the stand-in; see {@link startServer} for the words of a prompt. */
export const startRunway = () =>
  startServer((call, { create, jobs, url }) => {
    const file = fileAt(call);
    if (file) return file;
    if (call.headers["x-runway-version"] !== "2024-11-06")
      return { status: 400, json: { error: "X-Runway-Version is required" } };
    if (call.headers.authorization !== `Bearer ${KEY}`)
      return { status: 401, json: { error: "Unauthorized" } };
    const [, , kind, id] = call.path.split("/");
    if (call.method === "POST" && ENDPOINTS.includes(kind))
      return submit(call, create);
    const job = jobs.find((made) => made.id === id && !made.isCancelled);
    if (kind !== "tasks" || !job || has(job.input, "state=EXPIRED"))
      return { status: 404, json: { error: "Task not found" } };
    if (call.method === "DELETE") {
      job.isCancelled = true;
      return { status: 204 };
    }
    return isFlaky(job) ? BAD_GATEWAY : { json: task(job, url) };
  });

function submit({ path, body }, create) {
  if (!body.model)
    return {
      status: 400,
      json: {
        error: "Validation of body failed",
        issues: [
          { code: "invalid_type", message: "Required", path: ["model"] },
        ],
      },
    };
  if (has(body, "status=429"))
    return {
      status: 429,
      json: { error: "You have hit a rate limit" },
      headers: { "retry-after": "7" },
    };
  if (has(body, "status=402"))
    return {
      status: 400,
      json: { error: "You do not have enough credits to run this task." },
    };
  if (has(body, "html")) return BAD_GATEWAY;
  return { json: { id: create(path, body).id } };
}

const FAILURES = [
  ["refuse", "SAFETY.INPUT.TEXT", "Your prompt was moderated."],
  [
    "state=FAILED",
    "INTERNAL.BAD_OUTPUT.CODE01",
    "An unexpected error occurred.",
  ],
];

function task({ id, input, polls }, url) {
  const common = { id, createdAt: "2026-01-01T00:00:00.000Z" };
  if (polls < 2) return { ...common, status: "RUNNING", progress: 0.5 };
  const failure = FAILURES.find(([word]) => has(input, word));
  if (!failure)
    return {
      ...common,
      status: "SUCCEEDED",
      output: [`${url}/files/${id}.mp4?_jwt=signed`],
    };
  const [, failureCode, sentence] = failure;
  return { ...common, status: "FAILED", failure: sentence, failureCode };
}
