import type { CapabilityName } from "./generated/capabilities.js";
import { type Hooks, type Send, sendThrough } from "./hooks.js";
import type { Instance } from "./instance.js";
import { parseJson } from "./json.js";
import type { Operation } from "./operation.js";
import { TextStream } from "./stream.js";
import type { MiddlewareRequest } from "./types/hooks.js";
import { byXhr, observesUpload, uploadRequest } from "./upload.js";
import type { PlatformRequest, PlatformResponse } from "./wasm/mediagate.js";

/**
 * Sends a request of the wasm through the functions of the caller, and reads the response.
 *
 * @throws The error of the platform or of the caller's function, if there is no response.
 */
export async function exchange(
  request: PlatformRequest,
  hooks: Hooks,
  instance: Instance,
  operation: Operation<PlatformResponse>,
): Promise<PlatformResponse> {
  const response = await send(request, hooks, operation.signal);
  if (operation.signal.aborted) response?.body?.cancel().catch(() => {});
  operation.signal.throwIfAborted();
  if (request.isStream && isEventStream(response))
    return {
      ...describe(response),
      stream: new TextStream(instance, response.body, () => operation.abort()),
    };
  if (response instanceof Response)
    return { ...describe(response), body: parseJson(await response.text()) };
  // A function of the caller has returned something else.
  return { status: 0 };
}

/** Returns the headers of a request with a token. */
export function headersOf(
  headers: Record<string, string>,
  token: string | undefined,
): Headers {
  const all = new Headers(headers);
  if (token) all.set("authorization", `Bearer ${token}`);
  return all;
}

/** Returns the capability of a request as the functions of the caller receive it. */
export function capabilityOf(
  request: PlatformRequest,
): CapabilityName | undefined {
  return request.capability as CapabilityName | undefined;
}

async function send(
  request: PlatformRequest,
  hooks: Hooks,
  signal: AbortSignal,
): Promise<Response> {
  const { url, file, target, token, onSent = () => {} } = request;
  const capability = capabilityOf(request);
  if (file) {
    const upload = uploadRequest(file, target);
    if (token) upload.headers.set("authorization", `Bearer ${token}`);
    const isObserved = observesUpload(target, request.hasSubscriber ?? false);
    const sender = isObserved ? byXhr(onSent) : byFetch;
    return sendThrough(hooks, { ...upload, url, capability, signal }, sender);
  }
  const method = request.method as MiddlewareRequest["method"];
  const headers = headersOf(request.headers, token);
  if (request.body !== undefined)
    headers.set("content-type", "application/json");
  const body =
    request.body === undefined ? undefined : JSON.stringify(request.body);
  return sendThrough(
    hooks,
    { url, method, headers, body, capability, signal },
    byFetch,
  );
}

/** Sends a request by the `fetch` that the platform has now, which a test may replace. */
const byFetch: Send = (url, init) => fetch(url, init);

function describe(response: Response): PlatformResponse {
  const { status, headers } = response;
  return {
    status,
    requestId: headers.get("x-request-id") || undefined,
    retryAfter: retryAfter(headers.get("retry-after")),
  };
}

function isEventStream(
  response: unknown,
): response is Response & { body: ReadableStream<Uint8Array> } {
  return (
    response instanceof Response &&
    response.status === 200 &&
    response.headers.get("content-type")?.startsWith("text/event-stream") ===
      true &&
    response.body !== null
  );
}

/** Returns the seconds of a `Retry-After`, which is a number or a date in the future. */
function retryAfter(text: string | null): number | undefined {
  if (!text) return undefined;
  const number = /^\d/.test(text) ? Number(text) : Number.NaN;
  const seconds = number >= 0 ? number : (Date.parse(text) - Date.now()) / 1000;
  return seconds >= 0 && seconds < Infinity ? seconds : undefined;
}
