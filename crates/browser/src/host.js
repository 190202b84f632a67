// What the engine needs of the platform, each step in one function: a call between wasm and JavaScript costs time, and
// the conversion of its arguments costs bytes. Nothing here decides anything. Unless its comment says otherwise, no
// function throws or rejects, whatever values a caller passes.

// The types in the comments are checked (../tsconfig.json). What a caller passes is `unknown` or `any`.

/**
 * The work's result; `undefined` where it throws.
 *
 * @template {unknown[]} Values
 * @template Result
 * @param {(...values: Values) => Result} work
 * @param {Values} values
 */
const attempt = (work, ...values) => {
  try {
    return work(...values);
  } catch {
    return undefined;
  }
};

/**
 * A string of JSON as a value; `undefined` for anything else.
 *
 * @param {any} text
 */
export const parseJson = (text) => attempt(JSON.parse, text);

// The types of values, numbered as `KINDS` of value.rs has them. `NAME` marks the name of a member in an input's tokens.
const [NULL, BOOLEAN, NUMBER, TEXT, LIST, OBJECT, BLOB, OTHER, NAME] = [0, 1, 2, 3, 4, 5, 6, 7, 8];

/** Most items of a list and most tokens of an input that are read: a hostile array may claim a length of 2³². */
const MAX_ITEMS = 100_000;

/** @param {unknown} value */
const isBlob = (value) => value instanceof Blob;

/**
 * The type of a value.
 *
 * @param {unknown} value
 */
export function kind(value) {
  switch (typeof value) {
    case "undefined":
      return NULL;
    case "boolean":
      return BOOLEAN;
    case "number":
      return NUMBER;
    case "string":
      return TEXT;
    case "object":
      if (value === null) return NULL;
      if (attempt(Array.isArray, value)) return member(value, "length") <= MAX_ITEMS ? LIST : OTHER;
      return attempt(isBlob, value) ? BLOB : OBJECT;
    default:
      return OTHER;
  }
}

/**
 * @param {any} target
 * @param {PropertyKey} name
 */
const get = (target, name) => target[name];

/**
 * The member of an object; `undefined` where it is absent, where its getter throws, and where the target is not an object.
 *
 * @param {unknown} target
 * @param {PropertyKey} name
 */
export const member = (target, name) => (typeof target === "object" && target ? attempt(get, target, name) : undefined);

/**
 * The member of an object, where it is a string; `undefined` otherwise.
 *
 * @param {unknown} target
 * @param {string} name
 */
export function stringMember(target, name) {
  const value = member(target, name);
  return typeof value === "string" ? value : undefined;
}

/**
 * A copy of an object without the named members; `names` is one string, separated by spaces.
 *
 * @param {unknown} object
 * @param {string} names
 */
export function omit(object, names) {
  /** @type {Record<string, unknown>} */
  const rest = typeof object === "object" ? { ...object } : {};
  for (const name of names.split(" ")) delete rest[name];
  return rest;
}

/**
 * A task as JavaScript sees it.
 *
 * @param {string} id
 * @param {string | undefined} capability
 * @param {string | undefined} state
 * @param {number | undefined} progress
 * @param {unknown} raw
 */
export function snapshot(id, capability, state, progress, raw) {
  const outputs = member(raw, "outputs");
  return { id, capability, state, progress, outputs: kind(outputs) === LIST ? outputs : [], raw };
}

/** Deepest level of an input that is read; the catalogue needs four. */
const MAX_DEPTH = 8;

/**
 * A caller's input, read once: a copy to send, and tokens separated by NUL for validation. A token is the type, followed
 * by the text of a string, the digits of a number or the media type of a file. The name of a member stands before its
 * value, and an empty token ends each list and object. `numbers` has the value of each token that is a number and the
 * size of each that is a file, in bytes.
 */
export class Input {
  /** @param {unknown} value */
  constructor(value) {
    /** @type {(string | number)[]} */
    this.tokens = [];
    /** @type {number[]} */
    this.numbers = [];
    /** @type {Blob[]} */
    this.files = [];
    /** @type {[any, PropertyKey][]} */
    this.locations = [];
    // A value that throws in a way that is not foreseen below is not an input at all.
    try {
      this.body = this.read(value, 0);
    } catch {
      [this.tokens, this.numbers] = [[OTHER], [0]];
    }
    this.text = this.tokens.join("\0");
  }

  /**
   * @param {string | number} token
   * @param {unknown} [number]
   */
  push(token, number) {
    this.tokens.push(token);
    this.numbers.push(typeof number === "number" ? number : 0);
  }

  /**
   * @param {any} value
   * @param {number} depth
   * @param {object} [target]
   * @param {PropertyKey} [name]
   * @returns {any}
   */
  read(value, depth, target, name) {
    const type = depth < MAX_DEPTH ? kind(value) : OTHER;
    if (type === TEXT) this.push(`${TEXT}${escapeNul(value)}`);
    else if (type === NUMBER) this.push(`${NUMBER}${value}`, value);
    else if (type === BLOB) {
      this.locations.push([target, /** @type {PropertyKey} */ (name)]);
      this.files.push(value);
      this.push(`${BLOB}${escapeNul(member(value, "type"))}`, member(value, "size"));
    } else {
      this.push(type);
      if (type === LIST || type === OBJECT) return this.readMembers(value, type === LIST, depth + 1);
    }
    return value;
  }

