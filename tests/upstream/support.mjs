// Calls a module as the gateway does.
import assert from "node:assert/strict";
import { startFal } from "../support/providers/fal.mjs";
import { startGoogle } from "../support/providers/google.mjs";
import { startReplicate } from "../support/providers/replicate.mjs";
import { startRunway } from "../support/providers/runway.mjs";
import { startVideos } from "../support/providers/videos.mjs";

const API = "/api/app/v1";

/** Sends a request to the module; `body` makes it a `POST`. */
export async function send(
  worker,
  env,
  path,
  { method = "", body = undefined, headers = {} } = {},
) {
  const waiting = [];
  const response = await worker.fetch(
    new Request(`http://module${path}`, {
      method: method || (body === undefined ? "GET" : "POST"),
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
    }),
    env,
    { waitUntil: (promise) => waiting.push(promise) },
  );
  await Promise.all(waiting);
  return response;
}

/** Resolves to the envelope of a response, with its HTTP headers. */
export async function envelope(worker, env, path, options = {}) {
  const response = await send(worker, env, API + path, options);
  return { headers: response.headers, ...(await response.json()) };
}

export const create = (worker, env, capability, body) =>
  envelope(worker, env, `/generate/video/${capability}`, { body });

export const poll = (worker, env, id) =>
  envelope(worker, env, `/generate/tasks/${id}`);

const hasEnded = ({ state }) => !["QUEUED", "RUNNING"].includes(state);

/**
 * Creates a task, and polls until it has ended. Polls that fail are repeated, as by the gateway, and a
 * task that has ended in the response to its create is not polled.
 */
export async function ended(worker, env, capability, body) {
  const { code, message, data } = await create(worker, env, capability, body);
  assert.equal(code, 0, message);
  const failures = [];
  if (hasEnded(data.task)) return { ...data.task, failures };
  for (let polls = 0; polls < 10; polls += 1) {
    const polled = await poll(worker, env, data.task.id);
    if (polled.code !== 0) failures.push(polled.code);
    else if (hasEnded(polled.data.task))
      return { ...polled.data.task, failures };
  }
  throw new Error("the task has no end");
}

export async function startProviders() {
  const [fal, google, replicate, runway, videos] = await Promise.all([
    startFal(),
    startGoogle(),
    startReplicate(),
    startRunway(),
    startVideos(),
  ]);
  const stop = () =>
    Promise.all(
      [fal, google, replicate, runway, videos].map((each) => each.stop()),
    );
  return { fal, google, replicate, runway, videos, stop };
}
