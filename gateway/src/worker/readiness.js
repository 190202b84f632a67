// Checks if the gateway can do its work. The process beside workerd says if it can store data, and
// counts the open files and Durable Objects.

import { USER_AGENT } from "../user-agent.js";
import Gateway from "./index.js";
import { log } from "./log.js";

/** Milliseconds for which a result of the check is used again. */
const VALID_MS = 1_000;
/** Milliseconds for which it is used during the next check, so that requests cause no other. */
const VALID_DURING_CHECK_MS = 5_000;
/** Milliseconds after which a count of files no longer holds, and requests are served again. */
const FILES_VALID_MS = 10_000;
/** Seconds after which a request that was refused for lack of files may be sent again. */
const FILES_RETRY_S = 2;
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

/**
 * Resolves to the reason why a create can't be recorded.
 *
 * @param {Env} env
 */
async function findStorageProblem({ FRONT, READINESS }) {
  // Without a response, the process beside this one has been killed, so this one is about to end.
  const code = await READINESS.fetch(`http://readiness${FRONT.readiness}`)
    .then((response) => response.text())
    .catch(() => "");
  if (!code) return undefined;
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
      headers: { "user-agent": USER_AGENT },
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

// Bounded from the start, before anything has counted the objects: after a restart, alarms run first.
Gateway.noteOpenObjects(undefined, 0);

/** The last count of open files: the time until which it holds, and whether they are short. */
const files = { validUntil: 0, areShort: false };

/**
 * Stores what the process beside workerd has counted.
 *
 * @param {import("../workerd/open-files.js").OpenFiles} counted
 */
export function noteOpenFiles({ areShort, objects, at }) {
  Object.assign(files, { areShort, validUntil: at + FILES_VALID_MS });
  Gateway.noteOpenObjects(objects, at);
}

/** Returns true if workerd should take no requests: it crashes if it can't open another file. */
export function areFilesShort() {
  return files.areShort && Date.now() < files.validUntil;
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
      "retry-after": String(FILES_RETRY_S),
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
