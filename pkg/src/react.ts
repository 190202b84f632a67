"use client";
/**
 * `mediagate/react` has hooks for React 18 and newer, which is a peer dependency. Each uses an
 * observer of `mediagate/observers`, which works while the component is mounted. The functions that
 * they return are the same in each render.
 *
 * @module react
 */

import {
  createContext,
  createElement,
  type DependencyList,
  type ReactElement,
  type ReactNode,
  useContext,
  useInsertionEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import type { CapabilityName } from "./generated/capabilities.js";
import type { Media } from "./media.js";
import { UNCONNECTED } from "./observers/connection.js";
import { isSameTask } from "./observers/view.js";
import {
  type ConnectionActions,
  type ConnectionObserver,
  type ConnectionState,
  type GenerationActions,
  type GenerationOptions,
  type GenerationState,
  type HistoryActions,
  type HistoryState,
  type MediaSource,
  type Observer,
  observeConnection,
  observeGeneration,
  observeHistory,
  observePipeline,
  observeStoredTasks,
  observeTask,
  observeUpload,
  observeUploads,
  type PipelineView,
  type StoredOptions,
  type StoredState,
  type TaskView,
  type UploadActions,
  type UploadState,
  type UploadsActions,
  type UploadsState,
  type ViewActions,
} from "./observers.js";
import type { Pipeline } from "./pipeline.js";
import type { Task } from "./task.js";
import type { ConnectOptions } from "./types/calls.js";

export type * from "./observers.js";

export interface SourceOptions {
  /**
   * The client; `undefined` while there is none.
   *
   * @defaultValue the client of the {@link MediaProvider}
   */
  media?: MediaSource;
}

type Connect = (options: ConnectOptions) => Promise<Media>;

export interface MediaProviderProps {
  /** The `connect` of `mediagate`, or of another entry such as `mediagate/inline`. */
  connect: Connect;
  /** The options of `connect`. Its functions may be new in each render. */
  options: ConnectOptions;
  /** Further values that determine the client, such as the id of the user. */
  dependencies?: DependencyList | undefined;
  children?: ReactNode;
}

const SourceContext = createContext<ConnectionObserver | undefined>(undefined);

/** Connects to a gateway, for the hooks of the components in it. */
export function MediaProvider({
  connect,
  options,
  dependencies,
  children,
}: MediaProviderProps): ReactElement {
  const connection = useConnection(connect, options, dependencies);
  useObserver(connection);
  return createElement(SourceContext.Provider, { value: connection }, children);
}

/** Returns the client of the {@link MediaProvider}. */
export function useMedia(): ConnectionState & ConnectionActions;
/**
 * Connects to a gateway while the component is mounted. Another URL, and a change of the
 * dependencies, connect again. The functions among the options may be new in each render.
 *
 * @param connect - The `connect` of `mediagate`, or of another entry such as `mediagate/inline`.
 * @param options - The options of `connect`.
 * @param dependencies - Further values that determine the client, such as the id of the user: a
 * client is of one user.
 */
export function useMedia(
  connect: Connect,
  options: ConnectOptions,
  dependencies?: DependencyList,
): ConnectionState & ConnectionActions;
export function useMedia(
  connect?: Connect,
  options?: ConnectOptions,
  dependencies?: DependencyList,
): ConnectionState & ConnectionActions {
  const provided = useContext(SourceContext);
  const own = useConnection(connect, options, dependencies);
  const connection = (connect ? own : provided) ?? UNCONNECTED;
  // A part of the page that is hydrated late finds a connection that the server did not have.
  return useObserver(connection, UNCONNECTED.getSnapshot);
}

/**
 * Creates tasks of a capability, one at a time, and follows each. A reload of the tab restores the
 * last one.
 *
 * @param capability - The name of the capability, such as `image_to_video`.
 * @example
 * ```tsx
 * import { useGeneration } from "mediagate/react";
 *
 * export function Picture() {
 *   const { run, status, outputs, error } = useGeneration("text_to_image");
 *   if (status === "succeeded") return <img src={outputs[0]?.url} alt="a lighthouse" />;
 *   return (
 *     <button disabled={status === "running"} onClick={() => run({ prompt: "a lighthouse" })}>
 *       {error?.message ?? status}
 *     </button>
 *   );
 * }
 * ```
 */
export function useGeneration<Name extends CapabilityName>(
  capability: Name,
  { media, store, name }: SourceOptions & GenerationOptions = {},
): GenerationState & GenerationActions<Name> {
  const source = useSource(media);
  const make = () => observeGeneration(source, capability, { store, name });
  return useObserver(useHeld(make, [source, capability, store, name]));
}

/**
 * Follows a task. The component may restore it in each render: it is followed on while the id and the
 * client stay the same.
 */
export function useTask(task: Task | undefined): TaskView & ViewActions {
  const held = useSame(task);
  return useObserver(useHeld(() => observeTask(held), [held]));
}

/** Follows a pipeline, as {@link useTask} does a task. */
export function usePipeline(
  pipeline: Pipeline | undefined,
): PipelineView & ViewActions {
  const held = useSame(pipeline);
  return useObserver(useHeld(() => observePipeline(held), [held]));
}

/**
 * Uploads one file at a time, with its progress; `useUploads` is for several. Unmounting the
 * component aborts the upload.
 */
export function useUpload({
  media,
}: SourceOptions = {}): UploadState & UploadActions {
  const source = useSource(media);
  return useObserver(useHeld(() => observeUpload(source), [source]));
}

/**
 * Uploads any number of files, with the progress of each and of all. Unmounting the component
 * aborts the uploads.
 *
 * @example
 * ```tsx
 * import { useUploads } from "mediagate/react";
 *
 * export function Files() {
 *   const { files, progress, upload } = useUploads();
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
export function useUploads({
  media,
}: SourceOptions = {}): UploadsState & UploadsActions {
  const source = useSource(media);
  return useObserver(useHeld(() => observeUploads(source), [source]));
}

/**
 * Reads the history of the user, page by page.
 *
 * @param options - `limit`: the tasks and pipelines of a page, 50 by default.
 * @example
 * ```tsx
 * import { useHistory } from "mediagate/react";
 *
 * export function Tasks() {
 *   const { tasks, hasMore, loadMore } = useHistory();
 *   return (
 *     <>
 *       <ul>{tasks.map(({ id, title, state }) => <li key={id}>{title}: {state}</li>)}</ul>
 *       {hasMore && <button onClick={loadMore}>More</button>}
 *     </>
 *   );
 * }
 * ```
 */
export function useHistory({
  media,
  limit,
}: SourceOptions & { limit?: number | undefined } = {}): HistoryState &
  HistoryActions {
  const source = useSource(media);
  const make = () => observeHistory(source, { limit });
  return useObserver(useHeld(make, [source, limit]));
}

/**
 * Lists what a store has for the user, and follows its changes, also those of other tabs.
 *
 * @param options - `store`: by default the one of `useGeneration`; `running`: true to list the
 * creates that a tab is working on, too.
 */
export function useStoredTasks({
  media,
  store,
  running,
}: SourceOptions & StoredOptions = {}): StoredState {
  const source = useSource(media);
  const make = () => observeStoredTasks(source, { store, running });
  return useObserver(useHeld(make, [source, store, running]));
}

function useSource(media: MediaSource): MediaSource {
  const provided = useContext(SourceContext);
  return media ?? provided;
}

function useConnection(
  connect: Connect | undefined,
  options: ConnectOptions | undefined,
  dependencies: DependencyList = [],
): ConnectionObserver {
  const latest = useRef({ connect, options });
  // Before the effects of the components inside, which may connect.
  useInsertionEffect(() => {
    latest.current = { connect, options };
  });
  const make = () =>
    observeConnection(async ({ signal }) => {
      const { connect, options } = latest.current as MediaProviderProps;
      const newest = () => {
        const { token } = (latest.current as MediaProviderProps).options;
        return typeof token === "function" ? token() : (token ?? "");
      };
      const isFunction = typeof options.token === "function";
      const token = isFunction && { token: newest };
      return connect({ ...options, ...token, signal });
    }, {} as ConnectOptions);
  return useHeld(make, [String(options?.url), ...dependencies]);
}

/** Returns the same object as before for another one of the same task or pipeline. */
function useSame<Source extends Task | Pipeline>(
  source: Source | undefined,
): Source | undefined {
  const [held, hold] = useState(source);
  if (isSameTask(held, source)) return held;
  hold(source);
  return source;
}

/** Returns a value that stays the same until a part of its key changes. */
function useHeld<Value>(make: () => Value, key: readonly unknown[]): Value {
  const [held, hold] = useState(() => ({ key, value: make() }));
  const isSame =
    held.key.length === key.length &&
    held.key.every((part, index) => Object.is(part, key[index]));
  if (isSame) return held.value;
  const value = make();
  // React renders again at once, with what is held then.
  hold({ key, value });
  return value;
}

/** Returns the state of an observer with its functions. */
function useObserver<State extends object, Actions>(
  observer: Observer<State> & Actions,
  getInitial = observer.getSnapshot,
): State & Omit<Actions, keyof Observer<State>> {
  const { subscribe, getSnapshot, ...actions } = observer;
  const state = useSyncExternalStore(subscribe, getSnapshot, getInitial);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the functions are those of the observer
  return useMemo(() => ({ ...state, ...actions }), [state, observer]);
}
