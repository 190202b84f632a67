// The stand-in of fal's queue.
import {
  BAD_GATEWAY,
  fileAt,
  has,
  isFlaky,
  isOver,
  startServer,
} from "./server.mjs";

export const KEY = "fal-canary-id:fal-canary-secret";

const REQUEST = /^\/([\w-]+\/[\w.-]+)\/requests\/([\w-]+)(\/status|\/cancel)?$/;
const REFUSED = {
  status: 422,
  json: {
    detail: [
      {
        loc: ["body", "prompt"],
        msg: "The content could not be processed because it contained material flagged by a content checker.",
        type: "content_policy_violation",
      },
    ],
  },
};

/** Starts the stand-in; see {@link startServer} for the words of a prompt. */
export const startFal = () =>
  startServer((call, { create, jobs, url }) => {
    const file = fileAt(call);
    if (file) return file;
    if (call.headers.authorization !== `Key ${KEY}`)
      return {
        status: 401,
        json: { detail: "No user found for Key ID and Secret" },
      };
    if (call.method === "POST") return submit(call, create, url);
    const [, app, id, kind] = REQUEST.exec(call.path) ?? [];
    const job = jobs.find((made) => made.id === id);
    const isOfApp = job?.path.startsWith(`/${app}`);
    if (!isOfApp || has(job.input, "state=EXPIRED"))
      return { status: 404, json: { detail: "Request not found" } };
    if (kind === "/cancel") return cancelled(job);
    return kind === "/status" ? status(job, url) : result(job, url);
  });

function submit({ path, body }, create, url) {
  if (has(body, "status=429"))
    return {
      status: 429,
      json: { detail: "Rate limit exceeded" },
      headers: { "retry-after": "7" },
    };
  if (has(body, "html")) return BAD_GATEWAY;
  if (has(body, "status=402"))
    return {
      status: 403,
      json: { detail: "User is locked. Reason: Exhausted balance." },
    };
  return {
    json: {
      status: "IN_QUEUE",
      queue_position: 0,
      ...links(create(path, body), url),
    },
  };
}

function links({ id, path }, url) {
  const [, owner, app] = path.split("/");
  const at = `${url}/${owner}/${app}/requests/${id}`;
  return {
    request_id: id,
    response_url: at,
    status_url: `${at}/status`,
    cancel_url: `${at}/cancel`,
  };
}

function cancelled(job) {
  if (isOver(job))
    return { status: 400, json: { status: "ALREADY_COMPLETED" } };
  job.isCancelled = true;
  return { status: 202, json: { status: "CANCELLATION_REQUESTED" } };
}

function status(job, url) {
  if (isFlaky(job)) return BAD_GATEWAY;
  const isEnded = isOver(job);
  return {
    status: isEnded ? 200 : 202,
    json: {
      status: isEnded ? "COMPLETED" : "IN_PROGRESS",
      logs: null,
      ...links(job, url),
    },
  };
}

function result(job, url) {
  if (!isOver(job))
    return { status: 400, json: { detail: "Request is still in progress" } };
  if (has(job.input, "refuse")) return REFUSED;
  if (has(job.input, "state=FAILED"))
    return { status: 500, json: { detail: "Internal Server Error" } };
  // A read of the result that fails, which is none of the job.
  job.reads = (job.reads ?? 0) + 1;
  if (has(job.input, "internal") && job.reads === 1)
    return {
      status: 500,
      json: { detail: "Internal error", error_type: "internal_error" },
    };
  if (has(job.input, "crash"))
    return {
      status: 503,
      json: {
        detail: "Runner disconnected",
        error_type: "runner_disconnected",
      },
    };
  const isPicture = /flux|birefnet/.test(job.path);
  const file = {
    url: `${url}/files/${job.id}.${isPicture ? "png" : "mp4"}`,
    content_type: isPicture ? "image/png" : "video/mp4",
  };
  // The prompt comes back, and may be an address.
  if (/flux/.test(job.path))
    return {
      json: {
        images: [{ ...file, width: 64, height: 64 }],
        seed: 7,
        has_nsfw_concepts: [has(job.input, "black")],
        prompt: job.input.prompt,
      },
    };
  return { json: isPicture ? { image: file } : { video: file } };
}
