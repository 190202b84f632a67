import { observePolicy } from "./diagnosis.js";
import type { CapabilityName } from "./generated/capabilities.js";
import { type Hooks, sendThrough } from "./hooks.js";
import type { Instance } from "./instance.js";
import type { Operation } from "./operation.js";
import {
  discard,
  headerOf,
  isEventStream,
  isResponse,
  jsonOf,
  statusOf,
  streamOf,
} from "./response.js";
import { Sends, setReason } from "./sends.js";
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
  operation: Operation<PlatformResponse>,
): Promise<PlatformResponse> {
  const sends = new Sends();
  const file = fileOf(request);
  const response = await send(request, hooks, operation.signal, sends).catch(
    async (error) => {
      sends.fail(error);
      if (file && !operation.signal.aborted) await checkReadable(file, error);
      throw error;
    },
  );
  if (operation.signal.aborted) {
    discard(response);
    throw operation.signal.reason;
  }
  // A function of the caller has returned something else.
  if (!isResponse(response)) return { status: 0 };
  const head = describe(response);
  const { status } = head;
  if (file instanceof StreamedFile && file.isSpent && !isSuccess(status)) {
    discard(response);
    const error = new TypeError(`the storage responded with status ${status}`);
    await checkReadable(file, error);
    throw error;
  }
  const isRedirect = status >= 300 && status < 400;
  const isStored = Boolean(file) && isSuccess(status);
  const isStream = request.isStream && isEventStream(response);
  const stream = isStream ? streamOf(response) : undefined;
  if (stream) {
    const abort = () => operation.abort();
    return { ...head, stream: new TextStream(instance, stream, abort) };
  }
  // Of these responses only the status counts, and their bodies may never end.
  if (isRedirect || isStored || isStream) {
    discard(response);
    return head;
  }
  return { ...head, body: await jsonOf(response) };
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

/** Returns the file of an upload, which {@link checkSource} has made. */
function fileOf({ file }: PlatformRequest): Blob | StreamedFile | undefined {
  return file;
}

async function send(
  request: PlatformRequest,
  hooks: Hooks,
  signal: AbortSignal,
  { byFetch }: Sends,
): Promise<Response> {
  const { url, target, token, onSent = () => {} } = request;
  const file = fileOf(request);
  const capability = capabilityOf(request);
  if (file) {
    checkUploadUrl(url);
    const upload = await uploadRequest(file, target, onSent);
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

function describe(response: Response): PlatformResponse {
  return {
    status: statusOf(response),
    requestId: headerOf(response, "x-request-id"),
    retryAfter: retryAfter(headerOf(response, "retry-after")),
  };
}

/** Returns the seconds of a `Retry-After`, which is a number or a date in the future. */
function retryAfter(text: string | undefined): number | undefined {
  if (!text) return undefined;
  const number = Number(text);
  const isNumber = /^\d/.test(text) && number >= 0;
  const seconds = isNumber ? number : (Date.parse(text) - Date.now()) / 1000;
  return seconds >= 0 && seconds < Infinity ? seconds : undefined;
}
