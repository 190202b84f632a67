// Verifies webhooks of the gateway, which signs them as Standard Webhooks specifies.

import { encode, hmacKey, isRecord, keysOf } from "./server-values.js";

/** How much the clocks may differ, and how old a delivery may be, in seconds. */
const TOLERANCE_S = 300;
/** The most signatures that are compared. The gateway sends one for each of its keys; each comparison hashes the body. */
const MAX_SIGNATURES = 16;
/** The bytes of a key. */
const [MIN_KEY_BYTES, MAX_KEY_BYTES] = [24, 64];
/** Base64 as the gateway reads and writes it, with its padding. `atob` alone would take more. */
const BASE64 =
  /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

export class WebhookError extends Error {
  /**
   * @param {import("./server-webhooks.js").WebhookErrorCode} code
   * @param {string} message
   * @param {unknown} [cause]
   */
  constructor(code, message, cause) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

// On the prototype, where the built-in errors have theirs.
WebhookError.prototype.name = "WebhookError";

/** @type {typeof import("./server-webhooks.js").verifyWebhook} */
export async function verifyWebhook(request, secret) {
  const keys = webhookKeys(secret);
  const { id, timestamp, signatures } = signedHeaders(request);
  const body = await bytesOf(request);
  if (
    !(await isSigned(
      keys,
      signatures,
      concat(encode(`${id}.${timestamp}.`), body),
    ))
  )
    throw new WebhookError(
      "invalid_signature",
      "no signature is valid: the body was changed, or WEBHOOK_SECRET differs from the gateway's; pass the body as it arrived",
    );
  return { ...eventOf(body), id };
}

/**
 * The keys of the setting, each of which may have signed.
 *
 * @param {unknown} secret
 */
function webhookKeys(secret) {
  const texts = typeof secret === "string" ? keysOf(secret) : [];
  if (texts.length === 0)
    throw new WebhookError(
      "invalid_secret",
      "the secret is missing or empty; set WEBHOOK_SECRET in the environment, to the same value as the gateway's",
    );
  return texts.map((text) => {
    const key = text.startsWith("whsec_")
      ? fromBase64(text.slice("whsec_".length))
      : undefined;
    if (key && key.length >= MIN_KEY_BYTES && key.length <= MAX_KEY_BYTES)
      return key;
    throw new WebhookError(
      "invalid_secret",
      `the secret has a key that is not whsec_ and ${MIN_KEY_BYTES} to ${MAX_KEY_BYTES} bytes in base64; set WEBHOOK_SECRET to the gateway's`,
    );
  });
}

/**
 * Reads the headers of the signature, and checks the time, which needs no body.
 *
 * @param {any} request
 */
function signedHeaders(request) {
  const headers = request?.headers;
  const [id, timestamp, signature] = [
    "webhook-id",
    "webhook-timestamp",
    "webhook-signature",
  ].map((name) => {
    const value = headerOf(headers, name);
    if (value) return value;
    throw new WebhookError(
      "missing_header",
      `the request has no header ${name}: it is not a webhook of the gateway, or headers is not that of the request; pass a Request, or { headers, body }`,
    );
  });
  const age =
    Date.now() / 1000 -
    Number(/^\d{1,15}$/.test(timestamp) ? timestamp : Number.NaN);
  if (!(Math.abs(age) <= TOLERANCE_S))
    throw new WebhookError(
      "wrong_time",
      `webhook-timestamp is more than ${TOLERANCE_S / 60} minutes from now, or no time: the delivery is old and was sent again, or this machine's clock is wrong`,
    );
  const versioned = signature.split(" ").filter((it) => it.startsWith("v1,"));
  return {
    id,
    timestamp,
    signatures: versioned
      .slice(0, MAX_SIGNATURES)
      .map((it) => fromBase64(it.slice(3))),
  };
}

/**
 * @param {any} headers
 * @param {string} name in lower case
 * @returns {string | undefined}
 */
function headerOf(headers, name) {
  const value =
    typeof headers?.get === "function"
      ? headers.get(name)
      : memberOf(headers, name);
  return typeof value === "string" ? value : undefined;
}

/**
 * Reads a header of an object by its name, in any case.
 *
 * @param {any} headers
 * @param {string} name in lower case
 */
function memberOf(headers, name) {
  const written = Object.keys(headers ?? {}).find(
    (key) => key.toLowerCase() === name,
  );
  return headers?.[written ?? name];
}

/**
 * Returns a copy of the body as it was sent. A buffer of the caller's may be used again before the signature is verified.
 *
 * @param {any} request
 * @returns {Promise<Uint8Array>}
 */
async function bytesOf(request) {
  if (typeof request.arrayBuffer === "function") return readAll(request);
  const { body } = request;
  if (typeof body === "string") return encode(body);
  // By name: `instanceof` fails for one of another realm, such as a test runner's.
  if (Object.prototype.toString.call(body) === "[object ArrayBuffer]")
    return new Uint8Array(body).slice();
  if (ArrayBuffer.isView(body))
    return new Uint8Array(
      body.buffer,
      body.byteOffset,
      body.byteLength,
    ).slice();
  throw new WebhookError(
    "unusable_body",
    'body is not what was sent, as bytes or a string: a middleware has parsed it, or none has read it; use express.raw({ type: "application/json" }) for this route, before any express.json()',
  );
}

/** @param {Request} request */
async function readAll(request) {
  try {
    return new Uint8Array(await request.arrayBuffer());
  } catch (cause) {
    const message =
      "the body cannot be read: it was read before, or it was cut off; pass the Request before reading it";
    throw new WebhookError("unusable_body", message, cause);
  }
}

/**
 * Whether one of the keys made one of the signatures; `verify` compares in constant time.
 *
 * @param {Uint8Array<ArrayBuffer>[]} keys
 * @param {(Uint8Array<ArrayBuffer> | undefined)[]} signatures
 * @param {Uint8Array<ArrayBuffer>} signed
 */
async function isSigned(keys, signatures, signed) {
  for (const bytes of keys) {
    const key = await hmacKey(bytes, "verify");
    for (const signature of signatures) {
      if (
        signature &&
        (await crypto.subtle.verify("HMAC", key, signature, signed))
      )
        return true;
    }
  }
  return false;
}

/** @param {Uint8Array} body */
function eventOf(body) {
  try {
    const event = JSON.parse(new TextDecoder().decode(body));
    if (isRecord(event) && typeof event.type === "string")
      return /** @type {any} */ (event);
  } catch {
    // It is none, as below.
  }
  const message =
    "the body is signed, and is no event of the gateway: another application may use the same WEBHOOK_SECRET";
  throw new WebhookError("unreadable_event", message);
}

/**
 * The bytes of a string in base64; `undefined` for any other string.
 *
 * @param {string} text
 */
const fromBase64 = (text) =>
  BASE64.test(text)
    ? Uint8Array.from(atob(text), (it) => it.charCodeAt(0))
    : undefined;

/**
 * @param {Uint8Array} first
 * @param {Uint8Array} second
 */
function concat(first, second) {
  const whole = new Uint8Array(first.length + second.length);
  whole.set(first);
  whole.set(second, first.length);
  return whole;
}
