// What the engine asks of the platform, in one step each: a call between wasm and JavaScript costs time, and its
// conversions bytes. Nothing here decides anything, and nothing throws or rejects, whatever a caller's values do, but where
// it says so.

/** What the work gives; `undefined` where it throws. */
const tried = (work, ...values) => {
  try {
    return work(...values);
  } catch {
    return undefined;
  }
};

/** The text of JSON, as a value; `undefined` for any other. */
export const parsed = (text) => tried(JSON.parse, text);

// The types of values, as `KINDS` of value.rs has them.
const [NULL, BOOLEAN, NUMBER, TEXT, LIST, OBJECT, BLOB, OTHER, NAME] = [0, 1, 2, 3, 4, 5, 6, 7, 8];

/** Longest list that is walked, and most values of an input: a hostile array may claim four thousand million. */
const MOST = 100_000;

const isBlob = (value) => value instanceof Blob;

/** The type of a value. */
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
      if (tried(Array.isArray, value)) return member(value, "length") <= MOST ? LIST : OTHER;
      return tried(isBlob, value) ? BLOB : OBJECT;
    default:
      return OTHER;
  }
}

const get = (target, name) => target[name];

/** The member of an object; `undefined` where there is none, also of what is no object, and where asking throws. */
export const member = (target, name) => (typeof target == "object" && target ? tried(get, target, name) : undefined);

/** The member's text, where it is one. */
export function text(target, name) {
  const value = member(target, name);
  return typeof value == "string" ? value : undefined;
}

/** An object without some of its members, whose names stand in one text. */
export function without(object, names) {
  const rest = typeof object == "object" ? { ...object } : {};
  for (const name of names.split(" ")) delete rest[name];
  return rest;
}

/** A task as JavaScript sees it. */
export function snapshot(id, capability, state, progress, raw) {
  const outputs = member(raw, "outputs");
  return { id, capability, state, progress, outputs: kind(outputs) == LIST ? outputs : [], raw };
}

/** Deepest that an input is looked into; the catalogue asks for four. */
const DEEPEST = 8;

/**
 * A caller's input, read once: a copy to be sent, and what there is to be checked of it as tokens parted by NUL. A token
 * is the type, and then the text, or the digits, or the type of a file; names stand before values, and an empty token at
 * the end of each list and object. `numbers` has the number of each token that is one, and the size of each file.
 */
export class Input {
  constructor(value) {
    this.tokens = [];
    this.numbers = [];
    this.files = [];
    this.places = [];
    // Where a value is stranger than all that is thought of below, the whole is no input.
    if (!tried(() => ((this.body = this.walk(value, 0)), true))) [this.tokens, this.numbers] = [[OTHER], [0]];
    this.text = this.tokens.join("\0");
  }

  put(token, number) {
    this.tokens.push(token);
    this.numbers.push(typeof number == "number" ? number : 0);
  }

  walk(value, depth, target, name) {
    const type = depth < DEEPEST ? kind(value) : OTHER;
    if (type == TEXT) this.put(`${TEXT}${plain(value)}`);
    else if (type == NUMBER) this.put(`${NUMBER}${value}`, value);
    else if (type == BLOB) {
      this.places.push([target, name]);
      this.files.push(value);
      this.put(`${BLOB}${plain(member(value, "type"))}`, member(value, "size"));
    } else {
      this.put(type);
      if (type == LIST || type == OBJECT) return this.inside(value, type == LIST, depth + 1);
    }
    return value;
  }

  inside(value, isList, depth) {
    const copy = isList ? [] : {};
    for (const name of isList ? Array(value.length).keys() : names(value)) {
      // What has so many is not valid, whatever comes after them.
      if (this.tokens.length > MOST) break;
      const item = member(value, name);
      if (!isList) {
        if (item === undefined) continue;
        this.put(`${NAME}${plain(name)}`);
      }
      copy[name] = this.walk(item, depth, copy, name);
    }
    this.put("");
    return copy;
  }

  /** Puts the id of an uploaded file where the file was. */
  place(index, id) {
    const [target, name] = this.places[index];
    target[name] = id;
  }

  /** Makes a list of the one value of this name. */
  enlist(name) {
    const list = (this.body[name] = [this.body[name]]);
    for (const it of this.places) if (it[0] == this.body && it[1] == name) it.splice(0, 2, list, 0);
  }
}

/** A text in a token. It is only checked: whether it has the mark between tokens, or what stands for it, is all the same. */
const plain = (text) => (String(text).includes("\0") ? String(text).replaceAll("\0", "\ufffd") : text);

/** The names of an object's own members; those of bytes would be as many as they. */
const names = (object) => (ArrayBuffer.isView(object) ? [] : (tried(Object.keys, object) ?? []));

/** One request, and its answer. */
export class Exchange {
  status = 0;

