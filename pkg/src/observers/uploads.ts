import type { UploadOptions, UploadProgress } from "../types/calls.js";
import { type MediaSource, Source } from "./connection.js";
import { type Observer, Subject } from "./observer.js";
import { type StartedState, UPLOADING, uploadFile } from "./upload.js";

export type ListedUpload = StartedState & {
  /** A number of its own, for `key` of a list and for `remove`. */
  readonly key: number;
  readonly file: File | Blob;
};

export interface UploadsState {
  /** The files in the order in which they were added. */
  readonly files: readonly ListedUpload[];
  /** The bytes of all files that have not failed. */
  readonly progress: UploadProgress;
  readonly isUploading: boolean;
}

export interface UploadsActions {
  /**
   * Uploads further files beside those under way, four at a time. Never rejects: an error is in the
   * state of its file.
   *
   * @param files - Files, such as `input.files`.
   * @param options - `timeout` in milliseconds, `maxRetries` and `onRetry`, of each file.
   * @returns Their ids in the same order; `undefined` for a file whose upload failed or was
   * aborted.
   */
  upload(
    files: Iterable<File | Blob> | ArrayLike<File | Blob>,
    options?: Pick<UploadOptions, "timeout" | "maxRetries" | "onRetry">,
  ): Promise<(string | undefined)[]>;
  /**
   * Removes a file, and aborts its upload.
   *
   * @param key - The key of the file; without one, all files are removed.
   */
  remove(key?: number): void;
}

export type UploadsObserver = Observer<UploadsState> & UploadsActions;

let lastKey = 0;

/**
 * Uploads any number of files, with the progress of each and of all. The end of the last
 * subscription aborts the uploads.
 *
 * @param source - The client. Without one, an upload fails with code `not_loaded`.
 */
export function observeUploads(source: MediaSource): UploadsObserver {
  const client = new Source(source);
  const running = new Map<number, AbortController>();
  const subject = new Subject<UploadsState>(stateOf([]), (signal) =>
    signal.addEventListener("abort", () => remove()),
  );
  const list = (
    update: (files: readonly ListedUpload[]) => readonly ListedUpload[],
  ) => subject.change(stateOf(update(subject.getSnapshot().files)));

  const uploadOne = async (
    { key, file }: ListedUpload,
    options: UploadOptions | undefined,
  ): Promise<string | undefined> => {
    const controller = new AbortController();
    running.set(key, controller);
    const show = (state: StartedState) =>
      list((files) =>
        files.map((listed) =>
          listed.key === key ? { key, file, ...state } : listed,
        ),
      );
    const { signal } = controller;
    const id = await uploadFile(client, file, { ...options, signal }, show);
    running.delete(key);
    return id;
  };
  const upload: UploadsActions["upload"] = (added, options) => {
    const further = Array.from(added, (file): ListedUpload => {
      lastKey += 1;
      return { key: lastKey, file, ...UPLOADING };
    });
    list((files) => [...files, ...further]);
    return Promise.all(further.map((listed) => uploadOne(listed, options)));
  };
  const remove = (key?: number) => {
    const isRemoved = (other: number) => key === undefined || other === key;
    for (const [other, controller] of running)
      if (isRemoved(other)) controller.abort();
    list((files) => files.filter((file) => !isRemoved(file.key)));
  };
  const { subscribe, getSnapshot } = subject;
  return { subscribe, getSnapshot, upload, remove };
}

function stateOf(files: readonly ListedUpload[]): UploadsState {
  let loaded = 0;
  let total = 0;
  for (const { file, status, progress } of files) {
    if (status === "failed") continue;
    total += file.size;
    loaded += status === "done" ? file.size : (progress?.loaded ?? 0);
  }
  const isUploading = files.some((file) => file.status === "uploading");
  return { files, progress: { loaded, total }, isUploading };
}
