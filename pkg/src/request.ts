import { observePolicy } from "./diagnosis.js";
import type { CapabilityName } from "./generated/capabilities.js";
import { type Hooks, type Send, sendThrough } from "./hooks.js";
import type { Instance } from "./instance.js";
import { parseJson } from "./json.js";
import { sends, setReason } from "./sends.js";
import { TextStream } from "./stream.js";
import { StreamedFile } from "./streamed.js";
import type { MiddlewareRequest } from "./types/hooks.js";
import {
  byXhr,
  checkReadable,
  checkUploadUrl,
  isSuccess,
  observesUpload,
  uploadRequest,
} from "./upload.js";
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
  signal: AbortSignal,
  abort: () => void,
): Promise<PlatformResponse> {
  const { byFetch, fail } = sends();
  const file: Blob | StreamedFile | undefined = request.file;
  const response = await send(request, hooks, signal, byFetch).catch(
    async (error) => {
      fail(error);
      if (file && !signal.aborted) await checkReadable(file, error);
      throw error;
    },
  );
  if (signal.aborted) {
    discard(response);
    throw signal.reason;
  }
  // A function of the caller has returned something else.
  if (!isResponse(response)) return { status: 0 };
  // A browser hides the status of a redirect.
  const status = response.type === "opaqueredirect" ? 302 : response.status;
  const head = {
    status,
    requestId: headerOf(response, "x-request-id"),
    retryAfter: retryAfter(headerOf(response, "retry-after")),
  };
  if (file instanceof StreamedFile && file.isSpent && !isSuccess(status)) {
    discard(response);
    const error = new TypeError(`the storage responded with status ${status}`);
    await checkReadable(file, error);
    throw error;
  }
  const type = headerOf(response, "content-type");
  const isStream =
    request.isStream && status === 200 && type?.startsWith("text/event-stream");
  const { body } = response;
  if (isStream && typeof body?.getReader === "function") {
    return { ...head, stream: new TextStream(instance, body, abort) };
  }
  const isRedirect = status >= 300 && status < 400;
  // Of these responses only the status counts, and their bodies may never end.
  if (isRedirect || isStream || (file && isSuccess(status))) {
    discard(response);
    return head;
  }
  // Chromium can report a `no-store` request as failed if a reader reads its body, even to the end.
  return { ...head, body: parseJson(await response.text()) };
}

export function headersOf({
  headers,
  token,
  body,
}: Pick<PlatformRequest, "headers" | "token" | "body">): Headers {
  return new Headers({
    ...headers,
    ...(token && { authorization: `Bearer ${token}` }),
    ...(body !== undefined && { "content-type": "application/json" }),
  });
}

async function send(
  request: PlatformRequest,
  hooks: Hooks,
  signal: AbortSignal,
  byFetch: Send,
): Promise<Response> {
  const { url, target, token, onSent = () => {} } = request;
  const capability = request.capability as CapabilityName | undefined;
  if (request.file) {
    checkUploadUrl(url);
    const upload = await uploadRequest(request.file, target, onSent);
    if (token) upload.headers.set("authorization", `Bearer ${token}`);
    const isObserved = observesUpload(target, request.hasSubscriber ?? false);
    const sender = isObserved ? byXhr(onSent) : byFetch;
    const outgoing = { ...upload, url, capability, signal };
    const policy = observePolicy(url);
    try {
      return await sendThrough(hooks, outgoing, sender);
    } catch (error) {
      if (await policy.hasBlocked()) setReason(error, "blocked");
      throw error;
    } finally {
      policy.stop();
    }
  }
  const method = request.method as MiddlewareRequest["method"];
  const headers = headersOf(request);
  const body =
    request.body === undefined ? undefined : JSON.stringify(request.body);
  return sendThrough(
    hooks,
    { url, method, headers, body, capability, signal },
    byFetch,
  );
}

interface Body {
  cancel?: () => unknown;
  destroy?: () => unknown;
}

/**
 * Returns true if a value is a response. One of a caller's `fetch` may have no class of the
 * platform.
 */
function isResponse(value: unknown): value is Response {
  const { status, headers, text } = Object(value) as Partial<Response>;
  return (
    typeof status === "number" &&
    typeof headers?.get === "function" &&
    typeof text === "function"
  );
}

/** Returns a header; `undefined` if it is missing or empty. */
function headerOf({ headers }: Response, name: string): string | undefined {
  // A caller's `fetch` may return anything, and the wasm reads only strings.
  const value: unknown = headers.get(name);
  return typeof value === "string" && value !== "" ? value : undefined;
}

function discard(response: unknown): void {
  const { body } = Object(response) as { body?: Body | null };
  // A middleware may read the body, which is then locked.
  const end = async () => (body?.cancel ? body.cancel() : body?.destroy?.());
  end().catch(() => {});
}

/** Returns the seconds of a `Retry-After`, which is a number or a date in the future. */
function retryAfter(text: string | undefined): number | undefined {
  if (!text) return undefined;
  const number = Number(text);
  const isNumber = /^\d/.test(text) && number >= 0;
  const seconds = isNumber ? number : (Date.parse(text) - Date.now()) / 1000;
  return seconds >= 0 && seconds < Infinity ? seconds : undefined;
}
