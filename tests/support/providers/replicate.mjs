// The stand-in of Replicate's predictions.
import {
  BAD_GATEWAY,
  fileAt,
  has,
  isFlaky,
  isOver,
  startServer,
} from "./server.mjs";

export const KEY = "r8_canary0123456789";

const CREATE = /^\/v1\/(?:models\/[\w-]+\/[\w.-]+\/)?predictions$/;
const PREDICTION = /^\/v1\/predictions\/([\w-]+)(\/cancel)?$/;
const problem = (status, title, detail, headers) => ({
  status,
  json: { title, detail, status },
  headers,
});

/** Starts the stand-in; see {@link startServer} for the words of a prompt. */
export const startReplicate = () =>
  startServer((call, { create, jobs, url }) => {
    const file = fileAt(call);
    if (file) return file;
    if (call.headers.authorization !== `Bearer ${KEY}`)
      return problem(
        401,
        "Unauthenticated",
        "You did not pass a valid authentication token",
      );
    if (call.method === "POST" && CREATE.test(call.path))
      return submit(call, create, url);
    const [, id, isCancel] = PREDICTION.exec(call.path) ?? [];
    const job = jobs.find((made) => made.id === id);
    if (!job) return problem(404, "Not found", "Prediction not found");
    if (isCancel) job.isCancelled = true;
    else if (isFlaky(job)) return BAD_GATEWAY;
    return { json: prediction(job, url) };
  });

function submit({ path, body }, create, url) {
  const { input, version } = body;
  if (path === "/v1/predictions" && !version)
    return problem(422, "Input validation failed", "- version is required");
  if (has(input, "status=429"))
    return problem(429, "Too Many Requests", "Request was throttled.", {
      "retry-after": "7",
    });
  if (has(input, "status=402"))
    return problem(
      402,
      "Insufficient credit",
      "You have insufficient credit to run this model.",
    );
  if (has(input, "html")) return BAD_GATEWAY;
  return { status: 201, json: prediction(create(path, input), url) };
}

const ERRORS = [
  [
    "refuse",
    "The input or output was flagged as sensitive. Please try again with different inputs. (E005)",
  ],
  ["state=FAILED", "CUDA out of memory"],
];

function statusOf(job, error) {
  if (job.isCancelled) return "canceled";
  if (!isOver(job)) return job.polls === 0 ? "starting" : "processing";
  return error ? "failed" : "succeeded";
}

function prediction(job, url) {
  const error = ERRORS.find(([word]) => has(job.input, word))?.[1];
  const status = statusOf(job, error);
  const isRemoved = status === "succeeded" && has(job.input, "state=EXPIRED");
  const file = `${url}/files/${job.id}.mp4`;
  const isPicture = /flux/.test(job.path);
  const at = `${url}/v1/predictions/${job.id}`;
  return {
    id: job.id,
    model: "owner/name",
    version: "hidden",
    input: job.input,
    logs: "",
    status,
    created_at: "2026-01-01T00:00:00Z",
    data_removed: isRemoved,
    error: status === "failed" ? error : null,
    output:
      status !== "succeeded" || isRemoved ? null : isPicture ? [file] : file,
    urls: { get: at, cancel: `${at}/cancel` },
  };
}
