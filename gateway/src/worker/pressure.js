// Refuses requests while workerd can open few more files: it crashes if it can't open another one.
import { log } from "./log.js";

/** Milliseconds between two checks. */
const INTERVAL_MS = 250;
/** Milliseconds after which a result no longer counts, and requests are served again. */
const VALID_MS = 2_000;
const RETRY_AFTER_SECONDS = 2;

/** @type {number | undefined} */
let checkedAt;
let isShort = false;

/**
 * Returns true if workerd should take no more requests, by the latest check of the process beside
 * it. A request may start a check, but no request waits for one.
 *
 * @param {{ FRONT: { readiness: string }, READINESS: { fetch: typeof fetch } }} env
 * @param {{ waitUntil: (promise: Promise<unknown>) => void }} context
 */
export function areFilesShort(env, context) {
  // A clock that was set back makes the difference negative.
  const age =
    checkedAt === undefined ? Infinity : Math.abs(Date.now() - checkedAt);
  if (age >= VALID_MS) isShort = false;
  if (age >= INTERVAL_MS) {
    checkedAt = Date.now();
    context.waitUntil(check(env));
  }
  return isShort;
}

async function check({ FRONT, READINESS }) {
  try {
    const response = await READINESS.fetch(
      `http://readiness${FRONT.readiness}/open-files`,
    );
    isShort = (await response.text()) !== "";
  } catch {
    // The process beside this one has been killed, so this one is about to end.
    isShort = false;
  }
}

/** Returns and logs the refusal. */
export function refuseOverload() {
  const reason = "overloaded";
  log({ code: 99, operation: "overload", reason, status: 503 });
  const message =
    "server error: the gateway has too many requests and connections open; repeat this one later";
  const headers = {
    "access-control-allow-origin": "*",
    "access-control-expose-headers": "retry-after",
    "cache-control": "no-store",
    "retry-after": String(RETRY_AFTER_SECONDS),
  };
  const data = { reason, outcome: "not_sent" };
  return Response.json({ code: 99, message, data }, { status: 503, headers });
}
