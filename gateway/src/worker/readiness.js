// Checks if the gateway can do its work. The process beside workerd says if it can store data and
// open files, and how many Durable Objects are open.
import Gateway from "./index.js";
import { log } from "./log.js";

/** Milliseconds for which a result of the check is used again. */
const VALID_MS = 1_000;
/** Milliseconds for which it is used during the next check, so that requests cause no further one. */
const VALID_DURING_CHECK_MS = 5_000;
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

/** Milliseconds until a bucket that does not respond counts as unreachable. */
const BUCKET_LIMIT_MS = 2_000;

/**
 * @typedef {object} Env
 * @property {{ readiness: string }} FRONT
 * @property {{ fetch: typeof fetch }} READINESS
 * @property {string} [RESULTS_BUCKET_URL]
 *
 * @typedef {{ reason: string, sentence: string }} Problem
 */

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
 * The last result of the check.
 *
 * @type {{ problem: Problem | undefined, at: number } | undefined}
 */
let checked;
let isCheckingReadiness = false;

/**
 * Resolves to the reason why the gateway can't do its work; `undefined` if it can.
 *
 * @param {Env} env
 */
export async function findProblem(env) {
  const lasts = isCheckingReadiness ? VALID_DURING_CHECK_MS : VALID_MS;
  // A clock that was set back makes the difference negative.
  if (checked && Math.abs(Date.now() - checked.at) < lasts)
    return checked.problem;
  isCheckingReadiness = true;
  const [storage, bucket] = await Promise.all([
    findStorageProblem(env),
    findBucketProblem(env),
  ]);
  isCheckingReadiness = false;
  const problem = storage ?? bucket;
  checked = { problem, at: Date.now() };
  return problem;
}

/** Resolves to the reason why a create can't be recorded. */
async function findStorageProblem(env) {
  const code = (await ask(env)) || undefined;
  if (code === undefined) return undefined;
  return {
    reason: "storage",
    sentence:
      `the gateway can't write in its folder of data: ${WORDS[code] ?? code}; ` +
      "creates fail until it can",
  };
}

/**
 * Resolves to the reason why no result can be kept. Any response below 500 will do:
 * without a signature, the bucket refuses.
 *
 * @param {Env} env
 */
async function findBucketProblem({ RESULTS_BUCKET_URL: url }) {
  if (!url?.trim()) return undefined;
  try {
    const response = await fetch(url.trim(), {
      method: "HEAD",
      redirect: "manual",
      signal: AbortSignal.timeout(BUCKET_LIMIT_MS),
    });
    if (response.status < 500) return undefined;
  } catch {
    // The name does not resolve, nothing listens, its certificate is not trusted, or the network is
    // private.
  }
  return {
    reason: "bucket",
    sentence:
      "the bucket of RESULTS_BUCKET_URL does not respond; results are not kept until it does",
  };
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

/**
 * Returns and logs the response of `/readyz` to a problem.
 *
 * @param {Request} request
 * @param {Problem} problem
 */
export const respondNotReady = (request, { reason, sentence }) =>
  refuse(
    request,
    "ready",
    sentence,
    { "retry-after": String(VALID_MS / 1_000) },
    { reason },
  );

/**
 * Returns and logs the refusal of a request while files are short.
 *
 * @param {Request} request
 */
export const refuseOverload = (request) =>
  refuse(
    request,
    "overload",
    "server error: the gateway has too many requests and connections open; repeat this one later",
    {
      "access-control-allow-origin": "*",
      "access-control-expose-headers": "retry-after",
      "retry-after": String(FILES_VALID_MS / 1_000),
    },
    { reason: "overloaded", outcome: "not_sent" },
  );

function refuse({ method }, operation, message, headers, data) {
  log(method, { code: 99, operation, reason: data.reason, status: 503 });
  return Response.json(
    { code: 99, message, data },
    { status: 503, headers: { "cache-control": "no-store", ...headers } },
  );
}
