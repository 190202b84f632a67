import { type Hooks, sendThrough } from "./hooks.js";
import type { MiddlewareRequest } from "./types/hooks.js";

/** The most milliseconds for a diagnosis. */
const MAX_TIME = 8_000;

/** A request that got no response. */
type Unanswered = Omit<MiddlewareRequest, "method" | "body">;

/**
 * Finds out why a page gets no response from a URL. A `GET` with the same headers changes nothing
 * and meets the same checks of the browser. A request without CORS, whose response nobody can read,
 * shows if there is a server.
 *
 * @param request - The request, whose signal ends the diagnosis.
 * @param hooks - The caller's functions, which may add headers.
 * @returns The part of the browser that blocks the request; `undefined` if nothing does, or if that
 * is unknown.
 */
export async function diagnose(
  request: Unanswered,
  hooks: Hooks,
): Promise<"cors" | "policy" | undefined> {
  const origin = pageOrigin();
  if (!origin || request.url.startsWith(`${origin}/`)) return undefined;
  const violations = observeViolations();
  const blocked = async () =>
    !(await isAnswered(request, hooks)) &&
    (await isAnswered(
      { ...request, headers: new Headers() },
      hooks,
      "no-cors",
    ));
  try {
    if (await withinTime(blocked(), request.signal)) return "cors";
    // The event may come after the request has failed.
    await new Promise((resolve) => setTimeout(resolve));
    return violations.hasAny() ? "policy" : undefined;
  } finally {
    violations.stop();
  }
}

/** Returns the origin of the page or of its worker, which the browser guards. */
function pageOrigin(): string | undefined {
  try {
    return globalThis.location?.origin;
  } catch {
    // Deno throws unless it was started with a location.
    return undefined;
  }
}

/** Observes the requests that the page's Content-Security-Policy blocks. */
function observeViolations(): { hasAny: () => boolean; stop: () => void } {
  const name = "securitypolicyviolation";
  let hasAny = false;
  const listener = (event: Event) => {
    const { effectiveDirective, disposition } =
      event as SecurityPolicyViolationEvent;
    if (effectiveDirective === "connect-src" && disposition === "enforce")
      hasAny = true;
  };
  addEventListener(name, listener);
  return {
    hasAny: () => hasAny,
    stop: () => removeEventListener(name, listener),
  };
}

/** Sends a `GET`, and returns true if there is a response. */
async function isAnswered(
  request: Unanswered,
  hooks: Hooks,
  mode?: RequestMode,
): Promise<boolean> {
  try {
    const response = await sendThrough(
      hooks,
      // Without CORS, browsers only send requests that follow redirects.
      {
        ...request,
        method: "GET",
        ...(mode && { mode, redirect: "follow" }),
      },
      fetch,
    );
    response.body?.cancel().catch(() => {});
    return true;
  } catch {
    return false;
  }
}

/** Returns the result of work; `false` after the longest time, and when the signal is aborted. */
function withinTime(
  work: Promise<boolean>,
  signal: AbortSignal,
): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (result: boolean) => {
      clearTimeout(timer);
      resolve(result);
    };
    const timer = setTimeout(end, MAX_TIME, false);
    signal.addEventListener("abort", () => end(false));
    work.then(end, () => end(false));
  });
}
