import { USER_AGENT } from "../user-agent.js";

/** Milliseconds for one request and its response. */
const TIMEOUT_MS = 30_000;
/** The bytes that are read of a response, at most. */
const MAX_RESPONSE_BYTES = 1 << 20;
const SAMPLE = { name: "mediagate-probe.png", type: "image/png" };

/**
 * Sends a request of the probe, and reads the response as text.
 *
 * @param {any} request a step's, as the wasm describes it
 * @param {string} key
 * @returns {Promise<{ status: number, text: string, allow_origin: string | null }>}
 */
export async function send(request, key) {
  const response = await fetch(request.url, {
    method: request.method,
    headers: {
      "user-agent": USER_AGENT,
      ...request.headers,
      ...typeOf(request.body),
      ...(request.has_key && { authorization: `Bearer ${key}` }),
    },
    body: bodyOf(request.body),
    // A redirect would carry the key elsewhere.
    redirect: "manual",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const text = new TextDecoder().decode(await read(response));
  return {
    status: response.status,
    text,
    allow_origin: response.headers.get("access-control-allow-origin"),
  };
}

const typeOf = (body) =>
  body && "json" in body ? { "content-type": "application/json" } : {};

function bodyOf(body) {
  if (body === null) return undefined;
  if ("json" in body) return JSON.stringify(body.json);
  const bytes = new Uint8Array(body.bytes);
  if (!body.form) return bytes;
  const form = new FormData();
  for (const [name, value] of Object.entries(body.form))
    form.append(name, value);
  form.append("file", new File([bytes], SAMPLE.name, { type: SAMPLE.type }));
  return form;
}

async function read(response) {
  const chunks = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    length += chunk.byteLength;
    if (length >= MAX_RESPONSE_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, MAX_RESPONSE_BYTES);
}
