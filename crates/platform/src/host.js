// Functions that would need many calls of the host from Rust: bodies within bounds, deadlines, and
// streams.

// The types in the comments are checked (../../tsconfig.json).

/**
 * Reads a body of at most `limit` bytes. Counts the bytes that arrive. Returns `undefined` if the
 * body is longer, and leaves its rest unread.
 *
 * @param {Request | Response} message
 * @param {number} limit
 */
export async function readBody(message, limit) {
  if (Number(message.headers.get("content-length")) > limit) return undefined;
  // A body of known length is read as a whole, which takes fewer turns of the event loop.
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
 * Reads the body of a request. Returns `null` if it is not complete within `milliseconds`.
 *
 * @param {Request} request
 * @param {number} limit
 * @param {number} milliseconds
 */
export function readBodyWithin(request, limit, milliseconds) {
  return within(milliseconds, readBody(request, limit));
}

/**
 * Reads and drops the rest of a request's body, for at most `milliseconds`. An unread body breaks
 * the connection for the next request, and a body that is kept occupies memory.
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
  // A body that breaks needs no more reading.
  await within(
    milliseconds,
    readAll().catch(() => {}),
  );
}

/**
 * Reads the first bytes of a body, at most `bytes`. Resolves to them and to the whole body, which
 * replaces the one that was passed; to `null` if they do not arrive within `milliseconds`.
 *
 * @param {ReadableStream<Uint8Array>} body
 * @param {number} bytes
 * @param {number} milliseconds
 * @throws if the body breaks before
 */
export async function peek(body, bytes, milliseconds) {
  const [start, whole] = body.tee();
  const reader = start.getReader({ mode: "byob" });
  try {
    const reading = reader.readAtLeast(bytes, new Uint8Array(bytes));
    const read = await within(milliseconds, reading);
    if (read) return { head: read.value ?? new Uint8Array(), body: whole };
    whole.cancel().catch(() => {});
    return null;
  } catch (error) {
    whole.cancel(error).catch(() => {});
    throw error;
  } finally {
    // From here on, nothing is stored for this end of the body.
    reader.cancel().catch(() => {});
  }
}

/** Counts the bytes that {@link pipe} has moved. */
export class Counter {
  bytes = 0;
}

/**
 * The reason of {@link pipe} to abort an upload, as `upstream/storage.rs` reads it: no byte moved
 * for a while, the body broke, or the body was empty or larger than the limit.
 *
 * @typedef {"stalled" | "interrupted" | "wrong_size"} PipeFault
 */

/**
 * The most bytes that are moved at once. The platform's own chunks have 4 KiB, and each would take
 * a turn of the event loop.
 */
const CHUNK_BYTES = 1 << 18;

/**
 * Moves a body into a stream. Resolves to true if the whole body was moved.
 *
 * Aborts the controller with a {@link PipeFault} if no byte moves for `milliseconds`, or up to
 * twice that since one timer watches all chunks, and if the body breaks or has a wrong size. An
 * aborted stream does not end as if it were complete. Both streams end when the controller is
 * aborted, also by other code.
 *
 * @param {ReadableStream<Uint8Array>} from
 * @param {WritableStream<Uint8Array>} to
 * @param {AbortController} controller
 * @param {number} milliseconds
 * @param {number | undefined} limit the most bytes of a body without a length, which must not be
 *   empty; `undefined` if the stream itself has a length
 * @param {string} before the text before the body
 * @param {string} after the text after the body
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
  const reader = from.getReader({ mode: "byob" });
  const writer = to.getWriter();
  const { signal } = controller;
  /** @param {PipeFault} fault */
  const fail = (fault) => controller.abort(fault);
  /** @param {unknown} reason */
  const end = (reason) => {
    reader.cancel(reason).catch(() => {});
    writer.abort(reason).catch(() => {});
  };
  signal.addEventListener("abort", () => end(signal.reason));
  let hasMoved = true;
  let buffer = new ArrayBuffer(CHUNK_BYTES);
  const timer = setInterval(() => {
    if (!hasMoved) fail("stalled");
    hasMoved = false;
  }, milliseconds);
  const next = async () => {
    const read = await reader
      .read(new Uint8Array(buffer))
      .catch(() => fail("interrupted"));
    // A cancelled reader reads an end, which must not count as the body's end.
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
    // The body does not have the stream's length, or the storage closed the stream. The request
    // itself fails in that case, or has a response that tells the reason.
    end(error);
    return false;
  } finally {
    clearInterval(timer);
  }
}

