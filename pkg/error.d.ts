import type { RefusalReason } from "./dist/capabilities.js";
import type {
  Issue,
  PipelineSnapshot,
  TaskSnapshot,
} from "./dist/mediagate.js";

/**
 * What went wrong. Where a retry may succeed, the client has already retried, up to four times by default (`maxRetries`).
 *
 * The codes of the media service, which the gateway uses too. The number is `appCode`:
 *
 * | Code | Number | Meaning | What to do |
 * | --- | --- | --- | --- |
 * | `invalid_input` | 12 | The request is not valid (`issues`), or names a task or a path that does not exist (`reason`). | Show the `issues` beside their fields. Do not retry it unchanged. |
 * | `unauthenticated` | 13 | There is no valid session token; `reason` says why. | Sign the user in again. |
 * | `forbidden` | 13 | The token is valid and does not allow this; `reason` says what is missing, such as `scope`. | Do not offer this, or get a token with more scope. Signing in again does not help. |
 * | `upstream_credentials` | 13 | The media service rejected the gateway's own key. | Tell the gateway's operator. The user's session is fine. |
 * | `rate_limit` | 16 | Too many requests. | Wait `retryAfter` seconds. |
 * | `budget_exceeded` | 16 | A budget is used up; `details.limit` names it. | Say so. It has room again after `retryAfter` seconds; without that, waiting does not help. |
 * | `server_error` | 99 | The media service or the gateway failed. | Offer a retry later. After a create, check `outcome` first. |
 * | `insufficient_credits` | 1401 | The account behind the gateway has too few credits. | Tell the user, and the account's owner. A retry does not help. |
 * | `asset_category_mismatch` | 1402 | The asset or file is of another category than the field needs. | Let the user choose another. |
 * | `voice_asset_required` | 1403 | The voice asset is missing. | Let the user choose a voice. |
 * | `provider_error` | 1404 | The provider of the model failed. | Offer a retry, or another model. After a create, check `outcome` first. |
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
 * | `invalid_argument` | An argument or an option is not valid. | Correct the calling code, as `message` says. |
 * | `not_loaded` | A function was called before `load` or `connect`. | Await one of them first. |
 * | `load_failed` | The WebAssembly could not be loaded. | Correct the set-up, as `message` says; offline, offer a retry. |
 * | `network` | There was no response for 40 seconds, or none at all. | Offer a retry. If it never works, read `hint`. After a create, check `outcome` first. |
 * | `unreadable` | The response is not the gateway's, such as the error page of a proxy. | Offer a retry if `retryable`. If it never works, check `url`. After a create, check `outcome` first. |
 * | `upload_failed` | The storage did not accept a file, or the source stream broke. | Offer to upload it again. |
 * | `aborted` | Your signal was aborted; `cause` is its reason. | Nothing, usually. After a create, check `outcome`. |
 * | `timeout` | Your `timeout` has passed. | Offer a retry with more time. A task goes on, so wait for it again. After a create, check `outcome` first. |
 * | `task_failed` | The task ended in the state `FAILED`; `task` is its last snapshot. | Show that. Create it again if the user wants. |
 * | `task_expired` | The task ended in the state `EXPIRED`; `task` is its last snapshot. | Create it again if the user wants. |
 * | `pipeline_failed` | The pipeline ended in the state `FAILED`; `pipeline` is its last snapshot, and `step` the name of the step that failed. | Show that. Where `pipeline.resumable`, offer to resume it. |
 * | `pipeline_cancelled` | The pipeline ended in the state `CANCELLED`; `pipeline` is its last snapshot. | Show that. |
 * | `crashed` | The client itself failed, which is a defect of it; `cause` is the reason. Every call under way rejects with it, and so does every later call of this client. | Call `connect` again, and restore the tasks. A create may have cost credits. |
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
 * What a create that failed did to the account.
 *
 * | Outcome | Meaning | What to do |
 * | --- | --- | --- |
 * | `not_sent` | It never reached the media service, and cost nothing. | Correct or retry it. |
 * | `rejected` | The media service rejected it, and it cost nothing. | Correct or retry it, as `code` says. |
 * | `unknown` | The outcome is unknown: the task may exist and may have cost credits. | Repeat it with the same input and the option `idempotencyKey: error.idempotencyKey`. The gateway then returns the task if it has a record of one, and never makes a second. |
 */
export type Outcome = "not_sent" | "rejected" | "unknown";

