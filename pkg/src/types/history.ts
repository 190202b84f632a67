import type { CapabilityName } from "../generated/capabilities.js";
import type { CallOptions } from "./calls.js";
import type { PipelineState } from "./pipeline.js";
import type { Output, TaskError, TaskState } from "./task.js";

export interface ListOptions extends CallOptions {
  /**
   * The most entries of a page, 1 to 100. An iteration goes on over all pages, and `timeout` limits
   * the request of each.
   *
   * @defaultValue 50
   */
  limit?: number | undefined;
  /**
   * The `cursor` of the page before.
   *
   * @defaultValue none: the newest entries
   */
  cursor?: string | undefined;
}

/**
 * The promise of a page. Both the promise and the page iterate the entries of this page and of all
 * that follow. An iteration requests a page when it needs it.
 */
export type PagePromise<Page, Entry> = Promise<Page & AsyncIterable<Entry>> &
  AsyncIterable<Entry>;

export interface TaskPage {
  /**
   * The tasks, newest first. A page may have fewer entries than `limit`, also none, and yet a
   * `cursor`.
   */
  readonly tasks: readonly HistoryEntry[];
  /** The pipelines, newest first. The tasks of their steps are among the `tasks`. */
  readonly pipelines: readonly PipelineEntry[];
  /** The cursor of the next page; absent on the last one. New creates do not move it. */
  readonly cursor?: string | undefined;
}

export interface PipelinePage {
  /**
   * The pipelines, newest first. A page may have fewer entries than `limit`. Only the last page may
   * have none.
   */
  readonly pipelines: readonly PipelineEntry[];
  /** The cursor of the next page; absent on the last one. New creates do not move it. */
  readonly cursor?: string | undefined;
}

/** A create of the user, as the gateway last saw it. */
export interface HistoryEntry {
  readonly id: string;
  readonly capability: CapabilityName;
  /** The create's `title`; absent without one. */
  readonly title?: string | undefined;
  /** The date and time of the create (RFC 3339). */
  readonly createdAt: string;
  /** The date and time at which the gateway saw the end; absent if it did not. */
  readonly endedAt?: string | undefined;
  /** True if no end was seen in the time that the gateway follows tasks: read the task. */
  readonly unfinished?: true | undefined;
  /** The state; read the task for the current one. Absent if there is an `outcome`. */
  readonly state?: TaskState | undefined;
  /**
   * The results. Their URLs may have expired: `media.tasks.restore(entry).refresh()` reads new
   * ones.
   */
  readonly outputs: readonly Output[];
  /** The reason why the task failed, as far as that is known. */
  readonly error?: TaskError | undefined;
  /**
   * Present if the response to the create was lost. Nobody can tell whether a task was made, and
   * has cost credits. The entry can only be forgotten; it names no task.
   */
  readonly outcome?: "unknown" | undefined;
}

/** A pipeline of the user, as the gateway last saw it. */
export interface PipelineEntry {
  /** The id; `media.pipelines.restore(entry)` is the pipeline. */
  readonly id: string;
  readonly title?: string | undefined;
  /** The state; read the pipeline for the current one. */
  readonly state: PipelineState;
  /** The date and time of the start (RFC 3339). */
  readonly createdAt: string;
  /** The date and time of the end; absent before it. */
  readonly endedAt?: string | undefined;
}
