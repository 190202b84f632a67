//! Pipelines.

use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const PIPELINE: &str = r#"
/** The options of a pipeline. */
export interface PipelineOptions extends CreateOptions {
  /** Its title in the history. */
  title?: string;
}

/** The options of a step. */
export interface StepOptions {
  /**
   * Its name: 1 to 64 letters, digits, `_` or `-`, and that of no other step.
   *
   * @defaultValue the name of its capability, such as `text_to_image`, or `text_to_image_2` for the second one
   */
  name?: string;
}

/**
 * The state of a pipeline.
 *
 * | State | Meaning | What to do |
 * | --- | --- | --- |
 * | `RUNNING` | Steps go on, or wait for others. | Show them. |
 * | `SUCCEEDED` | Last state: every step succeeded. | Show its `outputs`. |
 * | `FAILED` | Last state: a step failed, or whether it created a task is unknown. | Show that step. Where the pipeline is `resumable`, offer that. |
 * | `CANCELLED` | Last state: it was cancelled, and no step failed. | Where it is `resumable`, offer that. |
 */
export type PipelineState = "RUNNING" | "SUCCEEDED" | "FAILED" | "CANCELLED" | (string & {});

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
 * | `UNKNOWN` | Whether its create made a task, and has cost credits, is unknown. It is never sent again. |
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

/** A step of a pipeline at one time. */
export interface StepSnapshot {
  /** Its name. */
  readonly name: string;
  /** What it creates. */
  readonly capability: CapabilityName;
  /** Its state. */
  readonly state: StepState;
  /** The names of the steps whose outputs it uses. */
  readonly uses: readonly string[];
  /** The id of its task, which `media.task({ id, capability })` restores; absent before there is one. */
  readonly task_id?: string;
  /** The progress of its task from 0 to 1, where that is known. */
  readonly progress?: number;
  /** The time that its task is likely to run on; absent where nothing is known of it. */
  readonly eta?: Eta;
  /** Its results; empty until there are some. */
  readonly outputs: readonly Output[];
  /** Why it did not succeed: the task's own error, or a refusal. */
  readonly error?: { readonly message?: string; readonly code?: string | number; readonly [member: string]: unknown };
}

/** The state of a pipeline at one time. */
export interface PipelineSnapshot {
  /** Its id, valid for the same user. */
  readonly id: string;
  /** Its title; absent without one. */
  readonly title?: string;
  /** Its state; `undefined` for one by its id before it was first read. */
  readonly state?: PipelineState;
  /** When it was started: a date and time (RFC 3339); `undefined` as `state` is. */
  readonly created_at?: string;
  /** When it ended; absent while it runs. */
  readonly ended_at?: string;
  /** Whether it has ended, and `resume` would begin a step anew. */
  readonly resumable: boolean;
  /** Its steps, each after those that it uses; empty before it was first read. */
  readonly steps: readonly StepSnapshot[];
  /** The outputs of the steps that no other step uses, as far as these have succeeded. */
  readonly outputs: readonly Output[];
}

/** What `JSON.stringify` writes of a pipeline, for `media.pipelineById`. */
export interface SavedPipeline {
  /** The id of the pipeline. */
  readonly id: string;
}

/**
 * A pipeline, with its last snapshot. Its updates come from a stream that all subscribers in the page share; where there is
 * no stream, it is polled.
 *
 * Iterating it yields the current snapshot, then each change (of several at once the latest), and last the one with the
 * last state, also where that is `FAILED`. Leaving the loop closes the stream and stops the polls. The pipeline itself goes
 * on.
 *
 * @example
 * ```js
 * for await (const { steps } of film) show(steps.map((it) => `${it.name}: ${it.state}`).join());
 * ```
 */
export interface Pipeline extends PipelineSnapshot, AsyncIterable<PipelineSnapshot> {
  /** The last snapshot; the same object until it changes. */
  readonly snapshot: PipelineSnapshot;
  /**
   * Waits until all steps have succeeded.
   *
   * @param options - `signal`, `timeout` in milliseconds, `maxRetries` and `onRetry`. None ends the pipeline itself.
   * @returns The last snapshot, with the outputs.
   * @throws {MediagateError} `pipeline_failed`, with the name of the first step that failed as `step`, or
   * `pipeline_cancelled`, each with the last snapshot as `pipeline`; `invalid_input` with the `reason` `unknown_pipeline` where
   * there is no such pipeline; any code of a read, such as `network`, `aborted` and `timeout`.
   * @example
   * ```js
   * const { outputs } = await film.done();
   * show(outputs[0]?.url);
   * ```
   */
  done(options?: CallOptions): Promise<PipelineSnapshot>;
  /**
   * Reads the pipeline once.
   *
   * @param options - `signal`, `timeout` in milliseconds, `maxRetries` and `onRetry`.
   * @returns Its snapshot, also where it failed.
   * @throws {MediagateError} `invalid_input` with the `reason` `unknown_pipeline` where there is no such pipeline; any code of
   * a read.
   */
  refresh(options?: CallOptions): Promise<PipelineSnapshot>;
  /**
   * Iterates the snapshots, as iterating the pipeline itself does.
   *
   * @param options - `signal`, `timeout` in milliseconds for each step of the iteration, `maxRetries` and `onRetry`.
   * @returns A generator of snapshots, which ends after the last state. Its `return()` ends a wait at once.
   * @throws {MediagateError} Those of `refresh`.
   */
  updates(options?: CallOptions): AsyncGenerator<PipelineSnapshot, void, undefined>;
  /**
   * Begins anew what failed, was skipped or cancelled, with what the session token allows now. Steps that succeeded stay; one
   * whose create has an unknown outcome is not sent again.
   *
   * @param options - `signal`, `timeout` in milliseconds, `maxRetries` and `onRetry`.
   * @returns Its snapshot. `done()` and an iteration wait for its end again.
   * @throws {MediagateError} `invalid_input` with the `reason` `not_resumable` where it runs, or nothing of it can begin anew;
   * `forbidden`; `budget_exceeded`; any code of a read.
   */
  resume(options?: CallOptions): Promise<PipelineSnapshot>;
  /**
   * Stops what is not sent yet. Tasks that run go on, and their results stay.
   *
   * @param options - `signal`, `timeout` in milliseconds, `maxRetries` and `onRetry`.
   * @returns Its snapshot, which may still be `RUNNING` while tasks do.
   * @throws {MediagateError} `invalid_input` with the `reason` `unknown_pipeline`; any code of a read.
   */
  cancel(options?: CallOptions): Promise<PipelineSnapshot>;
  /**
   * The pipeline as plain data, for `JSON.stringify`.
   *
   * @returns What `media.pipelineById` takes.
   */
  toJSON(): SavedPipeline;
}
"#;
