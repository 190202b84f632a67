import type { Send } from "./hooks.js";

/** The errors of requests that got no connection. */
const refusals = new WeakSet<object>();

/** Tests if a request failed because it got no connection, so that the server does not have it. */
export function isRefusal(error: unknown): boolean {
  return isObject(error) && refusals.has(error);
}

/**
 * The sends of one request. A middleware may send the request several times, and its own requests
 * may get no connection.
 */
export class Sends {
  private count = 0;
  private readonly refused = new Set<unknown>();

  /** Sends a request by the `fetch` that the platform has now, which a test may replace. */
  readonly byFetch: Send = async (url, init) => {
    this.count += 1;
    try {
      return await fetch(url, init);
    } catch (thrown) {
      // The query of an upload URL is a secret.
      const isNamed = url.includes("?") && !init.signal?.aborted;
      const error = isNamed ? withoutQueries(thrown) : thrown;
      if (hasNoConnection(error)) this.refused.add(error);
      throw error;
    }
  };

  /** Notes the error of the request. It is a refusal if each send got no connection. */
  fail(error: unknown): void {
    const isRefusal =
      this.refused.has(error) && this.refused.size === this.count;
    if (isRefusal && isObject(error)) refusals.add(error);
  }
}

/** Tests if the error of `fetch` says that there was no connection to send the request on. */
function hasNoConnection(error: unknown): boolean {
  if (!isObject(error)) return false;
  // Node and Bun name a code, and Deno has a message. Browsers tell nothing.
  const { code, message } = isObject(error.cause) ? error.cause : {};
  const reason = code ?? error.code ?? message;
  return (
    typeof reason === "string" &&
    /^(ECONNREFUSED|ENOTFOUND)$|\(Connect\)/.test(reason)
  );
}

/** Returns an error without the queries of URLs. Some platforms name the whole URL in theirs. */
function withoutQueries(error: unknown): unknown {
  if (!isObject(error)) return error;
  const { message, code, cause } = error;
  const text = String(message).replaceAll(/(:\/\/[^\s?]*)\?\S*/g, "$1");
  const copy = new TypeError(text, { cause: withoutQueries(cause) });
  return code === undefined ? copy : Object.assign(copy, { code });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
