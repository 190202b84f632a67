// A fake upstream whose tasks run for a known time and report no progress.
import { json } from "node:stream/consumers";
import { sendJson, serve } from "./server.mjs";

/**
 * A task that is to be created.
 *
 * @typedef {object} TimedTask
 * @property {string} id the prompt of its create, by which upstream recognises it
 * @property {number} seconds how long it runs
 * @property {number} endsAt when it ends, in milliseconds since 1970; `NaN` before its create
 * @property {number} polls how often it was polled
 */

/** Starts it. `add` has upstream expect a task that runs for these seconds. */
export async function startTimedUpstream() {
  /** @type {Map<string, TimedTask>} */
  const tasks = new Map();
  const add = (seconds) => {
    const task = { id: `t-${tasks.size}`, seconds, endsAt: NaN, polls: 0 };
    tasks.set(task.id, task);
    return task;
  };
  const server = await serve(async (request, response) => {
    const isCreate = request.method === "POST";
    const id = isCreate
      ? /** @type {any} */ (await json(request)).prompt
      : request.url.split("/").pop();
    const task = tasks.get(id);
    if (!task) return response.writeHead(404).end();
    if (isCreate) task.endsAt = Date.now() + Math.round(task.seconds * 1000);
    else task.polls++;
    const status = Date.now() >= task.endsAt ? "SUCCEEDED" : "RUNNING";
    return sendJson(response, { code: 0, data: { task: { id, status } } });
  });
  return { ...server, add };
}