  /**
   * Sends the request and reads the answer to its end, but for a stream of events, where one is asked for: that is left
   * open for `read`. By XMLHttpRequest where a file's progress is to be seen.
   *
   * @throws what `fetch`, or what a caller gave in its place, throws
   */
  async send(method, url, headers, body, progress, network, capability, events) {
    const isOwn = typeof network != "function";
    if (isOwn && progress !== null && globalThis.XMLHttpRequest) return this.upload(method, url, headers, body, progress);
    this.open = new AbortController();
    const init = { method, headers, body, signal: this.open.signal };
    const answer = await (isOwn ? fetch(url, init) : network(url, init, capability));
    // Only what a caller gave in the place of `fetch` gives anything else.
    if (!(answer instanceof Response)) return;
    this.status = Number(answer.status);
    this.headers = answer.headers;
    const isStream = events && this.status == 200 && this.header("content-type")?.startsWith("text/event-stream");
    this.reader = isStream ? tried(() => answer.body.getReader()) : undefined;
    if (this.reader) return;
    this.body = parsed(await answer.text());
    this.over();
  }

  async upload(method, url, headers, body, progress) {
    const xhr = (this.open = new XMLHttpRequest());
    // Only where somebody listens: each of its events wakes the page.
    if (progress) xhr.upload.onprogress = progress;
    xhr.open(method, url);
    headers.forEach((value, name) => xhr.setRequestHeader(name, value));
    await new Promise((ended) => {
      xhr.onloadend = ended;
      xhr.send(body);
    });
    this.over();
    if (!xhr.status) throw undefined;
    this.status = xhr.status;
    this.body = parsed(xhr.responseText);
  }

  /** There is nothing left to end: an abort costs an exception even then. */
  over() {
    this.open = undefined;
  }

  /** A header's value. The headers may be whatever a caller's `fetch` made of them. */
  header(name) {
    const value = tried(() => this.headers.get(name));
    return typeof value == "string" ? value : undefined;
  }

  /** Seconds to wait, from `Retry-After`: a number, or a date. */
  wait() {
    const text = this.header("retry-after");
    const number = parsed(text);
    const seconds = typeof number == "number" ? number : (Date.parse(text) - Date.now()) / 1000;
    return seconds >= 0 ? seconds : undefined;
  }

  /** The stream of events, from now on another's to end; `undefined` where there is none. */
  stream() {
    if (!this.reader) return undefined;
    const stream = Object.assign(new Exchange(), this);
    stream.decoder = new TextDecoder();
    this.reader = this.open = undefined;
    return stream;
  }

  /**
   * The next text of a stream, which may be empty, `undefined` at its end. Of a copy, since what a caller's `fetch` gives
   * in the place of bytes may not let itself be read.
   *
   * @throws what broke the stream
   */
  async read() {
    const { value } = await this.reader.read();
    return value && typeof value == "object" ? this.decoder.decode(new Uint8Array(value), { stream: true }) : undefined;
  }

  /** Ends it, where it is not over. A body that somebody cloned ends only when both it and the request do. */
  abort() {
    // A stream that broke by itself refuses to be cancelled: that is nobody's unhandled rejection.
    tried(() => this.reader?.cancel().catch(() => {}));
    tried(() => this.open?.abort());
  }
}

/** Rings when its time has come or its event happens. */
export class Alarm {
  constructor(milliseconds, target, event) {
    this.target = target;
    this.event = event;
    this.rung = new Promise((ring) => (this.ring = ring));
    if (milliseconds !== undefined) this.timer = setTimeout(this.ring, milliseconds);
    tried(() => target?.addEventListener(event, this.ring));
  }

  /** Ends it. It rings once more: a promise that never settles would keep whoever waits for it. */
  stop() {
    clearTimeout(this.timer);
    tried(() => this.target?.removeEventListener(this.event, this.ring));
    this.ring();
  }
}

/** A text that no other is like; throws where the platform has no good random bytes. */
export const unique = () => {
  // On plain http there are the bytes alone.
  const bytes = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (it) => it.toString(16).padStart(2, "0"));
  return crypto.randomUUID?.().replaceAll("-", "") ?? bytes().join("");
};

/** The page, where nobody sees it: it tells when that changes. */
export const unseen = () => (globalThis.document?.hidden ? document : undefined);

/** The global object, where the platform says that there is no connection: it tells when there is one again. */
export const offline = () => (globalThis.navigator?.onLine === false ? globalThis : undefined);

/** Whether requests to this URL are known to share a connection, as the platform's own notes of earlier ones say. */
export const multiplexed = (base) =>
  tried(() =>
    performance.getEntriesByType("resource").some((it) => it.name.startsWith(base) && /^h[23]$/.test(it.nextHopProtocol)),
  ) ?? false;

/** The address of a text or a `URL`, resolved against the page. */
export function href(url) {
  const text = typeof url == "string" ? url : member(url, "href");
  return typeof text == "string" ? tried(() => new URL(text, globalThis.location?.href ?? text).href) : undefined;
}

/** What was kept under a name; `undefined` also where there is no storage: workers, Node, a sandboxed frame. */
export const kept = (name) => tried(() => parsed(localStorage.getItem(name)));

/** Keeps a value under a name, where there is storage. */
export const keep = (name, value) => tried(() => localStorage.setItem(name, JSON.stringify(value)));

/** A file of bytes; throws for what is none. */
export const file = (bytes, name, type) => new File([bytes], name, { type });

/** Everything in a stream. Given up by its signal, it tells the stream's source so, which a reader that leaves does not. */
export async function drained(stream, signal) {
  return new Response(stream.pipeThrough(new TransformStream(), { signal })).blob();
}
