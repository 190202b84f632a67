import type { RefusalReason } from "./generated/capabilities.js";
import type { Issue } from "./types/issues.js";
import type { PipelineSnapshot } from "./types/pipeline.js";
import type { TaskSnapshot } from "./types/task.js";

/**
 * The cause of an error. If a retry may succeed, the client has already retried, up to four times
 * by default (`maxRetries`). Check the `outcome` of a create before you retry it.
 *
 * The codes of the media service, which the gateway uses too. The number is `appCode`:
 *
 * | Code | Number | Meaning | What to do |
 * | --- | --- | --- | --- |
 * | `invalid_input` | 12 | The request is not valid (`issues`), or names a task or a path that does not exist (`reason`). | Show the `issues` beside their fields. |
 * | `unauthenticated` | 13 | There is no valid session token; `reason` says why. | Sign the user in again. |
 * | `forbidden` | 13 | The token does not allow this; `reason` says what is missing, such as `scope`. | Do not offer this, or get a token with more scope. |
 * | `upstream_credentials` | 13 | The media service rejected the gateway's own key. | Tell the gateway's operator. |
 * | `rate_limit` | 16 | Too many requests. | Wait `retryAfter` seconds. |
 * | `budget_exceeded` | 16 | A budget is used up; `details.limit` names it. | Say so, and when it has room again (`retryAfter`, if waiting helps). |
 * | `server_error` | 99 | The media service or the gateway failed. | Offer a retry later. |
 * | `insufficient_credits` | 1401 | The account behind the gateway has too few credits. | Tell the user, and the account's owner. |
 * | `asset_category_mismatch` | 1402 | The asset or file is of another category than the field needs. | Let the user choose another. |
 * | `voice_asset_required` | 1403 | The voice asset is missing. | Let the user choose a voice. |
 * | `provider_error` | 1404 | The provider of the model failed. | Offer a retry, or another model. |
 * | `provider_timeout` | 1405 | The provider of the model, or the media service, did not respond in time. | As for `provider_error`. |
 * | `asset_locked` | 1407 | The asset is locked. | Let the user choose another. |
 * | `asset_expired` | 1408 | The asset has expired. | Let the user choose another. |
 * | `paid_plan_required` | 1409 | The plan of the account is too low for the model; `details.paid_plan_required` may say more. | Use another model, or tell the account's owner. |
 * | `invalid_model` | 1410 | The model is unknown or not available. | Omit `model_id` to use the default model. |
 * | `unknown` | any other | A code that is not documented. | Show `message`. Treat it as `server_error`. |
 *
 * The codes of the client:
 *
 * | Code | Meaning | What to do |
 * | --- | --- | --- |
 * | `invalid_argument` | An argument or an option is not valid. | Correct the calling code, as `hint` says. |
 * | `token_failed` | Your function for a token, or for Turnstile, failed; its error is `cause`. | Offer a retry, or sign the user in again. |
 * | `not_loaded` | `mediagate/slim` has no WebAssembly yet, or a React hook no client. | Await `load` or `connect` first. |
 * | `load_failed` | The WebAssembly could not be loaded, or the platform lacks what the client needs. | Correct the set-up, as `hint` says; offline, offer a retry. |
 * | `network` | There was no response for 40 seconds, or none at all. | Offer a retry. If it never works, read `hint`. |
 * | `unreadable` | The response is not the gateway's, such as the error page of a proxy. | Offer a retry if `retryable`. If it never works, check `url`. |
 * | `upload_failed` | The storage did not accept a file, or the source stream broke. | Offer to upload it again. |
 * | `aborted` | Your signal was aborted; `cause` is its reason. | Nothing, usually. |
 * | `timeout` | Your `timeout` has passed. | Offer a retry with more time. A task goes on, so wait for it again. |
 * | `task_failed` | The task ended in the state `FAILED`; `task` is its last snapshot. | Show that. Create it again if the user wants. |
 * | `task_expired` | The task ended in the state `EXPIRED`; `task` is its last snapshot. | Create it again if the user wants. |
 * | `task_unfinished` | The task has not ended in the time that the gateway follows tasks, a day by default; `task` is its last snapshot. | Show that. It may still run: read it later with `refresh()`. |
 * | `pipeline_failed` | The pipeline ended in the state `FAILED`; `pipeline` is its last snapshot, and `step` the name of the step that failed. | Show that. If `pipeline.resumable`, offer to resume it. |
 * | `pipeline_cancelled` | The pipeline ended in the state `CANCELLED`; `pipeline` is its last snapshot. | Show that. |
 * | `crashed` | The client itself failed, which is a defect; `cause` is the reason. Every call in flight and every later one of this client reject with this code. Outside of a call, the failure is an unhandled rejection too. | Call `connect` again, and restore the tasks. |
 */
