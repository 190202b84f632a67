/**
 * `mediagate/react` has hooks for React 18 and newer, which is a peer dependency.
 *
 * @module react
 */

import type {
  Media,
  MediagateError,
  Task,
  TaskSnapshot,
  UploadOptions,
} from "./index.js";

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
  | {
      readonly status: "idle";
      readonly progress?: undefined;
      readonly id?: undefined;
      readonly error?: undefined;
    }
  | {
      readonly status: "uploading";
      readonly progress?: Progress;
      readonly id?: undefined;
      readonly error?: undefined;
    }
  | {
      readonly status: "done";
      readonly progress?: undefined;
      readonly id: string;
      readonly error?: undefined;
    }
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
   * @param options - `name` and `type` of bytes or a stream, `timeout` in milliseconds, `maxRetries` and `onRetry`.
   * @returns The id of the file; `undefined` where the upload failed or was aborted.
   */
  upload(
    file: Parameters<Media["upload"]>[0],
    options?: Pick<
      UploadOptions,
      "name" | "type" | "timeout" | "maxRetries" | "onRetry"
    >,
  ): Promise<string | undefined>;
  /** Aborts the upload. The state is then `idle`. */
  abort(): void;
};

/**
 * One upload at a time, with its progress; {@link useUploads} is for several. Unmounting the component aborts it.
 *
 * @param media - The client; `undefined` while there is none. An upload then fails with code `not_loaded`.
 * @returns The state of the upload, and the functions that start and abort it.
 */
export function useUpload(media: Media | undefined): Upload;

/** One file of {@link useUploads}, with the state of its upload. */
export type ListedUpload = Exclude<UploadState, { readonly status: "idle" }> & {
  /** A number of its own, for `key` of a list and for `remove`. */
  readonly key: number;
  /** The file. */
  readonly file: File | Blob;
};

/** The states of several uploads, and the functions that start and abort them. */
export interface Uploads {
  /** The files in the order in which they were added. */
  readonly files: readonly ListedUpload[];
  /** The bytes of all files that have not failed. */
  readonly progress: Progress;
  /** Whether any is being uploaded. */
  readonly isUploading: boolean;
  /**
   * Uploads further files beside those under way, four at a time. Never rejects: an error is in the state of its file.
   *
   * @param files - Files, such as `input.files`.
   * @param options - `timeout` in milliseconds, `maxRetries` and `onRetry`, of each file.
   * @returns Their ids in the same order; `undefined` for one whose upload failed or was aborted.
   */
  upload(
    files: Iterable<File | Blob> | ArrayLike<File | Blob>,
    options?: Pick<UploadOptions, "timeout" | "maxRetries" | "onRetry">,
  ): Promise<(string | undefined)[]>;
  /**
   * Removes a file, and aborts its upload.
   *
   * @param key - That of the file; all files without one.
   */
  remove(key?: number): void;
}

/**
 * Any number of uploads, with the progress of each and of all. Unmounting the component aborts them.
 *
 * @param media - The client; `undefined` while there is none. An upload then fails with code `not_loaded`.
 * @returns The files with their states, and the functions that upload more and remove them.
 *
 * @example
 * ```tsx
 * import type { Media } from "mediagate";
 * import { useUploads } from "mediagate/react";
 *
 * export function Files({ media }: { media?: Media }) {
 *   const { files, progress, upload } = useUploads(media);
 *   return (
 *     <>
 *       <input type="file" multiple onChange={({ target }) => target.files && upload(target.files)} />
 *       <progress value={progress.loaded} max={progress.total} />
 *       <p>{files.filter((it) => it.status === "done").length} of {files.length}</p>
 *     </>
 *   );
 * }
 * ```
 */
export function useUploads(media: Media | undefined): Uploads;
