import type { Output, PipelineSnapshot, StepSnapshot } from "./index.js";

/** One result, as the gateway sends it. */
export type WebhookOutput = Omit<Output, "task_id" | "output">;

/** A task that has ended, as the gateway sends it. Its ids are sealed for the task's owner, so they are those of the page. */
export interface WebhookTask {
  /** The id. */
  readonly id: string;
  /** The last state. */
  readonly state: "SUCCEEDED" | "FAILED" | "EXPIRED";
  /** The results; a task that did not succeed may have none. */
  readonly outputs: readonly WebhookOutput[];
  /** Why it failed or expired, as far as the media service says. */
  readonly error?: {
    readonly message?: string;
    readonly code?: string | number;
  };
  /** The rest of the media service's record. */
  readonly [member: string]: unknown;
}

/** A step of a pipeline that has ended. */
export interface WebhookStep
  extends Omit<StepSnapshot, "outputs" | "progress" | "eta"> {
  /** The results; empty if the step did not succeed. */
  readonly outputs: readonly WebhookOutput[];
}

/**
 * A pipeline that has ended, as the gateway sends it. Its ids are sealed for the pipeline's owner, so they are those of the
 * page.
 */
export interface WebhookPipeline
  extends Pick<PipelineSnapshot, "id" | "title" | "resumable"> {
  /** The last state. */
  readonly state: "SUCCEEDED" | "FAILED" | "CANCELLED";
  /** When the pipeline was started: a date and time (RFC 3339). */
  readonly created_at: string;
  /** When the pipeline ended: a date and time (RFC 3339). */
  readonly ended_at: string;
  /** The steps, each after those that it uses. */
  readonly steps: readonly WebhookStep[];
  /** The outputs of the steps that no other step uses, as far as these have succeeded. */
  readonly outputs: readonly WebhookOutput[];
}

/** The owner of a task or a pipeline. */
export interface WebhookSubject {
  /** Who identified the owner: `hs256` for your backend, `jwks` for an identity provider, `anonymous` for the gateway. */
  readonly source: "hs256" | "jwks" | "anonymous" | (string & {});
  /** The token's issuer; empty where it had none. */
  readonly issuer: string;
  /** The token's subject: what your backend passed to `mintSession` as `subject`. */
  readonly name: string;
}

/**
 * A verified webhook about the end of a task.
 *
 * @typeParam Type - The kind of end.
 */
export interface WebhookTaskEvent<
  Type extends string = "task.succeeded" | "task.failed" | "task.expired",
> {
  /**
   * The id of the delivery, from the header `webhook-id`. A delivery may come more than once, each time with the same id:
   * store the ids that you have processed.
   */
  readonly id: string;
  /** The kind of end. */
  readonly type: Type;
  /** When the task ended, as a date and time (RFC 3339). */
  readonly timestamp: string;
  /** The task and its owner. */
  readonly data: {
    readonly task: WebhookTask;
    readonly subject: WebhookSubject;
  };
}

/**
 * A verified webhook about the end of a pipeline. A pipeline that is resumed ends again, which is another delivery with
 * another `id`. The tasks of its steps have events of their own.
 *
 * @typeParam Type - The kind of end.
 */
export interface WebhookPipelineEvent<
  Type extends string =
    | "pipeline.succeeded"
    | "pipeline.failed"
    | "pipeline.cancelled",
> {
  /** The id of the delivery, as that of a {@link WebhookTaskEvent}. */
  readonly id: string;
  /** The kind of end. */
  readonly type: Type;
  /** When the pipeline ended, as a date and time (RFC 3339). */
  readonly timestamp: string;
  /** The pipeline and its owner. */
  readonly data: {
    readonly pipeline: WebhookPipeline;
    readonly subject: WebhookSubject;
  };
}

/** A verified webhook. Its `type` says whether `data` has a task or a pipeline. */
export type WebhookEvent =
  | WebhookTaskEvent<"task.succeeded">
  | WebhookTaskEvent<"task.failed">
  | WebhookTaskEvent<"task.expired">
  | WebhookPipelineEvent<"pipeline.succeeded">
  | WebhookPipelineEvent<"pipeline.failed">
  | WebhookPipelineEvent<"pipeline.cancelled">;

/** A request that is not a Fetch `Request`, such as that of Express after `express.raw`. */
export interface WebhookRequest {
  /** Its headers, as `Headers` or as an object. */
  readonly headers:
    | Headers
    | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Its body as it was sent, byte for byte: bytes or a string, and not what a middleware made of it. */
  readonly body: string | ArrayBuffer | ArrayBufferView;
}

/**
 * Why a webhook is not verified.
 *
 * | Code | Meaning | What to do |
 * | --- | --- | --- |
 * | `invalid_secret` | `WEBHOOK_SECRET` is missing, or not in the form of the gateway's. | Correct the setting; respond with 500. |
 * | `unusable_body` | The body is not there as it was sent: it was parsed, or read before. | Use `express.raw` for the route, or pass the `Request` before it is read; respond with 500. |
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
 * The error of `verifyWebhook`. Its message says what to do, and has neither the secret nor the body. Respond with 400 or
 * 500, so that the gateway delivers the event again.
 */
export declare class WebhookError extends Error {
  /** Always `WebhookError`. */
  readonly name: "WebhookError";
  /** Why the webhook is not verified. */
  readonly code: WebhookErrorCode;
  /**
   * Makes an error, such as one that a test needs.
   *
   * @param code - Why.
   * @param message - What to do.
   * @param cause - The error that led to it.
   */
  constructor(code: WebhookErrorCode, message: string, cause?: unknown);
}

/**
 * Verifies a webhook of the gateway, which signs as [Standard Webhooks](https://www.standardwebhooks.com) specifies, and
 * parses it. A delivery is refused that was signed more than five minutes ago, or ahead.
 *
 * @param request - The `Request`, which is read, or `{ headers, body }`, such as the request of Express after
 * `express.raw({ type: "application/json" })`.
 * @param secret - The gateway's `WEBHOOK_SECRET`: `whsec_` and base64. Where that is several keys separated by commas, any of
 * them may have signed. The type includes `undefined`, since a variable of the environment may be missing; that is an
 * error.
 * @returns The event.
 * @throws {WebhookError} for anything else, with a `code` and a message that says what to do.
 *
 * @example
 * ```js
 * import express from "express";
 * import { verifyWebhook } from "mediagate/server";
 *
 * express().post("/media/ended", express.raw({ type: "application/json" }), async (request, response) => {
 *   const { id, type, data } = await verifyWebhook(request, process.env.WEBHOOK_SECRET);
 *   show(id, type, data.subject.name);
 *   if (type === "task.succeeded") await save(data.task.outputs);
 *   response.sendStatus(204);
 * });
 * ```
 */
export function verifyWebhook(
  request: Request | WebhookRequest,
  secret: string | undefined,
): Promise<WebhookEvent>;
