import type { Send } from "./hooks.js";
import { isObject } from "./options.js";
import type * as wasm from "./wasm/mediagate.js";

const BINARY = "application/octet-stream";

/** The name, the media type and the size of a file. */
export type FileInfo = ReturnType<wasm.Platform["fileInfo"]>;

/** Describes a file, with a name and a media type also if it has none. */
export function describeFile(file: Blob): FileInfo {
  const { name, type } = file as Partial<File>;
  const isType = typeof type === "string" && /^[ -~]+$/.test(type);
  const mediaType = isType ? type : BINARY;
  const subtype =
    mediaType === BINARY ? "bin" : (mediaType.split("/")[1] ?? "bin");
  const [extension] = subtype.split(/[+;]/);
  return {
    name: typeof name === "string" && name.trim() ? name : `file.${extension}`,
    type: mediaType,
    size: file.size,
  };
}

/** The response of `upload_urls`, as far as it says how a file is sent. */
interface UploadTarget {
  method?: unknown;
  headers?: unknown;
  fields?: unknown;
}

/**
 * Tests if the progress of an upload is observed, which needs XMLHttpRequest. A form without a
 * listener is sent by `fetch`: a listener would cause a preflight request.
 *
 * @param target - The response of `upload_urls`.
 * @param hasSubscriber - If the caller subscribes to the progress.
 */
export function observesUpload(
  target: unknown,
  hasSubscriber: boolean,
): boolean {
  const isForm = isObject((target as UploadTarget).fields);
  return "XMLHttpRequest" in globalThis && (hasSubscriber || !isForm);
}

/**
 * Returns the request that sends a file: by default a `PUT` with the file's media type. The method,
 * the headers and the fields of the target change that.
 */
export function uploadRequest(
  file: Blob,
  target: unknown,
): { method: "PUT" | "POST"; headers: Headers; body: Blob | FormData } {
  const { method, headers: more, fields } = target as UploadTarget;
  const { name, type } = describeFile(file);
  const headers = new Headers();
  if (!isObject(fields)) headers.set("content-type", type);
  for (const [name, value] of Object.entries(isObject(more) ? more : {})) {
    // The storage must not act with the rights of the page, and a form has its own media type.
    const isReserved = /^(authorization|cookie|host)$/i.test(name);
    const isFormType = isObject(fields) && /^content-type$/i.test(name);
    if (!isReserved && !isFormType) headers.set(name, String(value));
  }
  if (!isObject(fields))
    return { method: method === "POST" ? "POST" : "PUT", headers, body: file };
  const body = new FormData();
  for (const [name, value] of Object.entries(fields))
    body.append(name, String(value));
  body.append("file", file, name);
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
      signal?.throwIfAborted();
      const xhr = new XMLHttpRequest();
      signal?.addEventListener("abort", () => xhr.abort());
      xhr.upload.onprogress = ({ loaded }) => onSent(loaded);
      xhr.onloadend = () => {
        if (xhr.status === 0)
          reject(new TypeError("the upload got no response"));
        else resolve(responseOf(xhr));
      };
      xhr.open(method, url);
      for (const [name, value] of new Headers(headers))
        xhr.setRequestHeader(name, value);
      xhr.send(body as XMLHttpRequestBodyInit);
    });
}

function responseOf(xhr: XMLHttpRequest): Response {
  const headers = new Headers();
  for (const line of xhr.getAllResponseHeaders().split("\r\n")) {
    const colon = line.indexOf(":");
    // The text ends with an empty line.
    if (colon > 0)
      headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  // A response with the status 204 has no body, not even an empty one.
  return new Response(xhr.responseText || null, {
    status: xhr.status,
    headers,
  });
}
