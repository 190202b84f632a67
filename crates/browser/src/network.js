// The network: requests, uploads, streams of events. Each request is an operation of driver.js.

import { begin, end, engine, enter, later, running } from "./driver.js";
import { eventReader } from "./events.js";
import {
  at,
  attempt,
  describeFile,
  hold,
  kindOf,
  OBJECT,
  parseJson,
  sizeOf,
} from "./values.js";

/**
 * @typedef {import("./values.js").Handle} Handle
 * @typedef {import("./driver.js").Operation} Operation
 * @typedef {{ method: string, headers: Record<string, string>, body: any }} Sent
 * @typedef {(url: string, init: any) => Promise<Response>} Transport
 * @typedef {(url: string, init: RequestInit, capability: string, transport: Transport) => Promise<Response>} Network
 */

/**
 * A stream of events, where `events` is true, is left open for `read`. A file is sent by XMLHttpRequest where there is
 * one.
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
 * @param {number} patience milliseconds; 0 for no limit
 */
export async function request(
  id,
  verb,
  address,
  more,
  token,
  value,
  target,
  progress,
  custom,
  capability,
  events,
  patience,
) {
  const url = at(address);
  /** @type {Network | undefined} */
  const network = at(custom);
  /** @type {Sent} */
  const sent = {
    method: verb,
    headers: {
      ...at(more),
      ...(value && { "content-type": "application/json" }),
    },
    body: target || !value ? undefined : JSON.stringify(at(value)),
  };
  const { method, headers, body } = target
    ? sending(at(value), at(target))
    : sent;
  if (token) headers.authorization = `Bearer ${at(token)}`;
  const controller = new AbortController();
  // It runs the listeners of a caller who has the signal.
  const operation = begin(id, () => later(() => controller.abort()));
  const isAborted = () => running.get(id) !== operation;
  // A form that a page sends without a listener needs no preflight request.
  const isWatched =
    target &&
    globalThis.XMLHttpRequest &&
    (progress || !(body instanceof FormData));
  // A caller's function may send it by another `fetch`, whose progress is not seen.
  const slow =
    target && (network || !isWatched)
      ? (sizeOf(at(value)) ?? 0) / MIN_SPEED
      : 0;
  const watch = watched(id, operation, patience && patience + slow);
  const onProgress = at(progress);
  const transport = isWatched
    ? byXhr((event) => {
        watch.restart();
        if (onProgress) attempt(onProgress, event);
      })
    : fetch;
  try {
    const init = {
      method,
      headers: new Headers(headers),
      body,
      signal: controller.signal,
    };
    // The caller's function runs after the engine: what it throws, and what it calls, is not the engine's.
    const response = network
      ? await Promise.resolve().then(() =>
          isAborted() ? undefined : network(url, init, capability, transport),
        )
      : await transport(url, init);
    // A caller's function may not heed the signal.
    if (isAborted()) attempt(() => response?.body?.cancel().catch(() => {}));
    const isResponse = response instanceof Response;
    const status = isResponse ? Math.min(Number(response.status), 999) : 0;
    // `headers` may be any object where the caller's function made the response.
    const header = (/** @type {string} */ name) =>
      attempt(() => `${response?.headers.get(name) ?? ""}`) || undefined;
    const [requestId, seconds] = [
      header("x-request-id"),
      retryAfter(header("retry-after")),
    ];
    const isStream =
      events &&
      status === 200 &&
      String(header("content-type")).startsWith("text/event-stream");
    const reader = isStream
      ? attempt(() => response?.body?.getReader())
      : undefined;
    const content =
      isResponse && !reader ? parseJson(await response.text()) : undefined;
    end(id, operation, () => {
      if (reader) open(id, reader, controller);
      engine.responded(
        id,
        status,
        hold(content),
        hold(requestId),
        seconds,
        !!reader,
      );
    });
  } catch (cause) {
    end(id, operation, () => engine.failed(id, hold(cause), isRefused(cause)));
  } finally {
    watch.stop();
  }
}

/**
 * Whether there was no connection to send a request on, by what Node, Bun and Deno have in their errors. Browsers do
 * not tell this from a response that was lost.
 *
 * @param {any} error
 */
const isRefused = (error) =>
  /^(ECONNREFUSED|ENOTFOUND)$|\(Connect\)/.test(
    attempt(
      () => `${error.cause?.code ?? error.code ?? error.cause.message}`,
    ) ?? "",
  );

/** The bytes in a millisecond that an upload is expected to send at least, where its progress is not seen. */
const MIN_SPEED = 50;

/**
 * Fails an operation that takes too long: a caller's function in the place of `fetch` may not heed the signal.
 *
 * @param {number} id
 * @param {Operation} operation
 * @param {number} milliseconds 0 for no limit
 */