/**
 * The error of every function of the package. Test for it with {@link isMediagateError}.
 *
 * @example
 * ```js
 * import { isMediagateError } from "mediagate";
 *
 * try {
 *   await media.imageToVideo({ file_id: photo, prompt: "" });
 * } catch (error) {
 *   if (!isMediagateError(error)) throw error;
 *   for (const { path, message } of error.issues) show(path, message);
 * }
 * ```
 */
export declare class MediagateError extends Error {
  /** Always `MediagateError`. */
  readonly name: "MediagateError";
  /** What went wrong. {@link ErrorCode} lists each code and what to do. */
  readonly code: ErrorCode;
  /** The number of the media service's code, such as 1401; absent for codes of the client. */
  readonly appCode?: number;
  /**
   * What to do, for developers; `message` is for the person at the page. It is part of `stack` too. Absent where `message`
   * says all.
   */
  readonly hint?: string;
  /** The HTTP status; absent without a response. */
  readonly status?: number;
  /** The gateway's id of the request, also in its log, to show for support; absent without a response of the gateway. */
  readonly requestId?: string;
  /** Everything that is not valid in the request, about 100 issues at most; empty for other errors. */
  readonly issues: readonly Issue[];
  /** The other members of the response's `data`, such as `limit` of a used-up budget. */
  readonly details?: Readonly<Record<string, unknown>>;
  /**
   * The gateway's reason, more precise than `code`. For `unreadable`, what the response lacks. Absent if the response gives
   * none, and for other codes of the client. A newer gateway may have further reasons.
   */
  readonly reason?: RefusalReason;
  /** Whether a retry may succeed. For a create, check `outcome` too. */
  readonly retryable: boolean;
  /** What a create did to the account; absent for other calls. {@link Outcome} says what to do. */
  readonly outcome?: Outcome;
  /** The key of a create that was sent. Repeated with it and the same input, the create makes no second task. */
  readonly idempotencyKey?: string;
  /** The time to wait before a retry, in seconds; absent where the response has none. */
  readonly retryAfter?: number;
  /** The last snapshot of the task, for `task_failed` and `task_expired`. */
  readonly task?: TaskSnapshot;
  /** The last snapshot of the pipeline, for `pipeline_failed` and `pipeline_cancelled`. */
  readonly pipeline?: PipelineSnapshot;
  /** The name of the first step that failed, for `pipeline_failed`; absent where the record names none. */
  readonly step?: string;
  /** The cause: the signal's reason, or the error of the platform or of your function. */
  readonly cause?: unknown;
  /**
   * Makes an error, such as one that a test needs.
   *
   * @param members - Its `code` and its `message`, and whatever else it has.
   */
  constructor(
    members: Partial<Omit<MediagateError, "name" | "stack">> & {
      readonly code: ErrorCode;
      readonly message: string;
    },
  );
}

/**
 * For the package's own scripts; not exported by an entry.
 *
 * @internal
 */
export function createError(
  code: ErrorCode,
  message: string,
  cause?: unknown,
): MediagateError;

/**
 * For the package's own scripts, as `createError`, with any of an error's members.
 *
 * @internal
 */
export function errorWith(
  members: Partial<Omit<MediagateError, "name" | "stack">> & {
    readonly code: ErrorCode;
  },
): MediagateError;

/** The codes of the client; all others are of the media service and the gateway. */
export type ClientCode =
  | "invalid_argument"
  | "not_loaded"
  | "load_failed"
  | "network"
  | "unreadable"
  | "upload_failed"
  | "aborted"
  | "timeout"
  | "task_failed"
  | "task_expired"
  | "pipeline_failed"
  | "pipeline_cancelled"
  | "crashed";

/** A {@link MediagateError} with the members that its `code` has for certain. */
export type KnownError =
  | (MediagateError & {
      readonly code: "task_failed" | "task_expired";
      readonly task: TaskSnapshot;
    })
  | (MediagateError & {
      readonly code: "pipeline_failed" | "pipeline_cancelled";
      readonly pipeline: PipelineSnapshot;
    })
  | (MediagateError & {
      readonly code: Exclude<ErrorCode, ClientCode>;
      readonly appCode: number;
    })
  | (MediagateError & {
      readonly code: Exclude<
        ClientCode,
        | "task_failed"
        | "task_expired"
        | "pipeline_failed"
        | "pipeline_cancelled"
      >;
    });

/**
 * Tests whether an error is a `MediagateError`. Unlike `instanceof`, it also works for errors of another copy of the
 * package and of another frame.
 *
 * @param error - Any value.
 * @returns Whether it is one.
 */
export function isMediagateError(error: unknown): error is KnownError;
