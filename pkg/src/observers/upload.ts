import type { MediagateError } from "../error.js";
import type {
  UploadOptions,
  UploadProgress,
  UploadSource,
} from "../types/calls.js";
import { type MediaSource, Source } from "./connection.js";
import { type Observer, Subject } from "./observer.js";

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
      readonly progress: undefined;
      readonly id: undefined;
      readonly error: undefined;
    }
  | StartedState;

export type StartedState =
  | {
      readonly status: "uploading";
      readonly progress: UploadProgress | undefined;
      readonly id: undefined;
      readonly error: undefined;
    }
  | {
      readonly status: "done";
      readonly progress: undefined;
      readonly id: string;
      readonly error: undefined;
    }
  | {
      readonly status: "failed";
      readonly progress: undefined;
      readonly id: undefined;
      readonly error: MediagateError;
    };

const NOTHING = { progress: undefined, id: undefined, error: undefined };
const IDLE: UploadState = { status: "idle", ...NOTHING };
export const UPLOADING: StartedState = { status: "uploading", ...NOTHING };

export interface UploadActions {
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
}

export type UploadObserver = Observer<UploadState> & UploadActions;

/**
 * Uploads one file at a time, with its progress. The end of the last subscription aborts the upload.
 *
 * @param source - The client. Without one, an upload fails with code `not_loaded`.
 */
export function observeUpload(source: MediaSource): UploadObserver {
  const client = new Source(source);
  let running = new AbortController();
  const subject = new Subject<UploadState>(IDLE, (signal) =>
    signal.addEventListener("abort", abort),
  );
  const abort = () => {
    running.abort();
    subject.change(IDLE);
  };
  const upload: UploadActions["upload"] = (file, options) => {
    running.abort();
    running = new AbortController();
    subject.change(UPLOADING);
    const { signal } = running;
    const show = (state: StartedState) => subject.change(state);
    return uploadFile(client, file, { ...options, signal }, show);
  };
  const { subscribe, getSnapshot } = subject;
  return { subscribe, getSnapshot, upload, abort };
}

/** Returns the id of the file; `undefined` if the upload failed or was aborted. */
export async function uploadFile(
  client: Source,
  file: UploadSource,
  options: UploadOptions & { signal: AbortSignal },
  show: (state: StartedState) => void,
): Promise<string | undefined> {
  const { signal } = options;
  const showUnlessAborted = (state: StartedState) => {
    if (!signal.aborted) show(state);
  };
  try {
    const media = await client.media(signal);
    const onProgress = ({ loaded, total }: UploadProgress) => {
      const progress = { loaded, total };
      showUnlessAborted({ ...NOTHING, status: "uploading", progress });
    };
    const id = await media.upload(file, { ...options, onProgress });
    showUnlessAborted({ ...NOTHING, status: "done", id });
    return id;
  } catch (failure) {
    const error = failure as MediagateError;
    showUnlessAborted({ ...NOTHING, status: "failed", error });
    return undefined;
  }
}