export type ErrorCode =
  // Of the media service and the gateway:
  | "invalid_input"
  | "unauthenticated"
  | "forbidden"
  | "upstream_credentials"
  | "rate_limit"
  | "budget_exceeded"
  | "server_error"
  | "insufficient_credits"
  | "asset_category_mismatch"
  | "voice_asset_required"
  | "provider_error"
  | "provider_timeout"
  | "asset_locked"
  | "asset_expired"
  | "paid_plan_required"
  | "invalid_model"
  | "unknown"
  | ClientCode;

/**
 * The effect of a failed create on the account.
 *
 * | Outcome | Meaning | What to do |
 * | --- | --- | --- |
 * | `not_sent` | It never reached the media service, and cost nothing. | Correct or retry it. |
 * | `rejected` | The media service rejected it, and it cost nothing. | Correct or retry it, as `code` says. |
 * | `unknown` | The outcome is unknown: the task may exist and may have cost credits. | Repeat it with the same input and the option `idempotencyKey: error.idempotencyKey`. The gateway then returns the task if it has a record of one, and never makes a second. |
 */
export type Outcome = "not_sent" | "rejected" | "unknown";

/** The error of every function of the package. Test for it with {@link isMediagateError}. */
export class MediagateError extends Error {
  declare readonly name: "MediagateError";
  declare readonly code: ErrorCode;
  /** The number of the media service's code, such as 1401; absent for codes of the client. */
  declare readonly appCode?: number | undefined;
  /**
   * The remedy, for developers; `message` is the problem, for the person at the page. The hint is
   * part of `stack` too. Absent if there is none.
   */
  declare readonly hint?: string | undefined;
  /** The HTTP status; absent without a response. */
  declare readonly status?: number | undefined;
  /**
   * The gateway's id of the request, also in its log, to show for support. Absent without a
   * response of the gateway.
   */
  declare readonly requestId?: string | undefined;
  /** The invalid parts of the request, about 100 at most; empty for other errors. */
  declare readonly issues: readonly Issue[];
  /** The other members of the response's `data`, such as `limit` of a used-up budget. */
  declare readonly details?: Readonly<Record<string, unknown>> | undefined;
  /**
   * The gateway's reason, more precise than `code`. For `unreadable`, the part that the response
   * lacks; for `upload_failed` and `unreadable`, that a proxy has refused the size. Absent if the
   * response gives none, and for other codes of the client. A newer gateway may have further
   * reasons.
   *
   * `content_refused` says that the provider refuses the content: of a create with the code
   * `invalid_input`, whose `message` is the provider's, of a task (`task_failed`) and of a
   * pipeline's step (`pipeline_failed`). Change the text or the files, since the same content is
   * refused again.
   */
  declare readonly reason?: RefusalReason | undefined;
  /** True if a retry may succeed. For a create, check `outcome` too. */
  declare readonly retryable: boolean;
  /**
   * The effect of a create on the account; absent for other calls. {@link Outcome} says what to do.
   */
  declare readonly outcome?: Outcome | undefined;
  /**
   * The key of a create that was sent. A repeated create with this key and the same input makes
   * no second task.
   */
  declare readonly idempotencyKey?: string | undefined;
  /** The time to wait before a retry, in seconds; absent if the response has none. */
  declare readonly retryAfter?: number | undefined;
  /** The last snapshot of the task, for `task_failed`, `task_expired` and `task_unfinished`. */
  declare readonly task?: TaskSnapshot | undefined;
  /** The last snapshot of the pipeline, for `pipeline_failed` and `pipeline_cancelled`. */
  declare readonly pipeline?: PipelineSnapshot | undefined;
  /** The name of the first failed step, for `pipeline_failed`; absent if the record has none. */
  declare readonly step?: string | undefined;
  /** The signal's reason, or the error of the platform or of your function. */
  declare readonly cause?: unknown;

