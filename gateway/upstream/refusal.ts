// Refusals as the service's API has them: a code, a sentence, and perhaps a reason.
import type { Env } from "./model.js";
import { ProviderError } from "./provider.js";
import { withoutKeys } from "./secrets.js";

/** The codes of the service's document that a module uses. */
export const CODE = {
  /** A field of the request is not valid. */
  input: 12,
  /** The provider's key is missing or wrong. */
  key: 13,
  /** Too many requests. */
  limit: 16,
  /** The module itself failed. */
  failure: 99,
  /** The account has too few credits. */
  credits: 1401,
  /** The provider failed. */
  provider: 1404,
  /** The provider took too long. */
  timeout: 1405,
  /** There is no such model. */
  model: 1410,
} as const;

const OF_STATUS: Record<number, number> = {
  401: CODE.key,
  402: CODE.credits,
  403: CODE.key,
  404: CODE.model,
  408: CODE.timeout,
  429: CODE.limit,
  504: CODE.timeout,
};

/** A request that the module itself refuses. */
export class Refusal extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Returns the response for an error. `provider` is for the gateway's log. */
export function refused(error: unknown, env: Env, provider?: string): Response {
  const { code, message, reason, retryAfter } = described(error);
  if (code === CODE.failure && error instanceof Error)
    console.error(withoutKeys(error.stack ?? error.message, env));
  const told = withoutKeys(message, env);
  // Callers do not get this sentence, since only the operator can help.
  if (code === CODE.key) console.error(`${provider ?? "the module"}: ${told}`);
  const data = {
    provider,
    error: reason && { reason, message: told },
  };
  return Response.json(
    { code, message: told, data: provider || reason ? data : null },
    {
      status: code === CODE.limit ? 429 : 400,
      headers: retryAfter === undefined ? {} : { "retry-after": retryAfter },
    },
  );
}

function described(error: unknown): {
  code: number;
  message: string;
  reason?: "content_refused" | undefined;
  retryAfter?: string | undefined;
} {
  if (error instanceof Refusal) return error;
  if (!(error instanceof ProviderError)) {
    // A mistake in the operator's own functions. Its message may contain a part of the request.
    const name = error instanceof Error ? error.name : typeof error;
    return { code: CODE.failure, message: `the module failed (${name})` };
  }
  const { message, retryAfter } = error;
  const code = codeOf(error);
  // Other codes than this one leave open if the job runs.
  const reason = code === CODE.input ? error.reason : undefined;
  return { code, message, reason, retryAfter };
}

function codeOf({ status, message, reason }: ProviderError): number {
  if (status === undefined) return CODE.provider;
  const isRejected = status >= 400 && status < 500;
  // OpenRouter refuses content with 403, which else is a wrong key.
  if (reason !== undefined && isRejected) return CODE.input;
  // Google and xAI answer 400 to a wrong key; Runway 400, fal 403 to an account without credits.
  if (status === 400 && /\bAPI key\b/i.test(message)) return CODE.key;
  if ([400, 403].includes(status) && /\b(?:credits|balance)\b/i.test(message))
    return CODE.credits;
  return OF_STATUS[status] ?? (isRejected ? CODE.input : CODE.provider);
}
