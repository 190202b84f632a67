// Reports whether the gateway can store data, as the process beside it finds.
import { log } from "./log.js";

/** Milliseconds for which a result of the check is used again. */
const VALID_MS = 1_000;
const WORDS = {
  ENOSPC: "the disk is full",
  EDQUOT: "its quota is used up",
  EROFS: "the disk is read-only",
  ETIMEDOUT: "the disk does not respond",
};

/**
 * The last result of the check.
 *
 * @type {{ problem: string | undefined, validUntil: number } | undefined}
 */
let lastResult;

/**
 * Resolves to the reason why a create can't be recorded; `undefined` if it can.
 *
 * @param {{ FRONT: { readiness: string }, READINESS: { fetch: typeof fetch } }} env
 */
export async function findStorageProblem({ FRONT, READINESS }) {
  if (lastResult && Date.now() < lastResult.validUntil)
    return lastResult.problem;
  const response = await READINESS.fetch(
    `http://readiness${FRONT.readiness}`,
  ).catch(() => undefined);
  // The text is empty if there is no problem. Without that process the answer is unknown: it has
  // been killed, so this one is about to end.
  const problem = (await response?.text()) || undefined;
  lastResult = { problem, validUntil: Date.now() + VALID_MS };
  return problem;
}

/** Returns and logs the response of `/healthz` to a storage problem. */
export function respondNotReady(problem) {
  const reason = "storage";
  log({ code: 99, operation: "health", reason, status: 503 });
  const cause = WORDS[problem] ?? problem;
  const message = `the gateway can't write in its folder of data: ${cause}; creates fail until it can`;
  const headers = {
    "cache-control": "no-store",
    "retry-after": String(VALID_MS / 1_000),
  };
  return Response.json(
    { code: 99, message, data: { reason } },
    { status: 503, headers },
  );
}
