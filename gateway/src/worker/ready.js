// Whether the gateway can store what it has to, as the process beside it finds.
import { log } from "./log.js";

/** Milliseconds for which a result counts. */
const VALID_MS = 1_000;
const WORDS = {
  ENOSPC: "the disk is full",
  EDQUOT: "its quota is used up",
  EROFS: "the disk is read-only",
  ETIMEDOUT: "the disk does not respond",
};

const state = { until: 0, problem: "" };

/**
 * Why a create could not be recorded; nothing where it can.
 *
 * @param {{ FRONT: { readiness: string }, READINESS: { fetch: typeof fetch } }} env
 */
export async function storageProblem({ FRONT, READINESS }) {
  if (Date.now() < state.until) return state.problem;
  const response = await READINESS.fetch(
    `http://readiness${FRONT.readiness}`,
  ).catch(() => undefined);
  // Without that process, no one can say; it has been killed, and this one is about to end.
  state.problem = (await response?.text()) ?? "";
  state.until = Date.now() + VALID_MS;
  return state.problem;
}

/** The response of `/healthz` meanwhile, in the gateway's envelope, and its line in the log. */
export function notReady(problem) {
  const reason = "storage";
  log({ code: 99, operation: "health", reason, status: 503 });
  const message = `the gateway can't write in its folder of data: ${WORDS[problem] ?? problem}; creates fail until it can`;
  const headers = {
    "cache-control": "no-store",
    "retry-after": String(VALID_MS / 1_000),
  };
  return Response.json(
    { code: 99, message, data: { reason } },
    { status: 503, headers },
  );
}
