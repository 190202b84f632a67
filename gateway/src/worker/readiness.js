// Asks the process beside workerd if the gateway can store data and open files, and how many
// Durable Objects are open.
import Gateway from "./index.js";
import { log } from "./log.js";

/** Milliseconds for which a result of the check of the storage is used again. */
const STORAGE_VALID_MS = 1_000;
/** Milliseconds between two checks of the open files. */
const FILES_INTERVAL_MS = 250;
/** Milliseconds after which a result no longer counts, and requests are served again. */
const FILES_VALID_MS = 2_000;
const WORDS = {
  ENOSPC: "the disk is full",
  EDQUOT: "its quota is used up",
  EROFS: "the disk is read-only",
  ETIMEDOUT: "the disk does not respond",
};

/** @typedef {{ FRONT: { readiness: string }, READINESS: { fetch: typeof fetch } }} Env */

/**
 * Resolves to the response of the process beside this one; `undefined` if there is none.
 *
 * @param {Env} env
 * @param {string} [path] of the check
 */
async function ask({ FRONT, READINESS }, path = "") {
  try {
    const response = await READINESS.fetch(
      `http://readiness${FRONT.readiness}${path}`,
    );
    return await response.text();
  } catch {
    // The process beside this one has been killed, so this one is about to end.
    return undefined;
  }
}

/**
 * The last result of the check of the storage.
 *
 * @type {{ problem: string | undefined, validUntil: number } | undefined}
 */
let storage;

/**
 * Resolves to the reason why a create can't be recorded; `undefined` if it can.
 *
 * @param {Env} env
 */
export async function findStorageProblem(env) {
  if (storage && Date.now() < storage.validUntil) return storage.problem;
  const problem = (await ask(env)) || undefined;
  storage = { problem, validUntil: Date.now() + STORAGE_VALID_MS };
  return problem;
}

/** @type {number | undefined} */
let checkedAt;
let isShort = false;
let isChecking = false;

/**
 * Returns true if workerd should take no more requests: it crashes if it can't open another file.
 * A request may start a check, which also tells the gateway how many objects are open. No request
 * waits for a check.
 *
 * @param {Env} env
 * @param {{ waitUntil: (promise: Promise<unknown>) => void }} context
 */
export function areFilesShort(env, context) {
  // A clock that was set back makes the difference negative.
  const age =
    checkedAt === undefined ? Infinity : Math.abs(Date.now() - checkedAt);
  if (age >= FILES_VALID_MS) isShort = false;
  // A slow check is not joined by others, which would make it slower.
  if (age >= FILES_INTERVAL_MS && !(isChecking && age < FILES_VALID_MS)) {
    checkedAt = Date.now();
    // From here on the gateway bounds its objects, also before the first response.
    Gateway.noteOpenObjects(undefined, checkedAt);
    isChecking = true;
    context.waitUntil(checkFiles(env, checkedAt));
  }
  return isShort;
}

/**
 * @param {Env} env
 * @param {number} askedAt
 */
async function checkFiles(env, askedAt) {
  const text = await ask(env, "/open-files");
  /** @type {import("../workerd/open-files.js").OpenFiles} */
  const { areShort, objects } = text
    ? JSON.parse(text)
    : { areShort: false, objects: undefined };
  isShort = areShort;
  isChecking = false;
  Gateway.noteOpenObjects(objects, askedAt);
}

/** Returns and logs the response of `/healthz` to a storage problem. */
export const respondNotReady = (problem) =>
  refuse(
    "health",
    `the gateway can't write in its folder of data: ${WORDS[problem] ?? problem}; creates fail until it can`,
    { "retry-after": String(STORAGE_VALID_MS / 1_000) },
    { reason: "storage" },
  );

/** Returns and logs the refusal of a request while files are short. */
export const refuseOverload = () =>
  refuse(
    "overload",
    "server error: the gateway has too many requests and connections open; repeat this one later",
    {
      "access-control-allow-origin": "*",
      "access-control-expose-headers": "retry-after",
      "retry-after": String(FILES_VALID_MS / 1_000),
    },
    { reason: "overloaded", outcome: "not_sent" },
  );

function refuse(operation, message, headers, data) {
  log({ code: 99, operation, reason: data.reason, status: 503 });
  return Response.json(
    { code: 99, message, data },
    { status: 503, headers: { "cache-control": "no-store", ...headers } },
  );
}
