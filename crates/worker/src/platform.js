// The platform, asked for in one call what would take wasm a dozen: every crossing between the two costs time.

/** What the gateway looks at in every request. */
const LOOKED_AT = ["origin", "authorization", "cf-connecting-ip"];

/** The head of a request as HTTP writes it: a first line, and a line for each header that is looked at and there. */
export function head({ method, url, headers }) {
  let lines = `${method} ${url}`;
  for (const name of LOOKED_AT) {
    const value = headers.get(name);
    if (value !== null) lines += `\n${name}: ${value}`;
  }
  return lines;
}

/** A body of at most `limit` bytes, counting what really comes; none where there is more. */
export async function read(message, limit) {
  // At once, which takes fewer turns of the platform's loop than in pieces.
  if (isShort(message.headers, limit)) return new Uint8Array(await message.arrayBuffer());
  const chunks = [];
  let length = 0;
  for await (const chunk of message.body ?? []) {
    length += chunk.length;
    // What is left is never read: the other side learns of it when the stream closes.
    if (length > limit) return undefined;
    chunks.push(chunk);
  }
  return joined(chunks, length);
}

/** The same, where it comes in time; `null` otherwise. */
export async function readInTime(message, limit, milliseconds) {
  let timer;
  const late = new Promise((resolve) => (timer = setTimeout(() => resolve(null), milliseconds)));
  try {
    return await Promise.race([read(message, limit), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Whether the sender states a length within the limit, and no packing or chunks that would make it another one. */
function isShort(headers, limit) {
  const stated = headers.get("content-length");
  return /^\d+$/.test(stated) && Number(stated) <= limit && !headers.has("content-encoding") && !headers.has("transfer-encoding");
}

function joined(chunks, length) {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/** Asks the service once, for an answer that is there in full in time and no longer than `limit`. It never throws. */
export async function exchange(url, method, headers, body, milliseconds, limit) {
  const controller = new AbortController();
  const { signal } = controller;
  // Not the signal's own timeout: that goes on when all is over, and a ledger lives on too.
  const timer = setTimeout(() => controller.abort(), milliseconds);
  let status = 0;
  try {
    const answer = await fetch(url, { method, headers: JSON.parse(headers), body, redirect: "manual", signal });
    status = answer.status;
    if (status >= 300 && status < 400) return { status, fault: "redirect" };
    const whole = await read(answer, limit);
    return whole ? { status, body: whole, retryAfter: answer.headers.get("retry-after") } : { status, fault: "answer_too_large" };
  } catch {
    return { status, fault: signal.aborted ? "deadline" : "unreachable" };
  } finally {
    clearTimeout(timer);
  }
}

/** An answer of the gateway's own words. */
export const respond = (status, headers, text) => new Response(text, { status, headers: JSON.parse(headers) });

/** Asks the Durable Object of a name; nothing where it refuses. The limit goes on where a panic elsewhere has ended who asked. */
export async function ask(env, binding, name, body, milliseconds) {
  const signal = milliseconds === undefined ? undefined : AbortSignal.timeout(milliseconds);
  const answer = await env[binding].getByName(name).fetch("https://object/", { method: "POST", body, signal });
  return answer.ok ? answer : undefined;
}

/** The same for what answers with a text. */
export const askForText = async (...question) => (await ask(...question))?.text();

/** Runs a statement with its values, and gives its rows: both as JSON. */
export const query = (sql, statement, values) => JSON.stringify(sql.exec(statement, ...JSON.parse(values)).toArray());
