// The network: requests, uploads, streams of events. Each request is an operation of driver.js.

import { begin, end, engine, enter, later, running } from "./driver.js";
import { eventReader } from "./events.js";
import { at, attempt, describeFile, hold, kindOf, OBJECT, parseJson } from "./values.js";

/**
 * @typedef {import("./values.js").Handle} Handle
 * @typedef {import("./driver.js").Operation} Operation
 * @typedef {{ method: string, headers: Record<string, string>, body: any }} Sent
 * @typedef {(url: string, init: RequestInit, capability: string) => Promise<Response>} Network
 */

/**
 * A stream of events, where `events` is true, is left open for `read`. A file is sent by XMLHttpRequest where there is
 * one, since `fetch` does not report progress.
 *
 * @param {number} id
 * @param {string} verb
 * @param {Handle} address
 * @param {Handle} more headers
 * @param {Handle} token
 * @param {Handle} value
 * @param {Handle} target how a file is sent
 * @param {Handle} progress
 * @param {Handle} custom the caller's function in the place of `fetch`
 * @param {string} capability
 * @param {boolean} events
 */
export async function request(id, verb, address, more, token, value, target, progress, custom, capability, events) {
  const url = at(address);
  /** @type {Network | undefined} */
  const network = at(custom);
  /** @type {Sent} */
  const sent = {
    method: verb,
    headers: { ...at(more), ...(value && { "content-type": "application/json" }) },
    body: target || !value ? undefined : JSON.stringify(at(value)),
  };
  const { method, headers, body } = target ? sending(at(value), at(target)) : sent;
  if (token) headers.authorization = `Bearer ${at(token)}`;
  const controller = new AbortController();
  // It runs the listeners of a caller who has the signal.
  const operation = begin(id, () => later(() => controller.abort()));
  const isAborted = () => running.get(id) !== operation;
  try {
    if (target && !network && globalThis.XMLHttpRequest)
      return upload(id, operation, method, url, headers, body, at(progress));
    const init = { method, headers: new Headers(headers), body, signal: controller.signal };
    // The caller's function runs after the engine: what it throws, and what it calls, is not the engine's.
    const response = network
      ? await Promise.resolve().then(() => (isAborted() ? undefined : network(url, init, capability)))
      : await fetch(url, init);
    // A caller's function may not heed the signal.
    if (isAborted()) attempt(() => response?.body?.cancel().catch(() => {}));
    const isResponse = response instanceof Response;
    const status = isResponse ? Math.min(Number(response.status), 999) : 0;
    // `headers` may be any object where the caller's function made the response.
    const header = (/** @type {string} */ name) => attempt(() => `${response?.headers.get(name) ?? ""}`) || undefined;
    const [requestId, seconds] = [header("x-request-id"), retryAfter(header("retry-after"))];
    const isStream = events && status === 200 && String(header("content-type")).startsWith("text/event-stream");
    const reader = isStream ? attempt(() => response?.body?.getReader()) : undefined;
    const content = isResponse && !reader ? parseJson(await response.text()) : undefined;
    end(id, operation, () => {
      if (reader) open(id, reader, controller);
      engine.responded(id, status, hold(content), hold(requestId), seconds, !!reader);
    });
  } catch (cause) {
    end(id, operation, () => engine.failed(id, hold(cause)));
  }
}

/**
 * How a file is sent: what its upload URL came with, in the place of a `PUT` with the file's media type. Headers with the
 * rights of the page stay its own.
 *
 * @param {Blob} file
 * @param {any} target
 * @returns {Sent}
 */
function sending(file, { method, headers: more, fields }) {
  const isForm = kindOf(fields) === OBJECT;
  const { content_type, file_name } = describeFile(file);
  /** @type {Record<string, string>} */
  const headers = isForm ? {} : { "content-type": content_type };
  for (const [name, value] of Object.entries(more ?? {})) {
    const lower = name.toLowerCase();
    if (!/^(authorization|cookie|host)$/.test(lower) && !(isForm && lower === "content-type"))
      headers[lower] = `${value}`;
  }
  const body = isForm ? new FormData() : file;
  if (body instanceof FormData) {
    for (const [name, value] of Object.entries(fields)) body.append(name, `${value}`);
    body.append("file", file, file_name);
  }
  return { method: (method ?? (isForm ? "POST" : "PUT")) === "POST" ? "POST" : "PUT", headers, body };
}

/**
 * @param {number} id
 * @param {Operation} operation
 * @param {string} method
 * @param {string} url
 * @param {Record<string, string>} headers
 * @param {Blob | FormData} body
 * @param {((event: ProgressEvent) => void) | undefined} progress
 * @throws for a URL that cannot be parsed
 */
function upload(id, operation, method, url, headers, body, progress) {
  const xhr = new XMLHttpRequest();
  operation.stop = () => xhr.abort();
  // Set only for a subscriber: each event wakes the page.
  if (progress) xhr.upload.onprogress = progress;
  xhr.onloadend = () =>
    end(id, operation, () =>
      xhr.status
        ? engine.responded(id, xhr.status, hold(parseJson(xhr.responseText)), 0, Number.NaN, false)
        : engine.failed(id, 0),
    );
  xhr.open(method, url);
  for (const name in headers) xhr.setRequestHeader(name, /** @type {string} */ (headers[name]));
  xhr.send(body);
}

/**
 * Seconds to wait, from a `Retry-After` that is a number or a date; NaN without one.
 *
 * @param {any} text
 */
function retryAfter(text) {
  const number = /^\d/.test(text) ? Number(text) : Number.NaN;
  const seconds = number >= 0 ? number : (Date.parse(text) - Date.now()) / 1000;
  return seconds >= 0 ? seconds : Number.NaN;
}

/**
 * Leaves a stream open. The body of a cloned response ends only when it is both cancelled and aborted.
 *
 * @param {number} id
 * @param {ReadableStreamDefaultReader} reader
 * @param {AbortController} controller
 */
function open(id, reader, controller) {
  const operation = begin(id, () => {
    // Cancelling a stream that has failed rejects, which must not become an unhandled rejection.
    attempt(() => reader.cancel().catch(() => {}));
    controller.abort();
  });
  const [decoder, events] = [new TextDecoder(), eventReader()];
  operation.reader = reader;
  operation.events = (bytes) => events(decoder.decode(bytes, { stream: true }));
}

/** @param {number} id */
export async function read(id) {
  const operation = running.get(id);
  /** @type {unknown} */
  let events;
  try {
    const { value } = /** @type {{ value?: any }} */ (operation?.reader ? await operation.reader.read() : {});
    // A copy: a caller's `fetch` may return chunks that are not bytes.
    if (value && typeof value === "object") events = operation?.events?.(new Uint8Array(value));
  } catch {
    // It broke, which is an end like any other.
  }
  if (running.get(id) === operation) enter(() => engine.received(id, hold(events)));
}