function watched(id, operation, milliseconds) {
  const abort = operation.stop;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const late = () => {
    const cause = new DOMException(
      `nothing came for ${Math.round(milliseconds / 1000)} seconds`,
      "TimeoutError",
    );
    end(id, operation, () => engine.failed(id, hold(cause), false));
    operation.stop();
  };
  const stop = () => clearTimeout(timer);
  const restart = () => {
    stop();
    if (!milliseconds) return;
    timer = setTimeout(late, milliseconds);
    // In Node, a request keeps the process running, and its limit need not.
    /** @type {any} */ (timer).unref?.();
  };
  operation.stop = () => {
    stop();
    abort();
  };
  restart();
  return { restart, stop };
}

// The kinds of blocks, numbered as `diagnosed` of exports.rs has them.
const [NONE, CORS, POLICY] = [0, 1, 2];

/** The most milliseconds for a diagnosis. */
const DIAGNOSIS = 8_000;

/**
 * Finds out what keeps the page from a URL: the same headers in a `GET`, which changes nothing, meet the same checks of the
 * browser. A request without CORS, whose response no one reads, shows whether there is a server.
 *
 * @param {number} id
 * @param {Handle} address
 * @param {Handle} more headers
 * @param {Handle} token
 * @param {Handle} custom
 * @param {string} capability
 */
export async function diagnose(id, address, more, token, custom, capability) {
  const [url, headers] = [
    at(address),
    { "content-type": "application/json", ...at(more) },
  ];
  /** @type {any} */
  const network = at(custom) ?? fetch;
  if (token) headers.authorization = `Bearer ${at(token)}`;
  let block = NONE;
  const onViolation = (/** @type {any} */ event) => {
    if (
      event.effectiveDirective === "connect-src" &&
      event.disposition === "enforce"
    )
      block = POLICY;
  };
  const controller = new AbortController();
  const operation = begin(id, () => {
    clearTimeout(timer);
    attempt(() => removeEventListener("securitypolicyviolation", onViolation));
    later(() => controller.abort());
  });
  const finish = () => {
    operation.stop();
    end(id, operation, () => engine.diagnosed(id, block));
  };
  // A caller's function in the place of `fetch` may not heed the signal.
  const timer = setTimeout(finish, DIAGNOSIS);
  const isAnswered = async (/** @type {RequestInit} */ init) => {
    try {
      const response = await network(
        url,
        { method: "GET", signal: controller.signal, ...init },
        capability,
      );
      response.body?.cancel().catch(() => {});
      return true;
    } catch {
      return false;
    }
  };
  // Only a page, or a worker of one, has an origin that a browser guards.
  const origin = attempt(() => location.origin);
  if (origin && !url.startsWith(`${origin}/`)) {
    addEventListener("securitypolicyviolation", onViolation);
    // The engine does not run any more when the caller's function is called.
    await undefined;
    const isReached =
      !(await isAnswered({ headers: new Headers(headers) })) &&
      (await isAnswered({ headers: new Headers(), mode: "no-cors" }));
    if (isReached) block = CORS;
    // The event may come after what it is about.
    else await new Promise((passed) => setTimeout(passed));
  }
  finish();
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
    if (
      !/^(authorization|cookie|host)$/.test(lower) &&
      !(isForm && lower === "content-type")
    )
      headers[lower] = `${value}`;
  }
  const body = isForm ? new FormData() : file;
  if (body instanceof FormData) {
    for (const [name, value] of Object.entries(fields))
      body.append(name, `${value}`);
    body.append("file", file, file_name);
  }
  return {
    method: (method ?? (isForm ? "POST" : "PUT")) === "POST" ? "POST" : "PUT",
    headers,
    body,
  };
}

/**
 * As `fetch`, which does not report the progress of an upload.
 *
 * @param {(event: ProgressEvent) => void} onProgress
 * @returns {Transport}
 */
const byXhr =
  (onProgress) =>
  (url, { method, headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const xhr = new XMLHttpRequest();
      signal.addEventListener("abort", () => xhr.abort());
      xhr.upload.onprogress = onProgress;
      xhr.onloadend = () => {
        const lines = xhr.getAllResponseHeaders().split("\r\n");
        const [text, pairs] = [
          xhr.responseText,
          lines.map((it) => it.split(": ")).filter((it) => it[1]),
        ];
        // A response with the status 204 has no body, not even an empty one.
        const response = attempt(
          () =>
            new Response(text || null, {
              status: xhr.status,
              headers: /** @type {any} */ (pairs),
            }),
        );
        if (response) resolve(response);
        else reject(new TypeError("the upload got no response"));
      };
      xhr.open(method, url);
      for (const [name, value] of headers) xhr.setRequestHeader(name, value);
      xhr.send(body);
    });

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
    const { value } = /** @type {{ value?: any }} */ (
      operation?.reader ? await operation.reader.read() : {}
    );
    // A copy: a caller's `fetch` may return chunks that are not bytes.
    if (value && typeof value === "object")
      events = operation?.events?.(new Uint8Array(value));
  } catch {
    // It broke, which is an end like any other.
  }
  if (running.get(id) === operation)
    enter(() => engine.received(id, hold(events)));
}
