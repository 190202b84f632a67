// Verifies webhooks of the gateway, which signs them as Standard Webhooks specifies.

import { parseJson } from "../json.js";
import { outputOf, pipelineOf, recordsOf } from "../records.js";
import type { PipelineSnapshot, StepSnapshot } from "../types/pipeline.js";
import type { Output, TaskError, TaskState } from "../types/task.js";
import { encode, hmacKey, isRecord, keysOf, type Members } from "./values.js";

export type WebhookOutput = Omit<
  Output,
  "taskId" | "output" | "blob" | "download"
>;

/**
 * A task that has ended, or that the gateway no longer follows. Its ids are sealed for the task's
 * owner, so they are the same as in the page.
 */
export interface WebhookTask {
  readonly id: string;
  /** The state: `SUCCEEDED`, `FAILED` or `EXPIRED`, unless the event is `task.unfinished`. */
  readonly state?: TaskState | undefined;
  /** The results; a task that did not succeed may have none. */
  readonly outputs: readonly WebhookOutput[];
  /** The reason why the task failed or expired, as far as the media service says. */
  readonly error?: TaskError | undefined;
  /** What the media service has ignored or changed, in words; absent if there is nothing. */
  readonly warnings?: readonly string[] | undefined;
  /** The rest of the media service's record, with its own names. */
  readonly [member: string]: unknown;
}

/** A step of a pipeline that has ended. */
export interface WebhookStep
  extends Omit<
    StepSnapshot,
    "outputs" | "progress" | "eta" | "unansweredSince"
  > {
  /** The results; empty if the step did not succeed. */
  readonly outputs: readonly WebhookOutput[];
}

/**
 * A pipeline that has ended. Its ids are sealed for the pipeline's owner, so they are the same as in
 * the page.
 */
export interface WebhookPipeline
  extends Pick<PipelineSnapshot, "id" | "title" | "resumable"> {
  readonly state: "SUCCEEDED" | "FAILED" | "CANCELLED";
  /** The date and time of the start (RFC 3339). */
  readonly createdAt: string;
  /** The date and time of the end (RFC 3339). */
  readonly endedAt: string;
  /** The steps, each after those that it uses. */
  readonly steps: readonly WebhookStep[];
  /** The outputs of the steps that no other step uses, as far as these have succeeded. */
  readonly outputs: readonly WebhookOutput[];
}

export interface WebhookSubject {
  /**
   * The party that identified the owner: `hs256` for your backend, `jwks` for an identity provider,
   * `anonymous` for the gateway.
   */
  readonly source: "hs256" | "jwks" | "anonymous" | (string & {});
  /** The token's issuer; empty if the token had none. */
  readonly issuer: string;
  /** The token's subject, which your backend passed to `mintSession` as `subject`. */
  readonly name: string;
}

/** A verified webhook about the end of a task or a pipeline. */
interface Ending<Type extends string, Data> {
  /**
   * The id of the delivery, from the header `webhook-id`. A delivery may come more than
   * once, always with the same id: store the ids that you have processed.
   */
  readonly id: string;
  readonly type: Type;
  /** The date and time of the end (RFC 3339). */
  readonly timestamp: string;
  readonly data: Data & { readonly subject: WebhookSubject };
}

/** A verified webhook about the end of a task. */
export interface WebhookTaskEvent<
  Type extends string =
    | "task.succeeded"
    | "task.failed"
    | "task.expired"
    | "task.unfinished",
> extends Ending<Type, { readonly task: WebhookTask }> {}

/**
 * A verified webhook about the end of a pipeline. A pipeline that is resumed ends again, which is
 * another delivery with another `id`. The tasks of its steps have events of their own.
 */
export interface WebhookPipelineEvent<
  Type extends string =
    | "pipeline.succeeded"
    | "pipeline.failed"
    | "pipeline.cancelled",
> extends Ending<Type, { readonly pipeline: WebhookPipeline }> {}

