import { USER_AGENT } from "../user-agent.js";

/**
 * Milliseconds for one request and its response. The response to a create may come only with the
 * picture, after 40 s or more, and a create that is given up is charged and lost.
 */
const TIMEOUT_MS = 150_000;
const MAX_RESPONSE_BYTES = 16 << 20;

/**
 * @param {any} request as the wasm describes it
 * @param {{ name: string, bytes: Uint8Array }} file
 * @param {string | undefined} key a module has none
 * @param {AbortSignal} interrupted
 * @returns {Promise<{ status: number, text: string }>}
 */
export async function send(request, file, key, interrupted) {
  const response = await fetch(request.url, {
    method: request.method,
    headers: {
      "user-agent": USER_AGENT,
      ...request.headers,
      ...(request.body?.json && { "content-type": "application/json" }),
      ...(request.has_key && key && { authorization: `Bearer ${key}` }),
    },
    body: bodyOf(request.body, file),
    // A redirect would carry the key elsewhere.
    redirect: "manual",
    signal: AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), interrupted]),
  });
  return { status: response.status, text: await read(response) };
}

function bodyOf(body, { name, bytes }) {
  if (body === null) return undefined;
  if (body.json) return JSON.stringify(body.json);
  if (!body.form) return bytes;
  const form = new FormData();
  for (const [field, value] of Object.entries(body.form))
    form.append(field, value);
  form.append("file", new File([bytes], name));
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
  return new TextDecoder().decode(Buffer.concat(chunks));
}
