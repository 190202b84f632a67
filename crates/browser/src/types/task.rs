//! Tasks.

use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const TASK: &str = r#"
/**
 * The state of a task, as the media service sends it.
 *
 * | State | Meaning | What to do |
 * | --- | --- | --- |
 * | `SUCCEEDED` | Last state: the task is done. | Show its `outputs`. |
 * | `FAILED` | Last state: the task failed. | Show that. `raw` may have the cause. Create it again if the user wants. |
 * | `EXPIRED` | Last state: the task ended before it was done. | Create it again if the user wants. |
 * | any other | The task goes on, such as `QUEUED` or `PROCESSING`; the names are not documented. | Show that it is in progress. |
 */
export type TaskState = "SUCCEEDED" | "FAILED" | "EXPIRED" | (string & {});

/**
 * What an output is.
 *
 * | Kind | How to show it |
 * | --- | --- |
 * | `image` | in an `<img>` |
 * | `video` | in a `<video controls>` |
 * | `audio` | in an `<audio controls>` |
 * | `pdf` | as a link, or in a PDF viewer |
 */
export type OutputKind = "image" | "video" | "audio" | "pdf";

/** One result of a task. */
export interface Output {
  /**
   * Where to download it; absent or null where the record has only an asset's id. Such a URL may expire: download the
   * file, or poll the task again.
   */
  readonly url?: string | null;
  /** The id of a reusable asset, for fields such as `avatar_asset_id`; absent or null where it is not one. */
  readonly asset_id?: string | null;
  /** What it is; absent or null where that is unknown. */
  readonly kind?: OutputKind | null;
  /** The id of its task. By this and `output` it can be an input; empty where the task has no id. */
  readonly task_id: string;
  /** Its position in the task's outputs, from 0. */
  readonly output: number;
}

/** The state of a task at one time. */
export interface TaskSnapshot {
  /** The id of the task, valid for the same user; empty for a result that came without a task, which is already done. */
  readonly id: string;
  /** The capability that it was created with. */
  readonly capability: CapabilityName;
  /** Its state; `undefined` where the record has none, and for a restored task before its first poll. */
  readonly state?: TaskState;
  /** Its progress from 0 to 1; `undefined` where the record has none. */
  readonly progress?: number;
  /** The time that it is likely to run on, from when this snapshot came; absent where nothing is known of it. */
  readonly eta?: Eta;
  /** Its results; empty until there are some. */
  readonly outputs: readonly Output[];
  /** The whole record, as the gateway sent it; `undefined` before the first one. */
  readonly raw: unknown;
}

/** The seconds that a task is likely to run on: an estimate of the gateway's, from tasks that have ended. */
export interface Eta {
  /** It is as likely to take longer as shorter. */
  readonly seconds: number;
  /** Of ten such tasks, nine take longer. */
  readonly low: number;
  /** Of ten such tasks, nine have ended by then. */
  readonly high: number;
}

/** What `JSON.stringify` writes of a task, for `media.task`. */
export interface SavedTask {
  /** The id of the task; empty for a result that came without a task. */
  readonly id: string;
  /** The capability that it was created with. */
  readonly capability: CapabilityName;
  /** The result itself, where `id` is empty. */
  readonly result?: unknown;
}

/**
 * A task, with its last snapshot. Its updates come from a stream that all subscribers in the page share; where there is
 * no stream, it is polled.
 *
 * Iterating it yields the current snapshot, then each change (of several at once the latest), and last the one with the
 * last state, also where that is `FAILED`. Leaving the loop closes the stream and stops the polls.
 *
 * @example
 * ```js
 * for await (const update of task) show(update.state, update.progress);
 * ```
 */
export interface Task extends TaskSnapshot, AsyncIterable<TaskSnapshot> {
  /** The last snapshot; the same object until it changes. */
  readonly snapshot: TaskSnapshot;
  /**
   * Waits until the task succeeds.
   *
   * @param options - `signal`, `timeout` in milliseconds, `maxRetries` and `onRetry`. Neither ends the task itself, only the wait.
   * @returns The last snapshot, with the outputs.
   * @throws {MediagateError} `task_failed` or `task_expired`, with the last snapshot as `task`; `invalid_input` with the
   * `reason` `unknown_task` where there is no such task; any code of a read, such as `network`, `aborted` and `timeout`.
   * @example
   * ```js
   * const { outputs } = await task.done();
   * show(outputs[0]?.url);
   * ```
   */
  done(options?: CallOptions): Promise<TaskSnapshot>;
  /**
   * Polls the task once.
   *
   * @param options - `signal`, `timeout` in milliseconds, `maxRetries` and `onRetry`.
   * @returns Its snapshot, also where the task failed.
   * @throws {MediagateError} `invalid_input` with the `reason` `unknown_task` where there is no such task; any code of a
   * read.
   */
  refresh(options?: CallOptions): Promise<TaskSnapshot>;
  /**
   * Iterates the snapshots, as iterating the task itself does.
   *
   * @param options - `signal`, `timeout` in milliseconds for each step, `maxRetries` and `onRetry`.
   * @returns A generator of snapshots, which ends after the last state. Its `return()` ends a step that waits, at once.
   * Where several states arrive together, each is a step; of snapshots with one state that wait, only the last is.
   * @throws {MediagateError} Those of `refresh`, in the step in which they occur.
   */
  updates(options?: CallOptions): AsyncGenerator<TaskSnapshot, void, undefined>;
  /**
   * The task as plain data, for `JSON.stringify`.
   *
   * @returns What `media.task` restores it from.
   */
  toJSON(): SavedTask;
}
"#;
