import { extensionOf, withoutCodecs } from "./extension.js";
import { RESERVED_HEADERS } from "./generated/upload.js";
import type { Send } from "./hooks.js";
import { isObject } from "./options.js";
import { setReason } from "./sends.js";
import { StreamedFile } from "./streamed.js";
import type * as wasm from "./wasm/mediagate.js";

const BINARY = "application/octet-stream";

/** The `readyState` of an XMLHttpRequest that has the head of its response. */
const HEADERS_RECEIVED = 2;

/** The longest time in milliseconds for the body of the response to a stored file. */
const BODY_TIME = 1_000;

export type FileInfo = ReturnType<wasm.Platform["fileInfo"]>;

/** Describes a file, with a name and a media type also if it has none. */
export function describeFile(file: Blob | StreamedFile): FileInfo {
  const { name, type } = file as Partial<File>;
  const isType = typeof type === "string" && /^[ -~]+$/.test(type);
  const mediaType = (isType && withoutCodecs(type)) || BINARY;
  const extension = extensionOf(mediaType) ?? "bin";
  return {
    name: typeof name === "string" && name.trim() ? name : `file.${extension}`,
    type: mediaType,
    size: Number(file.size) || 0,
  };
}

/** The part of the response of `upload_urls` that determines how a file is sent. */
interface UploadTarget {
  method?: unknown;
  headers?: unknown;
  fields?: unknown;
}

/**
 * Returns true if the progress of an upload is observed, which needs XMLHttpRequest. A form without
 * a listener is sent by `fetch`: a listener would cause a preflight request.
 */
export function observesUpload(
  target: unknown,
  hasSubscriber: boolean,
): boolean {
  const isForm = isObject((target as UploadTarget | null | undefined)?.fields);
  return "XMLHttpRequest" in globalThis && (hasSubscriber || !isForm);
}

/**
 * Finds out if the file is the reason why an upload got no response, which browsers do not report.
 * It may have been changed or removed, be a folder, or be in a cloud that is out of reach.
 */
export async function checkReadable(
  file: Blob | StreamedFile,
  error: unknown,
): Promise<void> {
  try {
    if (!(file instanceof StreamedFile)) await file.slice(0, 1).arrayBuffer();
    else if (file.isSpent) throw error;
  } catch {
    setReason(error, "unreadable");
  }
}

/**
 * Checks the URL of an upload. The errors of the platforms name the whole URL, whose query is a
 * secret.
 *
 * @throws {TypeError} For a URL that `fetch` does not take, without the URL.
 */
export function checkUploadUrl(url: string): void {
  try {
    const { protocol, username, password } = new URL(url);
    if (/^https?:$/.test(protocol) && !username && !password) return;
  } catch {
    // It is no URL, or a relative one.
  }
  throw new TypeError(
    "the upload_url is not an http or https URL without a user; check the gateway's storage",
  );
}

interface UploadRequest {
  method: "PUT" | "POST";
  headers: Headers;
  body: Blob | ReadableStream<Uint8Array> | FormData;
  /** `fetch` requires it for a stream. */
  duplex?: "half";
}

/**
 * Returns the request that sends a file: by default a `PUT` with the file's media type. The method,
 * the headers and the fields of the target change that.
 *
 * @param onRead - Receives the number of bytes that were read of a stream.
 */
export async function uploadRequest(
  file: Blob | StreamedFile,
  target: unknown,
  onRead: (count: number) => void,
): Promise<UploadRequest> {
  const { method, headers: more, fields } = target as UploadTarget;
  const { name, type } = describeFile(file);
  const headers = new Headers();
  if (!isObject(fields)) headers.set("content-type", type);
  for (const [name, value] of Object.entries(isObject(more) ? more : {})) {
    // The storage must not act with the rights of the page, and a form has its own media type.
    const isReserved = RESERVED_HEADERS.includes(name.toLowerCase());
    const isFormType = isObject(fields) && /^content-type$/i.test(name);
    if (isReserved || isFormType) continue;
    try {
      headers.set(name, String(value));
    } catch {
      // The platform's own error names the value, which may be a secret.
      throw new TypeError(
        `the header ${name} of the response of upload_urls is not valid`,
      );
    }
  }
  const isStreamed = file instanceof StreamedFile;
  if (!isObject(fields)) {
    const verb = method === "POST" ? "POST" : "PUT";
    if (!isStreamed) return { method: verb, headers, body: file };
    headers.set("content-length", String(file.size));
    const body = file.open(onRead);
    return { method: verb, headers, body, duplex: "half" };
  }
  const body = new FormData();
  for (const [name, value] of Object.entries(fields))
    body.append(name, String(value));
  body.append("file", isStreamed ? await file.read() : file, name);
  return { method: method === "PUT" ? "PUT" : "POST", headers, body };
}

/**
 * Returns a function that sends a request by XMLHttpRequest, since `fetch` does not report the
 * progress of an upload.
 *
 * @param onSent - Receives the number of bytes that are sent so far.
 */
export function byXhr(onSent: (loaded: number) => void): Send {
  return (url, { method = "PUT", headers, body, signal }) =>
    new Promise((resolve, reject) => {
      // A middleware may have waited until now.
      if (signal?.aborted) throw signal.reason;
      const xhr = new XMLHttpRequest();
      signal?.addEventListener("abort", () => xhr.abort());
      xhr.upload.onprogress = ({ loaded }) => onSent(loaded);
      const end = () => {
        const { status } = xhr;
        if (status === 0)
          return reject(new TypeError("the upload got no response"));
        try {
          resolve(responseOf(xhr, url));
        } catch (cause) {
          // A `Response` cannot have a status above 599.
          const message = `the storage responded with status ${status}`;
          reject(new TypeError(message, { cause }));
        }
      };
      let timer: ReturnType<typeof setTimeout> | undefined;
      xhr.onreadystatechange = () => {
        if (xhr.readyState !== HEADERS_RECEIVED || !isSuccess(xhr.status))
          return;
        // The file is stored. The rest of the response may never come.
        timer = setTimeout(() => {
          end();
          xhr.abort();
        }, BODY_TIME);
      };
      xhr.onloadend = () => {
        clearTimeout(timer);
        end();
      };
      xhr.open(method, url);
      for (const [name, value] of new Headers(headers))
        xhr.setRequestHeader(name, value);
      xhr.send(body as XMLHttpRequestBodyInit);
    });
}

/**
 * Returns the response of a request. XMLHttpRequest follows redirects. A response from another URL
 * gets the status that `fetch` would have returned.
 */
function responseOf(xhr: XMLHttpRequest, url: string): Response {
  const headers = new Headers();
  for (const line of xhr.getAllResponseHeaders().split("\r\n")) {
    const colon = line.indexOf(":");
    // The text ends with an empty line.
    if (colon > 0)
      headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  const { responseURL, responseText } = xhr;
  const isRedirected =
    Boolean(responseURL) && responseURL !== new URL(url).href.split("#")[0];
  const status = isRedirected ? 302 : xhr.status;
  // A response with the status 204 has no body, not even an empty one.
  return new Response(responseText || null, { status, headers });
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}
