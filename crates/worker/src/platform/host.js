// Functions for which Rust would need many calls of the host: bodies within bounds, deadlines, and streams.

// The types in the comments are checked (../../tsconfig.json).

/**
 * A body of at most `limit` bytes, counting the bytes that arrive; `undefined` where it is longer, whose rest is left
 * unread.
 *
 * @param {Request | Response} message
 * @param {number} limit
 */
export async function readBody(message, limit) {
  if (Number(message.headers.get("content-length")) > limit) return undefined;
  // At once, which takes fewer turns of the event loop than in chunks.
  if (hasKnownLength(message.headers, limit))
    return new Uint8Array(await message.arrayBuffer());
  /** @type {Uint8Array[]} */
  const chunks = [];
  let length = 0;
  const reader = message.body?.getReader();
  for (
    let read = await reader?.read();
    read !== undefined && !read.done;
    read = await reader?.read()
  ) {
    length += read.value.length;
    if (length > limit) {
      reader?.releaseLock();
      return undefined;
    }
    chunks.push(read.value);
  }
  return concatenate(chunks, length);
}

/**
 * The body of a request, where it arrives within `milliseconds`; `null` otherwise.
 *
 * @param {Request} request
 * @param {number} limit
 * @param {number} milliseconds
 */
export function readBodyWithin(request, limit, milliseconds) {
  return within(milliseconds, readBody(request, limit));
}

/**
 * Receives what is left of a request's body, and drops each chunk as it comes, for at most `milliseconds`: a body that is
 * left unread breaks the connection for the next request, and one that is kept occupies memory.
 *
 * @param {Request} request
 * @param {number} milliseconds
 */
export async function discard({ body }, milliseconds) {
  if (body === null || body.locked) return;
  const reader = body.getReader();
  const readAll = async () => {
    while (!(await reader.read()).done);
  };
  // A body that breaks is gone as well.
  await within(
    milliseconds,
    readAll().catch(() => {}),
  );
}

/** Counts the bytes that {@link pipe} has moved. */
export class Counter {
  bytes = 0;
}

/**
 * Why {@link pipe} aborts an upload, as `storage.rs` reads it: no byte moved for a while; the body broke; it was empty, or
 * larger than the limit.
 *
 * @typedef {"stalled" | "interrupted" | "wrong_size"} PipeFault
 */

/** Bytes that are moved at once: the platform's own chunks have 4 KiB, with a turn of the event loop for each. */
const CHUNK_BYTES = 1 << 18;

/**
 * Moves a body into a stream; whether all of it was moved. Where no byte moves for `milliseconds`, or up to twice that (one
 * timer watches all chunks), it aborts with a {@link PipeFault}, and so it does where the body breaks or has a wrong size:
 * the stream must not end as if it were complete. When the controller is aborted, by anyone, both streams end.
 *
 * @param {ReadableStream<Uint8Array>} from
 * @param {WritableStream<Uint8Array>} to
 * @param {AbortController} controller
 * @param {number} milliseconds
 * @param {number | undefined} limit the most bytes of a body without a length, which has one at least; `undefined` where the
 *   stream has a length of its own
 * @param {string} before what the stream begins with
 * @param {string} after what it ends with
 * @param {Counter} counter counts the body's bytes
 */
export async function pipe(
  from,
  to,
  controller,
  milliseconds,
  limit,
  before,
  after,
  counter,
) {
  const [reader, writer] = [from.getReader({ mode: "byob" }), to.getWriter()];
  const { signal } = controller;
  /** @param {PipeFault} fault */
  const fail = (fault) => controller.abort(fault);
  /** @param {unknown} reason */
  const end = (reason) => {
    reader.cancel(reason).catch(() => {});
    writer.abort(reason).catch(() => {});
  };
  signal.addEventListener("abort", () => end(signal.reason));
  let [hasMoved, buffer] = [true, new ArrayBuffer(CHUNK_BYTES)];
  const timer = setInterval(() => {
    if (!hasMoved) fail("stalled");
    hasMoved = false;
  }, milliseconds);
  const next = async () => {
    const read = await reader
      .read(new Uint8Array(buffer))
      .catch(() => fail("interrupted"));
    // A reader that is cancelled reads an end.
    signal.throwIfAborted();
    return /** @type {ReadableStreamReadResult<Uint8Array<ArrayBuffer>>} */ (
      read
    );
  };
  try {
    if (before) await writer.write(new TextEncoder().encode(before));
    for (let read = await next(); !read.done; read = await next()) {
      const { value } = read;
      if (limit !== undefined && counter.bytes + value.byteLength > limit)
        fail("wrong_size");
      signal.throwIfAborted();
      await writer.write(value);
      counter.bytes += value.byteLength;
      buffer = value.buffer;
      hasMoved = true;
    }
    if (limit !== undefined && counter.bytes === 0) fail("wrong_size");
    signal.throwIfAborted();
    if (after) await writer.write(new TextEncoder().encode(after));
    await writer.close();
    return true;
  } catch (error) {
    // A body of another length than the stream's, or a storage that has closed: the request fails, or has a response.
    end(error);
    return false;
  } finally {
    clearInterval(timer);
  }
}

