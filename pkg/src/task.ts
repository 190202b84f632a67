import { type Followed, inspect, setHidden } from "./followed.js";
import type { CapabilityName } from "./generated/capabilities.js";
import type { CallOptions } from "./types/calls.js";
import type {
  Eta,
  Output,
  SavedTask,
  TaskSnapshot,
  TaskState,
} from "./types/task.js";

/**
 * A task, with its last snapshot. Its updates come from a stream that all subscribers in the page
 * share. If there is no stream, the task is polled.
 *
 * Iterating it yields the current snapshot, then each change of the state, and the newest snapshot
 * of each state. The last snapshot has the last state, also if that is `FAILED`. Leaving the loop
 * closes the stream and stops the polls.
 *
 * @example
 * ```js
 * for await (const update of task) show(update.state, update.progress);
 * ```
 */
export class Task implements TaskSnapshot, AsyncIterable<TaskSnapshot> {
  /**
   * The id of the task, valid only for the user who created it. Empty for a result that came
   * without a task, which is already done.
   */
  readonly id: string;
  /** The capability that created the task. */
  readonly capability: CapabilityName;
  /** @internal */
  declare readonly followed: () => Followed<TaskSnapshot>;

  /** @internal */
  constructor(followed: Followed<TaskSnapshot>) {
    const { id, capability } = followed.snapshot;
    this.id = id;
    this.capability = capability;
    setHidden(this, "followed", () => followed);
  }

  /** The last snapshot. The object stays the same until the snapshot changes. */
  get snapshot(): TaskSnapshot {
    return this.followed().snapshot;
  }

  /** The state; `undefined` if the record has none, and in a restored task before its first poll. */
  get state(): TaskState | undefined {
    return this.snapshot.state;
  }

  /** The progress from 0 to 1; `undefined` if the record has none. */
  get progress(): number | undefined {
    return this.snapshot.progress;
  }

  /**
   * The time that the task is likely to run on, from when the snapshot came. `undefined` if nothing
   * is known of it.
   */
  get eta(): Eta | undefined {
    return this.snapshot.eta;
  }

  /** The results; empty until there are some. */
  get outputs(): readonly Output[] {
    return this.snapshot.outputs;
  }

  /** The whole record, as the gateway sent it; `undefined` before the first one. */
  get raw(): unknown {
    return this.snapshot.raw;
  }

  /**
   * Waits until the task succeeds.
   *
   * @param options - `signal`, `timeout` in milliseconds, `maxRetries` and `onRetry`. None of them
   * ends the task itself, only the wait.
   * @returns The last snapshot, with the outputs.
   * @throws {MediagateError} `task_failed`, `task_expired` or `task_unfinished`, with the last
   * snapshot as `task`; `invalid_input` with the `reason` `unknown_task` if there is no such
   * task; any code of a read, such as `network`, `aborted` and `timeout`.
   * @example
   * ```js
   * const { outputs } = await task.done();
   * show(outputs[0]?.url);
   * ```
   */
  done(options?: CallOptions): Promise<TaskSnapshot> {
    return this.followed().done(options);
  }

  /**
   * Polls the task once.
   *
   * @param options - `signal`, `timeout` in milliseconds, `maxRetries` and `onRetry`.
   * @returns The snapshot, also if the task failed.
   * @throws {MediagateError} `invalid_input` with the `reason` `unknown_task` if there is no such
   * task; any code of a read.
   */
  refresh(options?: CallOptions): Promise<TaskSnapshot> {
    return this.followed().request("refresh", options);
  }

  /**
   * Iterates the snapshots, as iterating the task itself does.
   *
   * @param options - `signal`, `timeout` in milliseconds for each step of the iteration,
   * `maxRetries` and `onRetry`.
   * @returns A generator of snapshots, which ends after the last state. Its `return()` ends a wait
   * at once.
   * @throws {MediagateError} Those of `refresh`, in the step in which they occur.
   */
  updates(
    options?: CallOptions,
  ): AsyncGenerator<TaskSnapshot, void, undefined> {
    return this.followed().updates(options);
  }

  /** Iterates the snapshots. */
  [Symbol.asyncIterator](): AsyncGenerator<TaskSnapshot, void, undefined> {
    return this.updates();
  }

  /**
   * Returns the task as plain data, for `JSON.stringify`.
   *
   * @returns The data that `media.tasks.restore` restores the task from.
   */
  toJSON(): SavedTask {
    const { id, capability, raw } = this.snapshot;
    return id ? { id, capability } : { id, capability, result: raw };
  }

  /** @internal */
  [inspect](_depth: number, options: unknown, show: Inspect): string {
    return `Task ${show({ ...this.snapshot }, options)}`;
  }
}

/** The `inspect` of Node's `util`. @internal */
export type Inspect = (value: unknown, options: unknown) => string;
