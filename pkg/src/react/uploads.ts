import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { Media } from "../media.js";
import type { UploadOptions, UploadProgress } from "../types/calls.js";
import { type StartedState, uploadFile } from "./upload.js";

export type ListedUpload = StartedState & {
  /** A number of its own, for `key` of a list and for `remove`. */
  readonly key: number;
  readonly file: File | Blob;
};

export interface Uploads {
  /** The files in the order in which they were added. */
  readonly files: readonly ListedUpload[];
  /** The bytes of all files that have not failed. */
  readonly progress: UploadProgress;
  readonly isUploading: boolean;
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

let lastKey = 0;

/**
 * Uploads any number of files, with the progress of each and of all. Unmounting the component
 * aborts the uploads.
 *
 * @param media - The client; `undefined` while there is none. An upload then fails with code
 * `not_loaded`.
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
 *       <p>{files.filter((file) => file.status === "done").length} of {files.length}</p>
 *     </>
 *   );
 * }
 * ```
 */
export function useUploads(media: Media | undefined): Uploads {
  const [files, setFiles] = useState<readonly ListedUpload[]>([]);
  const running = useRef(new Map<number, AbortController>());
  useEffect(() => {
    const { current } = running;
    return () => {
      for (const controller of current.values()) controller.abort();
    };
  }, []);

  const remove = useCallback((key?: number) => {
    const isRemoved = (other: number) => key === undefined || other === key;
    for (const [other, controller] of running.current)
      if (isRemoved(other)) controller.abort();
    setFiles((before) => before.filter((file) => !isRemoved(file.key)));
  }, []);

  const uploadOne = useCallback(
    async (
      { key, file }: ListedUpload,
      options: UploadOptions | undefined,
    ): Promise<string | undefined> => {
      const controller = new AbortController();
      running.current.set(key, controller);
      const show = (state: StartedState) =>
        setFiles((before) =>
          before.map((listed) =>
            listed.key === key ? { key, file, ...state } : listed,
          ),
        );
      const { signal } = controller;
      const id = await uploadFile(media, file, { ...options, signal }, show);
      running.current.delete(key);
      return id;
    },
    [media],
  );

  const upload = useCallback<Uploads["upload"]>(
    (added, options) => {
      const further = Array.from(added, (file): ListedUpload => {
        lastKey += 1;
        return { key: lastKey, file, status: "uploading" };
      });
      setFiles((before) => [...before, ...further]);
      return Promise.all(further.map((listed) => uploadOne(listed, options)));
    },
    [uploadOne],
  );
  return useMemo(
    () => ({ files, ...totalOf(files), upload, remove }),
    [files, upload, remove],
  );
}

function totalOf(
  files: readonly ListedUpload[],
): Pick<Uploads, "progress" | "isUploading"> {
  let loaded = 0;
  let total = 0;
  for (const { file, status, progress } of files) {
    if (status === "failed") continue;
    total += file.size;
    loaded += status === "done" ? file.size : (progress?.loaded ?? 0);
  }
  const isUploading = files.some((file) => file.status === "uploading");
  return { progress: { loaded, total }, isUploading };
}
