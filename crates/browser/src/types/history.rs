//! The history.

use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const HISTORY: &str = r#"
/** Which page of the history is requested. */
export interface TasksOptions extends CallOptions {
  /**
   * The most entries of a page, 1 to 100. An iteration goes on over all pages.
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

/** A page of the history. */
export interface TaskPage {
  /** The tasks, newest first. A page may have fewer entries than `limit`, also none, and yet a `cursor`. */
  readonly tasks: readonly HistoryEntry[];
  /** The pipelines, newest first. The tasks of their steps are among the `tasks`. */
  readonly pipelines: readonly PipelineEntry[];
  /** That of the next page; absent on the last one. Creates meanwhile do not move it. */
  readonly cursor?: string;
}

/** What a user has created, as the gateway last saw it. */
export interface HistoryEntry {
  /** The id of the task. */
  readonly id: string;
  /** The capability that it was created with. */
  readonly capability: CapabilityName;
  /** The create's `title`; absent without one. */
  readonly title?: string;
  /** When it was created: a date and time (RFC 3339). */
  readonly created_at: string;
  /** When the gateway saw its end; absent where it did not. */
  readonly ended_at?: string;
  /** Its state; read the task for the current one. Absent where `outcome` is there. */
  readonly state?: TaskState;
  /** Its results. Their URLs may have expired: `media.task(entry).refresh()` reads new ones. */
  readonly outputs: readonly Output[];
  /** Why the task failed, as far as that is known. */
  readonly error?: { readonly message?: string; readonly code?: string | number };
  /**
   * Where the response to its create was lost: whether it was made, and has cost credits, is unknown. The entry can only be
   * forgotten; it names no task.
   */
  readonly outcome?: "unknown";
}

/** A pipeline of the user's, as the gateway last saw it. */
export interface PipelineEntry {
  /** Its id; `media.pipelineById(entry)` reads it again. */
  readonly id: string;
  /** Its title; absent without one. */
  readonly title?: string;
  /** Its state; read the pipeline for the current one. */
  readonly state: PipelineState;
  /** When it was started: a date and time (RFC 3339). */
  readonly created_at: string;
  /** When it ended; absent where it has not. */
  readonly ended_at?: string;
}
"#;
