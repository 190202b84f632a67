import { useCallback, useEffect, useRef, useState } from "react";
import { MediagateError } from "../error.js";
import type { Media } from "../media.js";
import type {
  UploadOptions,
  UploadProgress,
  UploadSource,
} from "../types/calls.js";

/**
 * The state of an upload. Its further members depend on `status`:
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
      readonly progress?: UploadProgress | undefined;
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

export type StartedState = Exclude<UploadState, { readonly status: "idle" }>;

export type Upload = UploadState & {
  /**
   * Uploads a file, and aborts the upload before it. Never rejects: an error is in the state.
   *
   * @param file - A `File`, a `Blob`, bytes or a stream.
   * @param options - `name` and `type` of bytes or a stream, `timeout` in milliseconds,
   * `maxRetries` and `onRetry`.
   * @returns The id of the file; `undefined` if the upload failed or was aborted.
   */
  upload(
    file: UploadSource,
    options?: Pick<
      UploadOptions,
      "name" | "type" | "timeout" | "maxRetries" | "onRetry"
    >,
  ): Promise<string | undefined>;
  /** Aborts the upload. The state is then `idle`. */
  abort(): void;
};

const IDLE: UploadState = { status: "idle" };

/**
 * Uploads one file at a time, with its progress; `useUploads` is for several. Unmounting the
 * component aborts the upload.
 *
 * @param media - The client; `undefined` while there is none. An upload then fails with code
 * `not_loaded`.
 * @returns The state of the upload, and the functions that start and abort it.
 */
export function useUpload(media: Media | undefined): Upload {
  const [state, setState] = useState(IDLE);
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const abort = useCallback(() => {
    running.current?.abort();
    setState(IDLE);
  }, []);

  const upload = useCallback<Upload["upload"]>(
    (file, options) => {
      running.current?.abort();
      const controller = new AbortController();
      running.current = controller;
      setState({ status: "uploading" });
      const { signal } = controller;
      return uploadFile(media, file, { ...options, signal }, setState);
    },
    [media],
  );
  return { ...state, upload, abort };
}

/** Returns the id of the file; `undefined` if the upload failed or was aborted. */
export async function uploadFile(
  media: Media | undefined,
  file: UploadSource,
  options: UploadOptions & { signal: AbortSignal },
  show: (state: StartedState) => void,
): Promise<string | undefined> {
  const showUnlessAborted = (state: StartedState) => {
    if (!options.signal.aborted) show(state);
  };
  try {
    if (!media)
      throw new MediagateError({
        code: "not_loaded",
        message: "there is no connection to the gateway yet",
        hint: "give the hook the result of connect",
      });
    const onProgress = ({ loaded, total }: UploadProgress) =>
      showUnlessAborted({ status: "uploading", progress: { loaded, total } });
    const id = await media.upload(file, { ...options, onProgress });
    showUnlessAborted({ status: "done", id });
    return id;
  } catch (error) {
    showUnlessAborted({ status: "failed", error: error as MediagateError });
    return undefined;
  }
}
