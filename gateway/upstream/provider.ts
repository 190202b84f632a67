// Requests to a provider, each sent once, and the errors in their responses.
import type { Env, Output } from "./model.js";

/** The longest message of a provider that is passed on, in characters. */
export const MAX_MESSAGE = 500;

export interface ErrorDetails {
  readonly retryAfter?: string | undefined;
  readonly reason?: "content_refused" | undefined;
  readonly body?: unknown;
}

/** A response of a provider other than success, or no response at all. */
export class ProviderError extends Error {
  /** The HTTP status; `undefined` if no readable response arrived. */
  readonly status: number | undefined;
  readonly retryAfter: string | undefined;
  /** Set if the provider refuses the content. */
  readonly reason: "content_refused" | undefined;
  readonly body: unknown;

  constructor(
    status: number | undefined,
    message: string,
    { retryAfter, reason, body }: ErrorDetails = {},
  ) {
    super(message);
    this.name = "ProviderError";
    this.status = status;
    this.retryAfter = retryAfter;
    this.reason = reason;
    this.body = body;
  }
}

/** Returns a variable of the module; `undefined` if it is not set. */
export function variableIn(env: Env, name: string): string | undefined {
  const value = env[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/**
 * Returns a variable that the module needs.
 *
 * @throws {ProviderError} 401 if it is not set
 */
export function variable(env: Env, name: string): string {
  const value = variableIn(env, name);
  if (value !== undefined) return value;
  throw new ProviderError(401, `the module's variable ${name} is not set`);
}

/** Returns the base URL of a provider: a variable, or else the public one. */
export const baseUrl = (env: Env, name: string, otherwise: string) =>
  (variableIn(env, name) ?? otherwise).replace(/\/+$/, "");

export interface ProviderRequest {
  /** By default `POST` with a body, `GET` without one. */
  readonly method?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly json?: unknown;
  /** Returns true if an error of this body says that the provider refuses the content. */
  readonly isRefusal?: (body: unknown, status: number) => boolean;
}

/**
 * Sends a request once, and returns the JSON of its response. Returns `undefined` for 204. Redirects
 * are not followed: they would send the request again.
 *
 * @throws {ProviderError} for any other response
 */
export async function requestJson<T>(
  url: string,
  { method, headers, json, isRefusal }: ProviderRequest,
): Promise<T> {
  const hasBody = json !== undefined;
  const response = await fetch(url, {
    method: method ?? (hasBody ? "POST" : "GET"),
    headers: {
      accept: "application/json",
      ...(hasBody && { "content-type": "application/json" }),
      ...headers,
    },
    redirect: "manual",
    ...(hasBody && { body: JSON.stringify(json) }),
  }).catch(() => {
    throw new ProviderError(undefined, "the provider did not respond");
  });
  const text = await response.text().catch(() => {
    throw new ProviderError(undefined, "the provider's response broke off");
  });
  const body = parse(text);
  if (response.ok && (body !== undefined || response.status === 204))
    return body as T;
  if (response.ok)
    throw new ProviderError(undefined, "the provider's response is not JSON");
  const { status } = response;
  const isHtml = /^\s*</.test(text);
  const sentence =
    body === undefined ? !isHtml && text.trim() : sentenceIn(body);
  const message = sentence || `the provider responded with status ${status}`;
  throw new ProviderError(status, message.slice(0, MAX_MESSAGE), {
    retryAfter: response.headers.get("retry-after") ?? undefined,
    reason: isRefusal?.(body, status) ? "content_refused" : undefined,
    body,
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Returns the reference of a created job.
 *
 * @throws {ProviderError} without a status if there is none: the job may run and be charged
 */
export function referenceOf(job: unknown): string {
  if (typeof job === "string" && job !== "") return job;
  throw new ProviderError(
    undefined,
    "the provider's response does not name the job, which may run",
  );
}

/** Returns the members of an object; none for any other value. */
export const membersOf = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null
    ? (value as Record<string, unknown>)
    : {};

/** The members of an error in which fal, Replicate, Runway, OpenAI and Google have their sentence. */
const SENTENCES = ["detail", "error", "message", "msg", "title"];

/** Returns the sentence of an error in JSON; empty if there is none. */
export function sentenceIn(body: unknown): string {
  if (typeof body === "string") return body.slice(0, MAX_MESSAGE);
  if (Array.isArray(body))
    return body
      .map(sentenceIn)
      .filter(Boolean)
      .join("; ")
      .slice(0, MAX_MESSAGE);
  if (typeof body !== "object" || body === null) return "";
  const members = membersOf(body);
  const sentence = SENTENCES.map((name) => sentenceIn(members[name])).find(
    Boolean,
  );
  if (!sentence) return "";
  // FastAPI's errors, as those of fal, name the field by `loc`; Runway lists `issues` by `path`.
  const place = members.loc ?? members.path;
  const field = Array.isArray(place)
    ? place.filter((step) => step !== "body").join(".")
    : "";
  const issues = sentenceIn(members.issues);
  return [field, sentence, issues].filter(Boolean).join(": ");
}

/** Returns every file in a result of JSON: objects with a `url`, as in `{video: {url}}`. */
export function filesIn(result: unknown): Output[] {
  if (Array.isArray(result)) return result.flatMap(filesIn);
  const members = membersOf(result);
  const { url, content_type: type } = members;
  if (typeof url === "string")
    return [{ url, type: typeof type === "string" ? type : undefined }];
  return Object.values(members).flatMap(filesIn);
}

/** Returns every address in a result of JSON: texts that begin with `https:` or `data:`. */
export function addressesIn(result: unknown): Output[] {
  if (typeof result === "string")
    return /^(?:https?:\/\/|data:)/.test(result) ? [{ url: result }] : [];
  return Object.values(membersOf(result)).flatMap(addressesIn);
}

/** The headers of a file that are passed on. */
const PASSED = [
  "accept-ranges",
  "content-length",
  "content-range",
  "content-type",
  "etag",
  "last-modified",
];

const MAX_REDIRECTS = 5;

/**
 * Streams a file that needs the provider's key. Headers with the key are not sent to another origin,
 * such as a storage to which the provider redirects.
 *
 * @param request - its method and its header `Range` are used
 */
export async function streamFile(
  url: string,
  headers: Readonly<Record<string, string>>,
  request: Request,
): Promise<Response> {
  const range = request.headers.get("range");
  const ranged: Record<string, string> = range ? { range } : {};
  // The providers document GET and not HEAD.
  let target = new URL(url);
  let sent: Record<string, string> = { ...headers, ...ranged };
  let response = await fetch(target, { headers: sent, redirect: "manual" });
  for (let redirects = 0; redirects < MAX_REDIRECTS; redirects += 1) {
    const location = response.headers.get("location");
    if (location === null || response.status < 300 || response.status >= 400)
      break;
    await response.body?.cancel();
    const next = new URL(location, target);
    if (next.origin !== target.origin) sent = ranged;
    target = next;
    response = await fetch(target, { headers: sent, redirect: "manual" });
  }
  // `fetch` decodes the bytes, but not their length.
  const isEncoded = response.headers.has("content-encoding");
  const passed = PASSED.flatMap((name): [string, string][] => {
    const value = response.headers.get(name);
    const isWrong = isEncoded && name === "content-length";
    return value === null || isWrong ? [] : [[name, value]];
  });
  const isHead = request.method === "HEAD";
  if (isHead) await response.body?.cancel();
  return new Response(isHead ? null : response.body, {
    status: response.status,
    headers: passed,
  });
}
