// Shared by the tests of a gateway's data: an upstream that counts, and creates that are sent
// again.
import assert from "node:assert/strict";
import { request } from "../../support/request.mjs";
import { token } from "../../support/token.mjs";
import { startUpstream } from "../../support/upstream.mjs";

const API = "/api/app/v1";

/**
 * Starts an upstream that counts how often it receives each prompt. Its tasks run until `isOver` is
 * set.
 */
export async function countingUpstream(t) {
  const received = /** @type {Map<string, number>} */ (new Map());
  const state = { isOver: false };
  const upstream = await startUpstream(({ method, body }) => {
    if (method !== "POST")
      return task("t", state.isOver ? "SUCCEEDED" : "RUNNING");
    const { prompt } = JSON.parse(body);
    received.set(prompt, (received.get(prompt) ?? 0) + 1);
    return task(`task-${prompt}`, "QUEUED");
  });
  t.after(() => upstream.stop());
  return { url: upstream.url, received, state };
}

/** Returns a record as long as a real task's. */
const task = (id, status) => ({
  json: { code: 0, data: { task: { id, status, note: "n".repeat(200) } } },
});

/**
 * Sends a create with a key, which is also its prompt.
 *
 * @param {string} url
 * @param {{ subject: string, key: string, claims?: object }} create
 */
export const create = (url, { subject, key, claims }) =>
  request(`${url}${API}/generate/image/text_to_image_turbo`, {
    bearer: token(subject, undefined, claims),
    body: { prompt: key },
    headers: { "idempotency-key": key },
  });

/** Reads the state of a task. */
export const read = (url, subject, id) =>
  request(`${url}${API}/generate/tasks/${id}`, { bearer: token(subject) });

/**
 * The successful creates by their keys, with the id of each.
 *
 * @typedef {Map<string, { subject: string, id: string }>} Created
 */

/**
 * Sends creates, some at once, until `isEnough` returns true.
 *
 * @param {string} url
 * @param {{
 *   subjects: number,
 *   atOnce: number,
 *   prefix: string,
 *   isEnough: (created: Created) => boolean,
 * }} load
 * @returns {Promise<{ created: Created, refused: { subject: string, key: string, reply: any }[] }>}
 *   `reply` is `undefined` if there was none
 */
export async function createUntil(url, { subjects, atOnce, prefix, isEnough }) {
  const created = /** @type {Created} */ (new Map());
  const refused = [];
  const state = { count: 0 };
  const one = async (subject, key) => {
    const reply = await create(url, { subject, key }).catch(() => undefined);
    if (reply?.status === 200)
      created.set(key, { subject, id: reply.data.task.id });
    else refused.push({ subject, key, reply });
  };
  const caller = async () => {
    while (!isEnough(created) && refused.length < MAX_REFUSED) {
      state.count += 1;
      await one(
        `subject-${state.count % subjects}`,
        `${prefix}-${state.count}`,
      );
    }
  };
  await Promise.all(Array.from({ length: atOnce }, caller));
  return { created, refused };
}

/** The refused creates after which `createUntil` fails. */
const MAX_REFUSED = 40;

/**
 * Sends successful creates again.
 *
 * @param {string} url
 * @param {Created} created
 * @returns {Promise<any[]>} the replies that do not replay them with their ids
 */
export async function notReplayed(url, created) {
  const replies = [];
  for (const [key, { subject, id }] of created) {
    const reply = await create(url, { subject, key });
    const isReplayed =
      reply.headers.get("idempotent-replayed") === "true" &&
      reply.data?.task?.id === id;
    if (!isReplayed) replies.push(reply);
  }
  return replies;
}

/** Checks that the upstream received no create twice. */
export function assertNoneTwice(/** @type {Map<string, number>} */ received) {
  assert.deepEqual(
    [...received].filter(([, count]) => count > 1),
    [],
  );
}
