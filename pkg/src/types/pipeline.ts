import type { CapabilityName } from "../generated/capabilities.js";
import type { Eta, Output, TaskError } from "./task.js";

export interface StepOptions {
  /**
   * The name: 1 to 64 letters, digits, `_` or `-`. No other step may have it.
   *
   * @defaultValue the name of the capability, such as `text_to_image`, or `text_to_image_2` for the
   * second one
   */
  name?: string | undefined;
}

/**
 * The state of a pipeline.
 *
 * | State | Meaning | What to do |
 * | --- | --- | --- |
 * | `RUNNING` | Steps go on, or wait for others. | Show them. |
 * | `SUCCEEDED` | Last state: every step succeeded. | Show its `outputs`. |
 * | `FAILED` | Last state: a step failed, or nobody can tell whether it created a task. | Show that step. If the pipeline is `resumable`, offer that. |
 * | `CANCELLED` | Last state: it was cancelled, and no step failed. | If it is `resumable`, offer that. |
 */
export type PipelineState =
  | "RUNNING"
  | "SUCCEEDED"
  | "FAILED"
  | "CANCELLED"
  | (string & {});

/**
 * The state of a step.
 *
 * | State | Meaning |
 * | --- | --- |
 * | `WAITING` | It waits for the steps that it uses, or for their outputs to be moved. |
 * | `CREATING` | Its create is being sent, or waits for a limit. |
 * | `RUNNING` | Its task runs. |
 * | `SUCCEEDED` | Its task succeeded. |
 * | `FAILED` | Nothing was created, or its task did not succeed; `error` says why. |
 * | `UNKNOWN` | Nobody can tell whether its create made a task, and has cost credits. It is never sent again. |
 * | `SKIPPED` | A step that it uses did not succeed. |
 * | `CANCELLED` | It was not sent, since the pipeline was stopped. |
 */
export type StepState =
  | "WAITING"
  | "CREATING"
  | "RUNNING"
  | "SUCCEEDED"
  | "FAILED"
  | "UNKNOWN"
  | "SKIPPED"
  | "CANCELLED"
  | (string & {});

export interface StepSnapshot {
  readonly name: string;
  readonly capability: CapabilityName;
  readonly state: StepState;
  /** The names of the steps whose outputs the step uses. */
  readonly uses: readonly string[];
  /**
   * The id of the task, which `media.tasks.restore({ id: taskId, capability })` restores; absent
   * before there is one.
   */
  readonly taskId?: string | undefined;
  /** The progress of the task from 0 to 1, if that is known. */
  readonly progress?: number | undefined;
  /** The time that the task is likely to run on; absent if nothing is known of it. */
  readonly eta?: Eta | undefined;
  /**
   * The date and time (RFC 3339) since which the media service has not answered the gateway about
   * the task.
   */
  readonly unansweredSince?: string | undefined;
  /** What the media service has ignored or changed, in words; absent if there is nothing. */
  readonly warnings?: readonly string[] | undefined;
  /** The results; empty until there are some. */
  readonly outputs: readonly Output[];
  /**
   * The reason why the step did not succeed: the task's own error, or a refusal, with its other
   * members as they were sent.
   */
  readonly error?:
    | (TaskError & { readonly [member: string]: unknown })
    | undefined;
}

export interface PipelineSnapshot {
  /** The id, valid only for the user who started the pipeline. */
  readonly id: string;
  /** The title; absent without one. */
  readonly title?: string | undefined;
  /** The state; `undefined` for a pipeline by its id before it was first read. */
  readonly state?: PipelineState | undefined;
  /** The date and time of the start (RFC 3339); `undefined` while `state` is. */
  readonly createdAt?: string | undefined;
  /** The date and time of the end; absent while the pipeline runs. */
  readonly endedAt?: string | undefined;
  /** True if the pipeline has ended, and `resume` would begin a step again. */
  readonly resumable: boolean;
  /** The steps, each after those that it uses; empty before the pipeline was first read. */
  readonly steps: readonly StepSnapshot[];
  /** The outputs of the steps that no other step uses, as far as these have succeeded. */
  readonly outputs: readonly Output[];
}

/**
 * The plain data of a pipeline, for `media.pipelines.restore`. `JSON.stringify` writes a pipeline
 * like this.
 */
export interface SavedPipeline {
  readonly id: string;
}

/** A pipeline: a `Pipeline`, its snapshot, the saved form of it, or its entry in the history. */
export interface PipelineReference extends SavedPipeline {
  /** Always absent: only a task has a capability. */
  readonly capability?: undefined;
}
