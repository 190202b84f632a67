import type { Issue, TaskSnapshot } from "./dist/mediagate.js";

/** The service's 14 codes but `ok`, and the client's own. */
export type ErrorCode =
  // The service's, or the gateway's in its words.
  | "invalid_input"
  | "unauthenticated"
  | "rate_limit"
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
  /** A code that the service does not document: `appCode` has its number. */
  | "unknown"
  /** An argument that no call can work with. */
  | "invalid_argument"
  /** A function that needs `load` or `connect` first. */
  | "not_loaded"
  /** The WebAssembly could not be loaded. */
  | "load_failed"
  /** No answer from the gateway. */
  | "network"
  /** An answer that is none of the gateway's. */
  | "unreadable"
  /** The storage took no bytes. */
  | "upload_failed"
  /** The caller's signal; its reason is the `cause`. */
  | "aborted"
  /** The caller's timeout. */
  | "timeout"
  /** The task ended in `FAILED`; it is `task`. */
  | "task_failed"
  /** The task ended in `EXPIRED`; it is `task`. */
  | "task_expired";

/** What a create that failed has done: nothing, nothing, or nobody knows. Only the last may have cost something. */
export type Outcome = "not_sent" | "rejected" | "unknown";

/** The error of every function here. */
export declare class MediagateError extends Error {
  readonly name: "MediagateError";
  readonly code: ErrorCode;
  /** The service's code as a number, such as 1401. */
  readonly appCode?: number;
  /** The HTTP status, where there was an answer. */
  readonly status?: number;
  /** Names the request in the gateway's logs. */
  readonly requestId?: string;
  /** Everything that is wrong with the request; empty for other errors. */
  readonly issues: readonly Issue[];
  /** What else the answer carried, such as `paid_plan_required`. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** Why, as the gateway's stable word. */
  readonly reason?: string;
  /** Whether the same again may go better. For a create see `outcome` too. */
  readonly retryable: boolean;
  /** What a create has done. */
  readonly outcome?: Outcome;
  /** The key of the create that failed: repeated with it and the same input, it makes no second task. */
  readonly idempotencyKey?: string;
  /** Seconds that the gateway asks to wait. */
  readonly retryAfter?: number;
  /** The task that did not succeed. */
  readonly task?: TaskSnapshot;
  /** What lies behind it: the signal's reason, or the platform's error. */
  readonly cause?: unknown;
  private constructor();
}

/** Whether an error is a `MediagateError`, also of another copy of this package. */
export function isMediagateError(error: unknown): error is MediagateError;