  /** @param members - The `code` and the `message`, and any other members. */
  constructor({ message, cause, ...members }: ErrorMembers) {
    super(message, cause === undefined ? undefined : { cause });
    Object.assign(this, { issues: [], retryable: false }, members);
    const { hint } = members;
    // A console shows the stack. Chromium's drops what stands between the message and the frames.
    if (hint && this.stack) this.stack += `\n    hint: ${hint}`;
  }
}

// Built-in errors have their name on the prototype, too.
Object.defineProperty(MediagateError.prototype, "name", {
  value: "MediagateError",
  writable: true,
  configurable: true,
});

export type ErrorMembers = Partial<Omit<MediagateError, "name" | "stack">> & {
  readonly code: ErrorCode;
  readonly message: string;
};

type TaskCode = "task_failed" | "task_expired" | "task_unfinished";
type PipelineCode = "pipeline_failed" | "pipeline_cancelled";

/** The codes of the client; all others are of the media service and the gateway. */
export type ClientCode =
  | "invalid_argument"
  | "token_failed"
  | "not_loaded"
  | "load_failed"
  | "network"
  | "unreadable"
  | "upload_failed"
  | "aborted"
  | "timeout"
  | TaskCode
  | PipelineCode
  | "crashed";

type WithCode<Code, Members = object> = MediagateError & {
  readonly code: Code;
} & Members;

/** A {@link MediagateError} with the members that its `code` has for certain. */
export type KnownError =
  | WithCode<TaskCode, { readonly task: TaskSnapshot }>
  | WithCode<PipelineCode, { readonly pipeline: PipelineSnapshot }>
  | WithCode<Exclude<ErrorCode, ClientCode>, { readonly appCode: number }>
  | WithCode<Exclude<ClientCode, TaskCode | PipelineCode>>;

/**
 * Returns true if an error is a `MediagateError`. Unlike `instanceof`, this also works for errors
 * of another copy of the package and of another frame.
 */
export function isMediagateError(error: unknown): error is KnownError {
  return (
    (error as { name?: unknown } | null | undefined)?.name === "MediagateError"
  );
}

/** @internal The outcome of a create that was refused before it was sent. */
export const NOT_SENT = { outcome: "not_sent" } as const;

/** @internal Makes the error of a wrong argument. The `hint` is the remedy. */
export function invalidArgument(
  message: string,
  hint: string,
  members: Partial<ErrorMembers> = {},
): MediagateError {
  return new MediagateError({
    ...members,
    code: "invalid_argument",
    message,
    hint,
  });
}

/** @internal Makes the error of a call whose signal was aborted. */
export function aborted(
  signal: AbortSignal,
  members: Partial<ErrorMembers> = {},
): MediagateError {
  return new MediagateError({
    ...members,
    code: "aborted",
    message: "this was cancelled",
    hint: "the signal of the call was aborted",
    cause: signal.reason,
  });
}

/** @internal Makes the error of a call whose timeout has passed. */
export function timedOut(): MediagateError {
  return new MediagateError({
    code: "timeout",
    message: "not done in time",
    hint: "the timeout of the call, or of connect, has passed; give it more time",
    retryable: true,
  });
}