/** A verified webhook. By its `type`, `data` has a task or a pipeline. */
export type WebhookEvent =
  | WebhookTaskEvent<"task.succeeded">
  | WebhookTaskEvent<"task.failed">
  | WebhookTaskEvent<"task.expired">
  | WebhookTaskEvent<"task.unfinished">
  | WebhookPipelineEvent<"pipeline.succeeded">
  | WebhookPipelineEvent<"pipeline.failed">
  | WebhookPipelineEvent<"pipeline.cancelled">;

/**
 * A request that is not a Fetch `Request`, such as Express's after `express.raw`, one of Firebase
 * or Nest with a `rawBody`, or an event of AWS API Gateway or of a load balancer.
 */
export interface WebhookRequest {
  /** The headers, as `Headers` or as an object. */
  readonly headers?:
    | Headers
    | Readonly<Record<string, string | readonly string[] | undefined>>
    | undefined;
  /** The headers as lists, instead of `headers`: in an event of a load balancer of AWS. */
  readonly multiValueHeaders?:
    | Readonly<Record<string, readonly string[] | undefined>>
    | undefined;
  /**
   * The body as it was sent, byte for byte: bytes or a string, and not a parsed object. A `rawBody`
   * replaces it.
   */
  readonly body?: string | ArrayBuffer | ArrayBufferView | null | undefined;
  /** The body as it was sent, beside a `body` that was parsed. */
  readonly rawBody?: string | ArrayBuffer | ArrayBufferView | undefined;
  /** True if `body` is in base64. */
  readonly isBase64Encoded?: boolean | undefined;
}

/**
 * The reason why a webhook is not verified.
 *
 * | Code | Meaning | What to do |
 * | --- | --- | --- |
 * | `invalid_secret` | `WEBHOOK_SECRET` is missing, or not in the form of the gateway's. | Correct the setting; respond with 500. |
 * | `unusable_body` | The body's original bytes are missing: it was parsed, or read before. | Follow the message for your host; respond with 500. |
 * | `missing_header` | A header of the signature is missing: the request is not the gateway's. | Respond with 400. |
 * | `wrong_time` | The delivery is more than five minutes from this machine's time. | Respond with 400. |
 * | `invalid_signature` | No key has signed this id, time and body. | Respond with 400. |
 * | `unreadable_event` | It is signed, and is no event. | Respond with 400. |
 */
export type WebhookErrorCode =
  | "invalid_secret"
  | "unusable_body"
  | "missing_header"
  | "wrong_time"
  | "invalid_signature"
  | "unreadable_event";

/**
 * The error of `verifyWebhook`. Its message says what to do, and has neither the secret nor the
 * body. Respond with 400 or 500, so that the gateway delivers the event again.
 */
export class WebhookError extends Error {
  declare readonly name: "WebhookError";
  readonly code: WebhookErrorCode;

