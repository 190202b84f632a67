import type { CapabilityName } from "../generated/capabilities.js";
import type { LoadOptions } from "./load.js";

/**
 * The state of a task, as the media service sends it.
 *
 * | State | Meaning | What to do |
 * | --- | --- | --- |
 * | `SUCCEEDED` | Last state: the task is done. | Show its `outputs`. |
 * | `FAILED` | Last state: the task failed. | Show its `error`. Create it again if the user wants. |
 * | `EXPIRED` | Last state: the task expired. | Create it again if the user wants. |
 * | any other | The task goes on, such as `QUEUED` or `PROCESSING`; the names are not documented. | Show that it is in progress. |
 */
export type TaskState = "SUCCEEDED" | "FAILED" | "EXPIRED" | (string & {});

/**
 * The medium of an output.
 *
 * | Kind | How to show it |
 * | --- | --- |
 * | `image` | in an `<img>` |
 * | `video` | in a `<video controls>` |
 * | `audio` | in an `<audio controls>` |
 * | `pdf` | as a link, or in a PDF viewer |
 */
export type OutputKind = "image" | "video" | "audio" | "pdf";

export interface Output {
  /**
   * The URL of the file; absent if the record has only an asset's id. If the gateway keeps results,
   * it does not change until `expiresAt`. Otherwise it may expire: download the file, or poll the
   * task again.
   */
  readonly url?: string | undefined;
  /**
   * True if the gateway keeps the file. While it is false, `url` leads to the media service. The
   * snapshot of a task that was awaited changes when the file is kept. Absent if the gateway keeps
   * no results.
   */
  readonly kept?: boolean | undefined;
  /**
   * The reason why the file is not kept, such as `results_full` or `file_too_large`; absent while
   * it is being moved.
   */
  readonly notKept?: string | undefined;
  /** The size of a kept file, in bytes. */
  readonly size?: number | undefined;
  /** The media type of a kept file. */
  readonly contentType?: string | undefined;
  /** The name of a kept file, after the task's title or prompt. */
  readonly fileName?: string | undefined;
  /** The time when a kept file is deleted (RFC 3339). */
  readonly expiresAt?: string | undefined;
  /** The id of a reusable asset, for fields such as `avatar_asset_id`; absent for other outputs. */
  readonly assetId?: string | undefined;
  /** The medium; absent if it is unknown. */
  readonly kind?: OutputKind | undefined;
  /**
   * The id of the task. With it and `output`, the output can be an input; empty if the task has no
   * id.
   */
  readonly taskId: string;
  /** The position in the task's outputs, from 0. */
  readonly output: number;
  /**
   * Loads the file.
   *
   * @throws {MediagateError} `network` if there was no response, also if the file's host does not
   * allow the page's origin; `unreadable` for a status other than 200, such as of an expired URL;
   * `invalid_argument` for an output that is an asset.
   */
  blob(options?: LoadOptions): Promise<Blob>;
  /**
   * Downloads the file in a page, as if a link to it were clicked.
   *
   * @param options - The file's name, by default the kept file's, or `output` with the extension of
   * its media type, and the limits of the call.
   * @throws {MediagateError} As {@link Output.blob}, if the file is loaded first: it is not kept,
   * or `fileName` is another than its own; `invalid_argument` outside a page.
   */
  download(options?: LoadOptions & { fileName?: string }): Promise<void>;
}

export interface TaskError {
  readonly message?: string | undefined;
  readonly code?: string | number | undefined;
  /** Present if the provider refuses the content: change the text or the files. */
  readonly reason?: "content_refused" | (string & {}) | undefined;
}

export interface TaskSnapshot {
  /**
   * The id of the task, valid only for the user who created it. Empty for a result that came
   * without a task, which is already done.
   */
  readonly id: string;
  readonly capability: CapabilityName;
  /** The state; `undefined` if the record has none, and in a restored task before its first poll. */
  readonly state?: TaskState | undefined;
  /** The progress from 0 to 1; `undefined` if the record has none. */
  readonly progress?: number | undefined;
  /**
   * The time that the task is likely to run on, from when this snapshot came. Absent if nothing is
   * known of it.
   */
  readonly eta?: Eta | undefined;
  /**
   * The date and time (RFC 3339) at which the gateway first read the present record. It
   * distinguishes a task without progress from a slow one. Only streams have it.
   */
  readonly changedAt?: string | undefined;
  /**
   * The date and time (RFC 3339) since which reads fail, after several of them: the gateway's reads
   * of the media service, or this client's reads of the gateway. Both keep trying.
   */
  readonly unansweredSince?: string | undefined;
  /** True if the task has outlasted the time that the gateway follows tasks. It may still run. */
  readonly unfinished?: true | undefined;
  /**
   * What the media service has ignored or changed, in words for a person; absent if there is
   * nothing.
   */
  readonly warnings?: readonly string[] | undefined;
  /** The reason why a task failed or expired, as far as the media service says why. */
  readonly error?: TaskError | undefined;
  /** The id of the model, if the record names it as `model_id`. */
  readonly model?: string | undefined;
  /** The price in credits, if the record names it so. */
  readonly credits?: number | undefined;
  /** The results; empty until there are some. */
  readonly outputs: readonly Output[];
  /** The whole record, as the gateway sent it; `undefined` before the first one. */
  readonly raw: unknown;
}

/** The seconds that a task is likely to run on. The gateway estimates it from ended tasks. */
export interface Eta {
  /** The median: half of such tasks take longer. */
  readonly seconds: number;
  /** Of ten such tasks, nine take longer. */
  readonly low: number;
  /** Of ten such tasks, nine have ended by then. */
  readonly high: number;
}

/** The plain data of a task, for `media.tasks.restore`. `JSON.stringify(task)` writes it. */
export interface SavedTask {
  /** The id of the task; empty for a result that came without a task. */
  readonly id: string;
  readonly capability: CapabilityName;
  /** The result itself, if `id` is empty. */
  readonly result?: unknown;
}
