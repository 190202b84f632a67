/**
 * `mediagate/solid` has functions for components of Solid 1.8 and newer, which is a peer dependency.
 * Each uses an observer of `mediagate/observers`, which works while the component is mounted. They
 * return an object whose members are reactive, like props: only its functions can be destructured.
 *
 * @module solid
 */

import {
  type Accessor,
  createComponent,
  createContext,
  createEffect,
  createMemo,
  createSignal,
  type JSX,
  onCleanup,
  untrack,
  useContext,
} from "solid-js";
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

/** A value, or a function that returns it and may read signals. */
export type MaybeAccessor<Value> = Value | Accessor<Value>;

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
  /** The options of `connect`. A change of a signal that they read connects again. */
  options: ConnectOptions;
  children?: JSX.Element;
}

const SourceContext = createContext<Accessor<ConnectionObserver>>();

/** Connects to a gateway, for the functions of the components in it. */
export function MediaProvider(props: MediaProviderProps): JSX.Element {
  const value = createMemo(() => connectionOf(props.connect, props.options));
  createObserved(value);
  return createComponent(SourceContext.Provider, {
    value,
    get children() {
      return props.children;
    },
  });
}

/** Returns the client of the {@link MediaProvider}. */
export function useMedia(): ConnectionState & ConnectionActions;
/**
 * Connects to a gateway until the component is cleaned up.
 *
 * @param connect - The `connect` of `mediagate`, or of another entry such as `mediagate/inline`.
 * @param options - The options of `connect`. A change of a signal that the accessor reads connects
 * again. A client is of one user, so the accessor reads the signal of the user.
 */
export function useMedia(
  connect: Connect,
  options: MaybeAccessor<ConnectOptions>,
): ConnectionState & ConnectionActions;
export function useMedia(
  connect?: Connect,
  options: MaybeAccessor<ConnectOptions> = {} as ConnectOptions,
): ConnectionState & ConnectionActions {
  const provided = useContext(SourceContext);
  if (connect)
    return createObserved(() => connectionOf(connect, access(options)));
  return createObserved(provided ?? (() => UNCONNECTED));
}

/**
 * Creates tasks of a capability, one at a time, and follows each. A reload of the tab restores the
 * last one.
 *
 * @param capability - The name of the capability, such as `image_to_video`.
 */
export function useGeneration<Name extends CapabilityName>(
  capability: MaybeAccessor<Name>,
  options: MaybeAccessor<SourceOptions & GenerationOptions> = {},
): GenerationState & GenerationActions<Name> {
  const source = useSource(options);
  const held = createMemo(() => access(capability));
  const store = createMemo(() => access(options).store);
  const name = createMemo(() => access(options).name);
  return createObserved(() =>
    observeGeneration(source(), held(), { store: store(), name: name() }),
  );
}

/**
 * Follows a task. The accessor may restore it: it is followed on while the id and the client stay
 * the same.
 */
export function useTask(
  task: Accessor<Task | undefined>,
): TaskView & ViewActions {
  const held = createMemo(task, undefined, { equals: isSameTask });
  return createObserved(() => observeTask(held()));
}

/** Follows a pipeline, as {@link useTask} does a task. */
export function usePipeline(
  pipeline: Accessor<Pipeline | undefined>,
): PipelineView & ViewActions {
  const held = createMemo(pipeline, undefined, { equals: isSameTask });
  return createObserved(() => observePipeline(held()));
}

/**
 * Uploads one file at a time, with its progress; {@link useUploads} is for several. The cleanup of
 * the component aborts the upload.
 */
export function useUpload(
  options: MaybeAccessor<SourceOptions> = {},
): UploadState & UploadActions {
  const source = useSource(options);
  return createObserved(() => observeUpload(source()));
}

/**
 * Uploads any number of files, with the progress of each and of all. The cleanup of the component
 * aborts the uploads.
 */
export function useUploads(
  options: MaybeAccessor<SourceOptions> = {},
): UploadsState & UploadsActions {
  const source = useSource(options);
  return createObserved(() => observeUploads(source()));
}

/**
 * Reads the history of the user, page by page.
 *
 * @param options - `limit`: the tasks and pipelines of a page, 50 by default.
 */
export function useHistory(
  options: MaybeAccessor<SourceOptions & { limit?: number | undefined }> = {},
): HistoryState & HistoryActions {
  const source = useSource(options);
  const limit = createMemo(() => access(options).limit);
  return createObserved(() => observeHistory(source(), { limit: limit() }));
}

/**
 * Lists what a store has for the user, and follows its changes, also those of other tabs.
 *
 * @param options - `store`: by default the one of {@link useGeneration}; `running`: true to list
 * the creates that a tab is working on, too.
 */
export function useStoredTasks(
  options: MaybeAccessor<SourceOptions & StoredOptions> = {},
): StoredState {
  const source = useSource(options);
  const store = createMemo(() => access(options).store);
  const running = createMemo(() => access(options).running);
  return createObserved(() =>
    observeStoredTasks(source(), { store: store(), running: running() }),
  );
}

function useSource(
  options: MaybeAccessor<SourceOptions>,
): Accessor<MediaSource> {
  const provided = useContext(SourceContext);
  return createMemo(() => access(options).media ?? provided?.());
}

function connectionOf(connect: Connect, options: ConnectOptions) {
  // Copied, so that all signals are read here, and not when it connects.
  return observeConnection(connect, { ...options });
}

function access<Value extends object | string>(
  value: MaybeAccessor<Value>,
): Value {
  return typeof value === "function" ? value() : value;
}

/**
 * Returns an object with the members of the state, which are reactive, and with the functions.
 *
 * @param make - Makes the observer, again after each change of a signal that it reads.
 */
function createObserved<State extends object, Actions extends object>(
  make: () => Observer<State> & Actions,
): State & Omit<Actions, keyof Observer<State>> {
  const observer = createMemo(make);
  const [changed, change] = createSignal(undefined, { equals: false });
  const state = createMemo(() => {
    changed();
    return observer().getSnapshot();
  });
  createEffect(() => {
    const { subscribe } = observer();
    onCleanup(untrack(() => subscribe(change)));
    // The state may have changed since it was rendered.
    change();
  });
  const observed = {};
  const define = (name: string, property: PropertyDescriptor) =>
    Object.defineProperty(observed, name, { ...property, enumerable: true });
  untrack(() => {
    const { subscribe, getSnapshot, ...actions } = observer();
    for (const name of Object.keys(getSnapshot()) as (keyof State & string)[])
      define(name, { get: createMemo(() => state()[name]) });
    for (const name of Object.keys(actions) as (keyof Actions & string)[])
      define(name, {
        value: (...values: unknown[]) =>
          untrack(() => (observer()[name] as Action)(...values)),
      });
  });
  return observed as State & Omit<Actions, keyof Observer<State>>;
}

type Action = (...values: unknown[]) => unknown;