/**
 * Resolves to the value of a promise, or to `null` if it does not resolve within `milliseconds`.
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
 * Returns true if the sender states a length within the limit, and no encoding that changes it.
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
 * The reason for a missing body, as `fault_named` in `upstream/response.rs` reads it.
 *
 * @typedef {"deadline" | "unreachable" | "redirect" | "answer_too_large"} Fault
 */

/**
 * Sends requests to a server, or to a module. Responses must be complete in time, with at most
 * `limit` bytes.
 */
export class JsonClient {
  /**
   * @param {string} baseUrl
   * @param {string | undefined} authorization
   * @param {string} userAgent
   * @param {number} limit
   * @param {Fetcher | undefined} module
   */
  constructor(baseUrl, authorization, userAgent, limit, module) {
    const headers = {
      ...(authorization && { authorization }),
      accept: "application/json",
      "user-agent": userAgent,
    };
    this.baseUrl = baseUrl;
    this.headers = new Headers(headers);
    this.headersOfBody = new Headers({
      ...headers,
      "content-type": "application/json",
    });
    this.limit = limit;
    /** @type {typeof fetch} */
    this.fetch = module ? (url, init) => module.fetch(url, init) : fetch;
  }

  /**
   * Sends one request. It never throws.
   *
   * @param {string} method
   * @param {string} path
   * @param {string | undefined} body
   * @param {number} milliseconds
   * @returns {Promise<
   *   | { status: number, fault: Fault }
   *   | { status: number, body: Uint8Array, retryAfter: string | null }
   * >}
   */
  async send(method, path, body, milliseconds) {
    const headers = body === undefined ? this.headers : this.headersOfBody;
    const controller = new AbortController();
    const { signal } = controller;
    // The timer of `AbortSignal.timeout` outlives the request, and many of them would add up in a
    // Durable Object.
    const timer = setTimeout(() => controller.abort(), milliseconds);
    let status = 0;
    try {
      const { fetch } = this;
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
 * Sends requests to the objects of an R2 bucket, by their paths: `PUT`, `HEAD`, and `GET` also of a
 * range.
 */
export class BucketFetcher {
  /** @param {R2Bucket} bucket */
  constructor(bucket) {
    this.bucket = bucket;
  }

  /** @param {Request} request */
  async fetch({ method, url, headers, body }) {
    const key = new URL(url).pathname.slice(1);
    if (method === "PUT") {
      const contentType = headers.get("content-type") ?? undefined;
      await this.bucket.put(key, body, { httpMetadata: { contentType } });
      return new Response();
    }
    // The gateway's own header, which names a part of the object.
    const [, from, to] =
      /^bytes=(\d+)-(\d+)$/.exec(headers.get("range") ?? "") ?? [];
    const found =
      method === "HEAD"
        ? await this.bucket.head(key)
        : await this.bucket.get(key, {
            range: from
              ? { offset: Number(from), length: Number(to) - Number(from) + 1 }
              : undefined,
          });
    if (!found) return new Response(null, { status: 404 });
    const described = new Headers();
    found.writeHttpMetadata(described);
    const content =
      "body" in found ? /** @type {R2ObjectBody} */ (found).body : null;
    return new Response(content, { headers: described });
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
 * Sends a message to a Durable Object, and reads its response as text. Rejects if the response is
 * not complete within `milliseconds`. The limit still fires after a panic has ended the caller.
 *
 * @param {Record<string, DurableObjectNamespace>} env
 * @param {string} binding
 * @param {string} name of the object
 * @param {string} body
 * @param {number} milliseconds
 */
export async function fetchObjectText(env, binding, name, body, milliseconds) {
  // The timer of `AbortSignal.timeout` outlives the response, and keeps a Durable Object awake.
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
 * Runs a statement, and returns its rows.
 *
 * @param {SqlStorage} sql
 * @param {string} statement
 * @param {SqlStorageValue[]} values
 */
export const executeSql = (sql, statement, values) =>
  sql.exec(statement, ...values).toArray();

/**
 * Runs scripts in one transaction. If one fails, none has an effect.
 *
 * @param {DurableObjectState} state
 * @param {string[]} scripts
 */
export const executeAll = ({ storage }, scripts) =>
  storage.transactionSync(() => {
    for (const script of scripts) storage.sql.exec(script);
  });
