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

const state = { until: 0, problem: "" };

/**
 * Resolves to the reason why a create can't be recorded; empty if it can.
 *
 * @param {{ FRONT: { readiness: string }, READINESS: { fetch: typeof fetch } }} env
 */
export async function storageProblem({ FRONT, READINESS }) {
  if (Date.now() < state.until) return state.problem;
  const response = await READINESS.fetch(
    `http://readiness${FRONT.readiness}`,
  ).catch(() => undefined);
  // Without that process the answer is unknown. It has been killed, so this one is about to end.
  state.problem = (await response?.text()) ?? "";
  state.until = Date.now() + VALID_MS;
  return state.problem;
}

/** Returns and logs the response of `/healthz` to a storage problem. */
export function notReady(problem) {
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
