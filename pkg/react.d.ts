/**
 * `mediagate/react` has hooks for React 18 and newer, which is a peer dependency.
 *
 * @module react
 */

import type { Media, MediagateError, Task, TaskSnapshot, UploadOptions } from "./index.js";

/** What a component shows of a task. */
export interface TaskView {
  /** The last snapshot; `undefined` without a task. */
  readonly snapshot: TaskSnapshot | undefined;
  /**
   * Why there are no more updates, such as `network` or `unauthenticated`; `undefined` while there are. A task that
   * ended in `FAILED` is a snapshot, not an error.
   */
  readonly error: MediagateError | undefined;
}

/**
 * Subscribes to a task while the component is mounted.
 *
 * @param task - The task; `undefined` while there is none.
 * @returns `{snapshot, error}`: its last snapshot, and why there are no more updates. The component renders again after
 * each change of either.
 *
 * @example
 * ```tsx
 * import type { Task } from "mediagate";
 * import { useTask } from "mediagate/react";
 *
 * export function Progress({ task }: { task?: Task }) {
 *   const { snapshot, error } = useTask(task);
 *   return error ? <p>{error.message}</p> : <progress value={snapshot?.progress} />;
 * }
 * ```
 */
export function useTask(task: Task | undefined): TaskView;

/** The progress of an upload. */
export interface Progress {
  /** The bytes that were sent. */
  readonly loaded: number;
  /** The bytes of the whole file. */
  readonly total: number;
}

/**
 * The state of an upload. The other members depend on `status`:
 *
 * | `status` | Members | What to show |
 * | --- | --- | --- |
 * | `idle` | none | that a file can be chosen: nothing was uploaded, or it was aborted |
 * | `uploading` | `progress`, once it is known | the progress |
 * | `done` | `id`, for any file field | that the file is ready |
 * | `failed` | `error` | its message, and that the user can try again |
 */
export type UploadState =
  | { readonly status: "idle"; readonly progress?: undefined; readonly id?: undefined; readonly error?: undefined }
  | { readonly status: "uploading"; readonly progress?: Progress; readonly id?: undefined; readonly error?: undefined }
  | { readonly status: "done"; readonly progress?: undefined; readonly id: string; readonly error?: undefined }
  | {
      readonly status: "failed";
      readonly progress?: undefined;
      readonly id?: undefined;
      readonly error: MediagateError;
    };

/** The state of an upload, and the functions that start and abort it. */
export type Upload = UploadState & {
  /**
   * Uploads a file, and aborts the upload before it. Never rejects: an error is in the state.
   *
   * @param file - A `File`, a `Blob`, bytes or a stream.
   * @param options - `name` and `type` of bytes or a stream, and `timeout` in milliseconds.
   * @returns The id of the file; `undefined` where the upload failed or was aborted.
   */
  upload(
    file: Parameters<Media["upload"]>[0],
    options?: Pick<UploadOptions, "name" | "type" | "timeout">,
  ): Promise<string | undefined>;
  /** Aborts the upload. The state is then `idle`. */
  abort(): void;
};

/**
 * One upload at a time, with its progress. Unmounting the component aborts it.
 *
 * @param media - The client; `undefined` while there is none. An upload then fails with code `not_loaded`.
 * @returns The state of the upload, and the functions that start and abort it.
 */
export function useUpload(media: Media | undefined): Upload;
