/**
 * `mediagate/react` has hooks. React 18 or newer is a peer dependency.
 *
 * @module react
 */

import type { Media, MediagateError, Task, TaskSnapshot, UploadOptions } from "./index.js";

/** What a component shows of a task. */
export interface TaskView {
  /** What was last seen of it; `undefined` without a task. */
  readonly snapshot: TaskSnapshot | undefined;
  /** Why it is not followed any further: no answer, no permission. A task that `FAILED` is a snapshot and no error. */
  readonly error: MediagateError | undefined;
}

/**
 * Follows a task while the component is there; `undefined` for none yet. Leaving ends the request under way.
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

/** Bytes on their way. */
export interface Progress {
  readonly loaded: number;
  readonly total: number;
}

/** What a component shows of an upload. */
export type UploadState =
  | { readonly status: "idle"; readonly progress?: undefined; readonly id?: undefined; readonly error?: undefined }
  | { readonly status: "uploading"; readonly progress?: Progress; readonly id?: undefined; readonly error?: undefined }
  | { readonly status: "done"; readonly progress?: undefined; readonly id: string; readonly error?: undefined }
  | { readonly status: "failed"; readonly progress?: undefined; readonly id?: undefined; readonly error: MediagateError };

/** An upload, and how to begin and end it. */
export type Upload = UploadState & {
  /** Uploads a file and ends the one before; its id, or `undefined` where it failed or was ended. Never rejects. */
  upload(file: Parameters<Media["upload"]>[0], options?: Pick<UploadOptions, "name" | "type" | "timeout">): Promise<string | undefined>;
  /** Ends it. */
  abort(): void;
};

/** One upload at a time, with its progress. Leaving ends it. */
export function useUpload(media: Media | undefined): Upload;
