/**
 * `mediagate/react` has hooks for React 18 and newer, which is a peer dependency. They load no
 * WebAssembly: the client and the task that they take have.
 *
 * @module react
 */

import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { invalidArgument, MediagateError } from "./error.js";
import type { Followed } from "./followed.js";
import type { Media } from "./media.js";
import type { Pipeline } from "./pipeline.js";
import type { Task } from "./task.js";
import type {
  CallOptions,
  UploadOptions,
  UploadProgress,
  UploadSource,
} from "./types/calls.js";
import type { PipelineSnapshot } from "./types/pipeline.js";
import type { TaskSnapshot } from "./types/task.js";

/** The last snapshot of a task or a pipeline, and the error that ended its updates. */
export interface View<Snapshot> {
  /** The last snapshot; `undefined` while there is no task or pipeline. */
  readonly snapshot: Snapshot | undefined;
  /**
   * The reason why there are no more updates, such as `network` or `unauthenticated`; `undefined`
   * while there are. A task or a pipeline that ended in `FAILED` is a snapshot, not an error.
   */
  readonly error: MediagateError | undefined;
  /** Subscribes again, such as after an error. The function is the same in each render. */
  readonly retry: () => void;
}

/** The state of a task in a component. */
export type TaskView = View<TaskSnapshot>;

/** The state of a pipeline in a component. */
export type PipelineView = View<PipelineSnapshot>;

/**
 * Subscribes to a task while the component is mounted. The component may restore the task in each
 * render: the hook stays subscribed while the id and the client stay the same.
 *
 * @param task - The task; `undefined` while there is none.
 * @returns `{snapshot, error, retry}`: its last snapshot, the reason why there are no more updates,
 * and a function that subscribes again. The component renders again after each change of the first
 * two.
 * @example
 * ```tsx
 * import type { Task } from "mediagate";
 * import { useTask } from "mediagate/react";
 *
 * export function Progress({ task }: { task?: Task }) {
 *   const { snapshot, error, retry } = useTask(task);
 *   if (error) return <button onClick={retry}>{error.message}: try again</button>;
 *   return <progress value={snapshot?.progress} />;
 * }
 * ```
 */
export function useTask(task: Task | undefined): TaskView {
  return useUpdates(task);
}

/**
 * Subscribes to a pipeline while the component is mounted, as {@link useTask} does to a task.
 *
 * @param pipeline - The pipeline; `undefined` while there is none.
 * @returns `{snapshot, error, retry}`, as of a task.
 * @example
 * ```tsx
 * import type { Pipeline } from "mediagate";
 * import { usePipeline } from "mediagate/react";
 *
 * export function Steps({ film }: { film?: Pipeline }) {
 *   const { snapshot } = usePipeline(film);
 *   return <ul>{snapshot?.steps.map(({ name, state }) => <li key={name}>{name}: {state}</li>)}</ul>;
 * }
 * ```
 */
export function usePipeline(pipeline: Pipeline | undefined): PipelineView {
  return useUpdates(pipeline);
}

/** A task or a pipeline. */
interface Source<Snapshot> {
  readonly id: string;
  readonly snapshot: Snapshot;
  readonly followed: () => Followed<Snapshot>;
  updates(options: CallOptions): AsyncIterable<Snapshot>;
}

function useUpdates<Snapshot>(
  source: Source<Snapshot> | undefined,
): View<Snapshot> {
  const [attempt, setAttempt] = useState(0);
  const retry = useCallback(() => setAttempt((attempt) => attempt + 1), []);
  if (source && typeof source.followed !== "function")
    throw invalidArgument(
      "the hook takes a task or a pipeline, or undefined while there is none; " +
        "await the promise of a create before you pass its task",
    );
  const id = source?.id;
  const connection = source?.followed().connection;
  // Does not depend on the source, which a component may restore in each render.
  const subscription = useMemo(
    () => ({ id, connection, attempt }),
    [id, connection, attempt],
  );
  const [view, setView] = useState<{
    subscription?: object | undefined;
    snapshot?: Snapshot | undefined;
    error?: MediagateError | undefined;
  }>({});
  const latest = useRef(source);
  useEffect(() => {
    latest.current = source;
  });
  useEffect(() => {
    const { current: source } = latest;
    // A result that came without a task has no id, and no updates.
    if (!source || !subscription.id) return;
    const controller = new AbortController();
    const { signal } = controller;
    const show = (snapshot: Snapshot, error?: MediagateError) => {
      if (!signal.aborted) setView({ subscription, snapshot, error });
    };
    const follow = async () => {
      try {
        for await (const snapshot of source.updates({ signal })) show(snapshot);
      } catch (error) {
        show(source.snapshot, error as MediagateError);
      }
    };
    void follow();
    return () => controller.abort();
  }, [subscription]);
  // The state of a hook outlives a change of the task.
  const own = view.subscription === subscription ? view : undefined;
  return {
    snapshot: own?.snapshot ?? source?.snapshot,
    error: own?.error,
    retry,
  };
}

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

/** The state of an upload that was started. */
type StartedState = Exclude<UploadState, { readonly status: "idle" }>;

/** The state of an upload, and the functions that start and abort it. */
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
 * Uploads one file at a time, with its progress; {@link useUploads} is for several. Unmounting the
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

/** One file of {@link useUploads}, with the state of its upload. */
export type ListedUpload = StartedState & {
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
  readonly progress: UploadProgress;
  /** True if any file is being uploaded. */
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
 * @returns The files with their states, and the functions that upload more and remove them.
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
    setFiles((files) => files.filter((file) => !isRemoved(file.key)));
  }, []);

  const uploadOne = useCallback(
    async (
      { key, file }: ListedUpload,
      options: UploadOptions | undefined,
    ): Promise<string | undefined> => {
      const controller = new AbortController();
      running.current.set(key, controller);
      const show = (state: StartedState) =>
        setFiles((files) =>
          files.map((listed) =>
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
      const listed = Array.from(added, (file): ListedUpload => {
        lastKey += 1;
        return { key: lastKey, file, status: "uploading" };
      });
      setFiles((files) => [...files, ...listed]);
      return Promise.all(listed.map((upload) => uploadOne(upload, options)));
    },
    [uploadOne],
  );
  return useMemo(
    () => ({ files, ...totalOf(files), upload, remove }),
    [files, upload, remove],
  );
}

/**
 * Uploads a file, and shows the states of the upload until the signal is aborted.
 *
 * @returns The id of the file; `undefined` if the upload failed or was aborted.
 */
async function uploadFile(
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
        message: "no client yet; give the hook the result of connect",
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

/** Returns the progress of all files that have not failed. */
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
