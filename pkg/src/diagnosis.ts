import { type Hooks, sendThrough } from "./hooks.js";
import type { MiddlewareRequest } from "./types/hooks.js";
import { within } from "./waiting.js";

/** The limit of the requests of a diagnosis in milliseconds. */
const MAX_TIME = 8_000;

const LOCAL_HOSTS = [
  /^((.+\.)?localhost|.+\.local)$/,
  /^(127|10)(\.\d+){3}$/,
  /^(192\.168|169\.254|172\.(1[6-9]|2\d|3[01]))(\.\d+){2}$/,
  /^\[(::1|f[cd].*|fe[89ab].*)\]$/,
];

type Unanswered = Omit<MiddlewareRequest, "method" | "body">;

/**
 * Finds out why a page gets no response from a URL. A `GET` with the same headers changes nothing,
 * and the browser checks it in the same way. A request without CORS, whose response nobody can
 * read, shows if there is a server.
 *
 * @returns The part of the browser that blocks the request; `local` if the page is not local and
 * the URL is, so that the browser may ask for a permission; `undefined` if the reason is unknown.
 */
export async function diagnose(
  request: Unanswered,
  hooks: Hooks,
): Promise<"cors" | "policy" | "local" | undefined> {
  const origin = pageOrigin();
  if (!origin || request.url.startsWith(`${origin}/`)) return undefined;
  const policy = observePolicy(request.url);
  const blocked = async () =>
    !(await isAnswered(request, hooks)) &&
    (await isAnswered(
      { ...request, headers: new Headers() },
      hooks,
      "no-cors",
    ));
  try {
    const limits = { signal: request.signal, timeout: MAX_TIME };
    if (await within(limits, blocked()).catch(() => false)) return "cors";
    if (await policy.hasBlocked()) return "policy";
    const isLocalOnly =
      isLocal(request.url) && !isLocal(globalThis.location.href);
    return isLocalOnly ? "local" : undefined;
  } finally {
    policy.stop();
  }
}

/**
 * Finds out if an upload gets no response because of its size, by a request without the file.
 *
 * @returns `large` if the server responds to that; `undefined` if that is not known.
 */
export async function diagnoseUpload(
  request: Unanswered,
  isRelayed: boolean,
  hooks: Hooks,
): Promise<"large" | undefined> {
  // A storage may allow this page to read, and not to write.
  if (pageOrigin() && !isRelayed) return undefined;
  const limits = { signal: request.signal, timeout: MAX_TIME };
  const responding = within(limits, isAnswered(request, hooks));
  return (await responding.catch(() => false)) ? "large" : undefined;
}

function isLocal(url: string): boolean {
  const { hostname } = new URL(url);
  return LOCAL_HOSTS.some((pattern) => pattern.test(hostname));
}

function pageOrigin(): string | undefined {
  try {
    return globalThis.location?.origin;
  } catch {
    // Deno throws unless it was started with a location.
    return undefined;
  }
}

/**
 * Observes if the page's Content-Security-Policy blocks requests to the host of a URL, which must
 * be valid. Call `hasBlocked` after a failure.
 */
export function observePolicy(url: string): {
  hasBlocked: () => Promise<boolean>;
  stop: () => void;
} {
  // Servers have no such policy.
  if (!pageOrigin()) return { hasBlocked: async () => false, stop() {} };
  const name = "securitypolicyviolation";
  const { origin } = new URL(url);
  let isBlocked = false;
  const listener = (event: Event) => {
    const { effectiveDirective, disposition, blockedURI } =
      event as SecurityPolicyViolationEvent;
    const isEnforced =
      effectiveDirective === "connect-src" && disposition === "enforce";
    if (isEnforced && blockedURI.startsWith(origin)) isBlocked = true;
  };
  globalThis.addEventListener?.(name, listener);
  return {
    hasBlocked: async () => {
      // The event may come after the request has failed.
      await new Promise((resolve) => setTimeout(resolve));
      return isBlocked;
    },
    stop: () => globalThis.removeEventListener?.(name, listener),
  };
}

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
