import type { Send } from "./hooks.js";
import { isRecord } from "./records.js";

/**
 * The reason why a request got no response: there was no connection, so that the server does not
 * have it; the file of an upload cannot be read; or the page's Content-Security-Policy blocks it.
 */
export type NoResponseReason = "refused" | "unreadable" | "blocked";

const reasons = new WeakMap<object, NoResponseReason>();

/** Returns the reason why a request failed; `undefined` if it is unknown. */
export function reasonOf(error: unknown): NoResponseReason | undefined {
  return isRecord(error) ? reasons.get(error) : undefined;
}

export function setReason(error: unknown, reason: NoResponseReason): void {
  if (isRecord(error)) reasons.set(error, reason);
}

/**
 * Returns the functions that send a request and record its error. A middleware may send the request
 * several times, and its own requests may get no connection.
 */
export function sends(): { byFetch: Send; fail: (error: unknown) => void } {
  let count = 0;
  const refused = new Set<unknown>();
  return {
    /** Sends the request by the `fetch` that the platform has now, which a test may replace. */
    async byFetch(url, init) {
      count += 1;
      try {
        return await fetchWithAnySignal(url, init);
      } catch (thrown) {
        // The query of an upload URL is a secret.
        const isNamed = url.includes("?") && !init.signal?.aborted;
        const error = isNamed ? withoutQueries(thrown) : thrown;
        if (hasNoConnection(error)) refused.add(error);
        throw error;
      }
    },
    /** Records the error of the request. It is a refusal if no send got a connection. */
    fail(error) {
      if (refused.has(error) && refused.size === count)
        setReason(error, "refused");
    },
  };
}

/** Sends a request by `fetch`, also with a signal of another implementation, such as jsdom's. */
async function fetchWithAnySignal(
  url: string,
  init: RequestInit,
): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    // Node refuses such a signal before it sends anything. An abort ends the operation also without
    // the signal.
    if (!/instance of AbortSignal/.test(String(error))) throw error;
    return fetch(url, { ...init, signal: null });
  }
}

/** Returns true if `fetch` failed because there was no connection. */
function hasNoConnection(error: unknown): boolean {
  if (!isRecord(error)) return false;
  // Node and Bun give a code, and Deno a message. Browsers give no reason.
  const { code, message } = isRecord(error.cause) ? error.cause : {};
  const reason = code ?? error.code ?? message;
  return (
    typeof reason === "string" &&
    /^(ECONNREFUSED|ENOTFOUND)$|\(Connect\)/.test(reason)
  );
}

/** Returns an error without the queries of URLs. Some platforms name the whole URL in theirs. */
function withoutQueries(error: unknown): unknown {
  if (!isRecord(error)) return error;
  const { message, code, cause } = error;
  const text = String(message).replaceAll(/(:\/\/[^\s?]*)\?\S*/g, "$1");
  const copy = new TypeError(text, { cause: withoutQueries(cause) });
  return code === undefined ? copy : Object.assign(copy, { code });
}
