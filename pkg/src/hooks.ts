import type { ConnectOptions } from "./types/calls.js";
import type { Logger, MiddlewareRequest, RequestLog } from "./types/hooks.js";

export type Hooks = Pick<ConnectOptions, "fetch" | "middleware" | "logger">;

export type Send = (url: string, init: RequestInit) => Promise<Response>;

/** A request. Unlike the documented ones, it may have a form. */
type Request = Omit<MiddlewareRequest, "body"> & RequestInit;

/** Sends a request through the logger, the middleware and the `fetch` of the caller. */
export function sendThrough(
  { fetch, middleware, logger }: Hooks,
  request: Request,
  send: Send,
): Promise<Response> {
  // A redirect would pass the input, the idempotency key and the Turnstile response to another
  // server.
  const { url, capability: _, redirect = "manual", ...rest } = request;
  const init = { redirect, ...rest };
  const next = () => (fetch ?? send)(url, init);
  const wrapped = middleware
    ? () => middleware(request as MiddlewareRequest, next)
    : next;
  return logger ? logged(logger, request, wrapped) : wrapped();
}

async function logged(
  logger: Logger,
  { method, url: whole, capability }: Request,
  next: () => Promise<Response>,
): Promise<Response> {
  const start = Date.now();
  const [url = ""] = whole.split("?");
  const log = (
    level: "debug" | "warn",
    result: string | number,
    details: Pick<RequestLog, "status" | "requestId" | "error">,
  ) => {
    const milliseconds = Date.now() - start;
    try {
      logger[level](`mediagate: ${method} ${url} ${result}`, {
        method,
        url,
        capability,
        milliseconds,
        ...details,
      });
    } catch {
      // A logger that throws must not fail the request.
    }
  };
  try {
    const response = await next();
    const status = response?.status;
    const requestId = response?.headers?.get?.("x-request-id") ?? undefined;
    log("debug", status, { status, requestId });
    return response;
  } catch (error) {
    log("warn", "failed", { error });
    throw error;
  }
}