/**
 * What a promise resolves to within `milliseconds`; `null` otherwise.
 *
 * @template T
 * @param {number} milliseconds
 * @param {Promise<T>} promise
 * @returns {Promise<T | null>}
 */
async function within(milliseconds, promise) {
  /** @type {ReturnType<typeof setTimeout> | null} */
  let timer = null;
  /** @type {Promise<null>} */
  const deadline = new Promise(
    (resolve) => (timer = setTimeout(() => resolve(null), milliseconds)),
  );
  try {
    return await Promise.race([promise, deadline]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Whether the sender states a length within the limit, and no encoding that would change it.
 *
 * @param {Headers} headers
 * @param {number} limit
 */
function hasKnownLength(headers, limit) {
  const length = headers.get("content-length");
  return (
    /^\d+$/.test(/** @type {string} */ (length)) &&
    Number(length) <= limit &&
    !headers.has("content-encoding") &&
    !headers.has("transfer-encoding")
  );
}

/**
 * @param {Uint8Array[]} chunks
 * @param {number} length
 */
function concatenate(chunks, length) {
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}

/**
 * Why there is no body, as `fault_named` in upstream/response.rs reads it.
 *
 * @typedef {"deadline" | "unreachable" | "redirect" | "answer_too_large"} Fault
 */

/** Sends requests to one server, for responses that are complete in time and at most `limit` bytes long. */
export class JsonClient {
  /**
   * @param {string} baseUrl
   * @param {string} authorization
   * @param {number} milliseconds
   * @param {number} limit
   */
  constructor(baseUrl, authorization, milliseconds, limit) {
    const headers = { authorization, accept: "application/json" };
    this.baseUrl = baseUrl;
    this.headers = new Headers(headers);
    this.headersOfBody = new Headers({
      ...headers,
      "content-type": "application/json",
    });
    this.milliseconds = milliseconds;
    this.limit = limit;
  }

  /**
   * Sends one request. It never throws.
   *
   * @param {string} method
   * @param {string} path
   * @param {string | undefined} body
   * @returns {Promise<{ status: number, fault: Fault } | { status: number, body: Uint8Array, retryAfter: string | null }>}
   */
  async send(method, path, body) {
    const headers = body === undefined ? this.headers : this.headersOfBody;
    const controller = new AbortController();
    const { signal } = controller;
    // Not `AbortSignal.timeout`: its timer outlives the request, and a Durable Object outlives many.
    const timer = setTimeout(() => controller.abort(), this.milliseconds);
    let status = 0;
    try {
      const result = await fetch(`${this.baseUrl}${path}`, {
        method,
        headers,
        body,
        redirect: "manual",
        signal,
      });
      status = result.status;
      if (status >= 300 && status < 400) return { status, fault: "redirect" };
      const whole = await readBody(result, this.limit);
      if (whole)
        return {
          status,
          body: whole,
          retryAfter: result.headers.get("retry-after"),
        };
      controller.abort();
      return { status, fault: "answer_too_large" };
    } catch {
      return { status, fault: signal.aborted ? "deadline" : "unreachable" };
    } finally {
      clearTimeout(timer);
    }
  }
}

/**
 * Sends a message to a Durable Object. Returns `undefined` if the object refuses it.
 *
 * @param {Record<string, DurableObjectNamespace>} env
 * @param {string} binding
 * @param {string} name of the object
 * @param {string} body
 * @param {AbortSignal} [signal]
 */
export async function fetchObject(env, binding, name, body, signal) {
  const result = await /** @type {DurableObjectNamespace} */ (env[binding])
    .getByName(name)
    .fetch("https://object/", { method: "POST", body, signal });
  return result.ok ? result : undefined;
}

/**
 * Sends a message whose response is text, which must be complete within `milliseconds`. The time limit still fires after a
 * panic has ended the caller.
 *
 * @param {Record<string, DurableObjectNamespace>} env
 * @param {string} binding
 * @param {string} name of the object
 * @param {string} body
 * @param {number} milliseconds
 */
export async function fetchObjectText(env, binding, name, body, milliseconds) {
  // Not `AbortSignal.timeout`: its timer outlives the response, and keeps a Durable Object awake.
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), milliseconds);
  try {
    const result = await fetchObject(
      env,
      binding,
      name,
      body,
      controller.signal,
    );
    return await result?.text();
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Runs a statement, and returns its rows as JSON.
 *
 * @param {SqlStorage} sql
 * @param {string} statement
 * @param {string} values the statement's values, a JSON list
 */
export const executeSql = (sql, statement, values) =>
  JSON.stringify(sql.exec(statement, ...JSON.parse(values)).toArray());

/**
 * Runs scripts in one transaction: all of them, or where one fails none.
 *
 * @param {DurableObjectState} state
 * @param {string} scripts JSON
 */
export const executeAll = ({ storage }, scripts) =>
  storage.transactionSync(() => {
    for (const script of JSON.parse(scripts)) storage.sql.exec(script);
  });