  /**
   * @param {any} value
   * @param {boolean} isList
   * @param {number} depth
   */
  readMembers(value, isList, depth) {
    /** @type {any} */
    const copy = isList ? [] : {};
    for (const name of isList ? Array(value.length).keys() : names(value)) {
      // An input of this size is not valid, whatever follows.
      if (this.tokens.length > MAX_ITEMS) break;
      const item = member(value, name);
      if (!isList) {
        if (item === undefined) continue;
        this.push(`${NAME}${escapeNul(name)}`);
      }
      copy[name] = this.read(item, depth, copy, name);
    }
    this.push("");
    return copy;
  }

  /**
   * Replaces a file in the copy by the id of its upload.
   *
   * @param {number} index
   * @param {string} id
   */
  replaceFile(index, id) {
    const [target, name] = /** @type {[any, PropertyKey]} */ (this.locations[index]);
    target[name] = id;
  }

  /**
   * Replaces a member of the copy by a list of that one value.
   *
   * @param {string} name
   */
  wrapInList(name) {
    const list = [this.body[name]];
    this.body[name] = list;
    for (const it of this.locations) if (it[0] === this.body && it[1] === name) it.splice(0, 2, list, 0);
  }
}

/**
 * A string without the separator of tokens. Tokens are only validated, never sent, so the replacement does no harm.
 *
 * @param {unknown} text
 */
const escapeNul = (text) => (String(text).includes("\0") ? String(text).replaceAll("\0", "\ufffd") : text);

/**
 * The names of an object's own members; none for a view of bytes, which has a member for each byte.
 *
 * @param {object} object
 */
const names = (object) => (ArrayBuffer.isView(object) ? [] : (attempt(Object.keys, object) ?? []));

/**
 * An exchange whose stream of events is open.
 *
 * @typedef {Exchange & { reader: ReadableStreamDefaultReader, decoder: TextDecoder }} Stream
 */

/** One HTTP request and its response. */
export class Exchange {
  status = 0;

  /**
   * Sends the request and reads the whole response. A stream of events, where `events` is true, is left open for
   * `read`. A file is sent by XMLHttpRequest where there is one, since `fetch` does not report progress.
   *
   * @param {string} method
   * @param {string} url
   * @param {Headers} headers
   * @param {Blob | string | undefined} body
   * @param {((event: ProgressEvent) => void) | null | undefined} progress `null` where the body is not a file
   * @param {unknown} network the caller's function in the place of `fetch`
   * @param {string} capability
   * @param {boolean} events
   * @throws what `fetch`, or the caller's function in its place, throws
   */
  async send(method, url, headers, body, progress, network, capability, events) {
    const isNative = typeof network !== "function";
    if (isNative && progress !== null && globalThis.XMLHttpRequest)
      return this.upload(method, url, headers, body, progress);
    /** @type {AbortController | XMLHttpRequest | undefined} */
    this.request = new AbortController();
    const init = { method, headers, body, signal: this.request.signal };
    const response = await (isNative ? fetch(url, init) : network(url, init, capability));
    // A caller's function may return anything.
    if (!(response instanceof Response)) return;
    this.status = Number(response.status);
    /** @type {Headers | undefined} */
    this.headers = response.headers;
    const isStream = events && this.status === 200 && this.header("content-type")?.startsWith("text/event-stream");
    /** @type {ReadableStreamDefaultReader | undefined} */
    this.reader = isStream ? attempt(() => /** @type {ReadableStream} */ (response.body).getReader()) : undefined;
    if (this.reader) return;
    /** @type {unknown} */
    this.body = parseJson(await response.text());
    this.finish();
  }

  /**
   * @param {string} method
   * @param {string} url
   * @param {Headers} headers
   * @param {Blob | string | undefined} body
   * @param {((event: ProgressEvent) => void) | undefined} progress
   */
  async upload(method, url, headers, body, progress) {
    const xhr = new XMLHttpRequest();
    this.request = xhr;
    // Set only for a subscriber: each event wakes the page.
    if (progress) xhr.upload.onprogress = progress;
    xhr.open(method, url);
    for (const [name, value] of headers) xhr.setRequestHeader(name, value);
    await new Promise((ended) => {
      xhr.onloadend = ended;
      xhr.send(body);
    });
    this.finish();
    // biome-ignore lint/style/useThrowOnlyError: XMLHttpRequest has no error to pass on as the cause
    if (!xhr.status) throw undefined;
    this.status = xhr.status;
    this.body = parseJson(xhr.responseText);
  }

  /** Drops the request once it is complete: aborting it then would still create an exception. */
  finish() {
    this.request = undefined;
  }