  /** Makes an error, for example in a test. */
  constructor(code: WebhookErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

// Built-in errors have their name on the prototype, too.
Object.defineProperty(WebhookError.prototype, "name", {
  value: "WebhookError",
  writable: true,
  configurable: true,
});

/** The tolerance in seconds for the difference of the clocks and the age of a delivery. */
const TOLERANCE_S = 300;
/**
 * The most signatures that are compared. The gateway sends one for each of its keys. Each
 * comparison hashes the body.
 */
const MAX_SIGNATURES = 16;
/** The fewest and the most bytes of a key. */
const MIN_KEY_BYTES = 24;
const MAX_KEY_BYTES = 64;
/** Base64 as the gateway reads and writes it, with its padding. `atob` accepts more. */
const BASE64 =
  /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * The message for a body that is not available in its original bytes, with the remedy for common
 * hosts.
 */
const UNUSABLE_BODY = `the body is not what was sent, as bytes or a string: the host has parsed it, or has not read it
  Express: use express.raw({ type: "application/json" }) for this route, before any express.json()
  Firebase: pass the whole request, which has a rawBody
  Nest: create the app with { rawBody: true }, and pass the whole request
  AWS API Gateway: pass the event, or { headers, body: Buffer.from(body, "base64") } if isBase64Encoded
  Next.js, pages router: export const config = { api: { bodyParser: false } }, and read the bytes of the request`;

type Bytes = Uint8Array<ArrayBuffer>;

/**
 * Verifies a webhook of the gateway, which signs as [Standard
 * Webhooks](https://www.standardwebhooks.com) specifies, and parses it. A delivery that was signed
 * more than five minutes ago, or ahead, is refused.
 *
 * @param request - The `Request`, which is read, or `{ headers, body }`, such as Express's after
 * `express.raw({ type: "application/json" })`. A `rawBody` replaces the `body`.
 * @param secret - The gateway's `WEBHOOK_SECRET`: any of its keys may have signed. The type
 * includes `undefined`, since a variable of the environment may be missing; that is an error.
 * @throws {WebhookError} For anything else, with a `code` and a message that says what to do.
 */
export async function verifyWebhook(
  request: Request | WebhookRequest,
  secret: string | undefined,
): Promise<WebhookEvent> {
  const keys = webhookKeys(secret);
  const { id, timestamp, signatures } = signedHeaders(request);
  const body = await bytesOf(request);
  const signed = concat(encode(`${id}.${timestamp}.`), body);
  if (!(await isSigned(keys, signatures, signed)))
    throw new WebhookError(
      "invalid_signature",
      "no signature is valid: the body was changed, or WEBHOOK_SECRET differs from the gateway's; " +
        "pass the body as it arrived, and decode one in base64",
    );
  return { ...eventOf(body), id };
}

/** Returns the keys of the setting. Any of them may have signed. */
function webhookKeys(secret: unknown): Bytes[] {
  const texts = typeof secret === "string" ? keysOf(secret) : [];
  if (texts.length === 0)
    throw new WebhookError(
      "invalid_secret",
      "the secret is missing or empty; " +
        "set WEBHOOK_SECRET in the environment, to the same value as the gateway's",
    );
  return texts.map((text) => {
    const key = text.startsWith("whsec_")
      ? fromBase64(text.slice("whsec_".length))
      : undefined;
    if (key && key.length >= MIN_KEY_BYTES && key.length <= MAX_KEY_BYTES)
      return key;
    throw new WebhookError(
      "invalid_secret",
      `the secret has a key that is not whsec_ and ${MIN_KEY_BYTES} to ${MAX_KEY_BYTES} bytes ` +
        "in base64; set WEBHOOK_SECRET to the gateway's",
    );
  });
}

/** Reads the headers of the signature, and checks the time, which needs no body. */
function signedHeaders(request: Request | WebhookRequest) {
  const id = headerOf(request, "webhook-id");
  const timestamp = headerOf(request, "webhook-timestamp");
  const signature = headerOf(request, "webhook-signature");
  checkTime(timestamp);
  const signatures = signature
    .split(" ")
    .filter((part) => part.startsWith("v1,"))
    .slice(0, MAX_SIGNATURES)
    .map((part) => fromBase64(part.slice("v1,".length)))
    .filter((bytes) => bytes !== undefined);
  return { id, timestamp, signatures };
}

function headerOf(
  request: Pick<WebhookRequest, "headers" | "multiValueHeaders">,
  name: string,
) {
  const headers = request?.headers ?? {};
  const multiValueHeaders = request?.multiValueHeaders ?? {};
  // A load balancer of AWS gives each header as a list.
  const values = memberOf(multiValueHeaders, name);
  const value =
    (isHeaders(headers) ? headers.get(name) : memberOf(headers, name)) ??
    (Array.isArray(values) && values.length === 1 ? values[0] : undefined);
  if (typeof value === "string" && value) return value;
  throw new WebhookError(
    "missing_header",
    `the request has no header ${name}: it is not a webhook of the gateway, ` +
      "or headers is not that of the request; pass a Request, or { headers, body }",
  );
}

/** Tests for `Headers`, also those of a library. */
function isHeaders(headers: object): headers is Headers {
  return typeof (headers as Headers).get === "function";
}

/** Returns a member by its name in lower case. The object may have it in any case. */
function memberOf(headers: object, name: string): unknown {
  return Object.entries(headers).find(
    ([written]) => written.toLowerCase() === name,
  )?.[1];
}

function checkTime(timestamp: string): void {
  const seconds = /^\d{1,15}$/.test(timestamp) ? Number(timestamp) : undefined;
  const now = Date.now() / 1000;
  if (seconds === undefined || Math.abs(now - seconds) > TOLERANCE_S)
    throw new WebhookError(
      "wrong_time",
      `webhook-timestamp is more than ${TOLERANCE_S / 60} minutes from now, or no time: ` +
        "the delivery is old and was sent again, or this machine's clock is wrong",
    );
}

/**
 * Returns a copy of the body as it was sent. The caller may use its buffer again before the
 * signature is verified.
 */
async function bytesOf(request: Request | WebhookRequest): Promise<Bytes> {
  if ("arrayBuffer" in request) return readAll(request);
  const { rawBody, isBase64Encoded } = request;
  const body = rawBody ?? request.body;
  if (typeof body === "string") {
    const decoded =
      isBase64Encoded && !rawBody ? fromBase64(body) : encode(body);
    if (decoded) return decoded;
  }
  // Tested by name, because `instanceof` fails for a buffer of another realm, such as a test
  // runner's.
  if (Object.prototype.toString.call(body) === "[object ArrayBuffer]")
    return new Uint8Array(body as ArrayBuffer).slice();
  if (ArrayBuffer.isView(body)) {
    const { buffer, byteOffset, byteLength } = body;
    return new Uint8Array(new Uint8Array(buffer, byteOffset, byteLength));
  }
  throw new WebhookError("unusable_body", UNUSABLE_BODY);
}

async function readAll(request: Request): Promise<Bytes> {
  try {
    return new Uint8Array(await request.arrayBuffer());
  } catch (cause) {
    throw new WebhookError(
      "unusable_body",
      "the body cannot be read: it was read before, or it was cut off; " +
        "pass the Request before reading it",
      cause,
    );
  }
}

/**
 * Returns true if one of the keys made one of the signatures. `verify` compares in constant time.
 */
async function isSigned(keys: Bytes[], signatures: Bytes[], signed: Bytes) {
  for (const bytes of keys) {
    const key = await hmacKey(bytes, "verify");
    for (const signature of signatures)
      if (await crypto.subtle.verify("HMAC", key, signature, signed))
        return true;
  }
  return false;
}

function eventOf(body: Bytes): WebhookEvent {
  const event = parseJson(new TextDecoder().decode(body));
  if (isRecord(event) && typeof event.type === "string")
    return {
      ...event,
      ...(isRecord(event.data) && { data: dataOf(event.data) }),
    } as unknown as WebhookEvent;
  throw new WebhookError(
    "unreadable_event",
    "the body is signed, and is no event of the gateway: " +
      "another application may use the same WEBHOOK_SECRET",
  );
}

/** Returns the data of an event. Members that a newer gateway may send stay as they are. */
function dataOf(data: Members): Members {
  const { task, pipeline } = data;
  return {
    ...data,
    ...(isRecord(task) && {
      task: { ...task, outputs: outputsOf(task.outputs) },
    }),
    ...(isRecord(pipeline) && {
      pipeline: {
        ...pipelineOf(pipeline, outputsOf),
        outputs: outputsOf(pipeline.outputs),
      },
    }),
  };
}

function outputsOf(list: unknown): WebhookOutput[] {
  return recordsOf(list).map(outputOf);
}

/** Returns the bytes of a string in base64; `undefined` for any other string. */
function fromBase64(text: string): Bytes | undefined {
  return BASE64.test(text)
    ? Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
    : undefined;
}

function concat(first: Bytes, second: Bytes): Bytes {
  const whole = new Uint8Array(first.length + second.length);
  whole.set(first);
  whole.set(second, first.length);
  return whole;
}