  /**
   * A header's value. `headers` may be any object where the caller's `fetch` made the response.
   *
   * @param {string} name
   */
  header(name) {
    const value = attempt(() => /** @type {Headers} */ (this.headers).get(name));
    return typeof value === "string" ? value : undefined;
  }

  /** Seconds to wait, from a `Retry-After` that is a number or a date; `undefined` without one. */
  retryAfter() {
    const text = this.header("retry-after");
    const number = parseJson(text);
    const seconds =
      typeof number === "number" ? number : (Date.parse(/** @type {string} */ (text)) - Date.now()) / 1000;
    return seconds >= 0 ? seconds : undefined;
  }

  /** Moves the open stream of events into an exchange of its own; `undefined` where there is none. */
  takeStream() {
    if (!this.reader) return undefined;
    const stream = /** @type {Stream} */ (/** @type {unknown} */ (Object.assign(new Exchange(), this)));
    stream.decoder = new TextDecoder();
    this.reader = this.request = undefined;
    return stream;
  }

  /**
   * The next text of a stream, which may be empty; `undefined` at its end. It decodes a copy, since a caller's `fetch`
   * may return chunks that are not bytes.
   *
   * @this {Stream}
   * @throws the error that broke the stream
   */
  async read() {
    const { value } = await this.reader.read();
    return value && typeof value === "object"
      ? this.decoder.decode(new Uint8Array(value), { stream: true })
      : undefined;
  }

  /** Aborts the request, if it is not complete. The body of a cloned response ends only when both of these are called. */
  abort() {
    // Cancelling a stream that has failed rejects, which must not become an unhandled rejection.
    attempt(() => this.reader?.cancel().catch(() => {}));
    attempt(() => this.request?.abort());
  }
}

/** Fires once, after a time or on an event, whichever is first. */
export class Timer {
  /**
   * @param {number | undefined} milliseconds
   * @param {EventTarget | undefined} target
   * @param {string} event
   */
  constructor(milliseconds, target, event) {
    this.target = target;
    this.event = event;
    /** @type {Promise<void>} */
    this.fired = new Promise((fire) => {
      /** @type {() => void} */
      this.fire = fire;
    });
    if (milliseconds !== undefined) this.timer = setTimeout(this.fire, milliseconds);
    attempt(() => target?.addEventListener(event, this.fire));
  }

  /** Stops it. The promise is fulfilled all the same: one that never settles would keep its waiters in memory. */
  stop() {
    clearTimeout(this.timer);
    attempt(() => this.target?.removeEventListener(this.event, this.fire));
    this.fire();
  }
}

/** 32 random hexadecimal digits; throws where the platform has no secure random numbers. */
export const randomKey = () => {
  // An insecure context, such as plain http, has `getRandomValues` but no `randomUUID`.
  const bytes = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (it) => it.toString(16).padStart(2, "0"));
  return crypto.randomUUID?.().replaceAll("-", "") ?? bytes().join("");
};

/** The document where the page is hidden, as the target of `visibilitychange`; `undefined` where it is visible. */
export const hiddenDocument = () => (globalThis.document?.hidden ? document : undefined);

/** The global object where the platform is offline, as the target of `online`; `undefined` where it is online. */
export const offlineGlobal = () => (globalThis.navigator?.onLine === false ? globalThis : undefined);

/**
 * Whether earlier requests to this URL are known to have used HTTP/2 or HTTP/3, which share a connection.
 *
 * @param {string} base
 */
export const multiplexed = (base) =>
  attempt(() =>
    performance
      .getEntriesByType("resource")
      .some(
        (it) =>
          it.name.startsWith(base) && /^h[23]$/.test(/** @type {PerformanceResourceTiming} */ (it).nextHopProtocol),
      ),
  ) ?? false;

/**
 * The absolute URL of a string or a `URL`, resolved against the page; `undefined` for anything else.
 *
 * @param {unknown} url
 */
export function absoluteUrl(url) {
  const text = typeof url === "string" ? url : member(url, "href");
  return typeof text === "string" ? attempt(() => new URL(text, globalThis.location?.href ?? text).href) : undefined;
}

/**
 * The value stored under a name; `undefined` without storage, as in workers, Node and sandboxed frames.
 *
 * @param {string} name
 */
export const storageGet = (name) => attempt(() => parseJson(localStorage.getItem(name)));

/**
 * Stores a value under a name, where there is storage.
 *
 * @param {string} name
 * @param {unknown} value
 */
export const storageSet = (name, value) => attempt(() => localStorage.setItem(name, JSON.stringify(value)));

/**
 * A file of bytes; throws for anything else.
 *
 * @param {BlobPart} bytes
 * @param {string} name
 * @param {string} type
 */
export const createFile = (bytes, name, type) => new File([bytes], name, { type });

/**
 * A blob of everything in a stream. Aborting the signal cancels the stream's source, which releasing a reader does not.
 *
 * @param {ReadableStream} stream
 * @param {AbortSignal | undefined} signal
 */
export async function readAll(stream, signal) {
  return new Response(stream.pipeThrough(new TransformStream(), { signal })).blob();
}
