/**
 * `mediagate/vue` has composables for Vue 3.4 and newer, which is a peer dependency. Each uses an
 * observer of `mediagate/observers`, which works while the component is mounted, and not on a
 * server. It returns a ref for each member of the state, and functions. An argument may be a ref or
 * a getter.
 *
 * @module vue
 */

import {
  type ComputedRef,
  computed,
  getCurrentInstance,
  hasInjectionContext,
  type InjectionKey,
  inject,
  type MaybeRefOrGetter,
  onMounted,
  type Plugin,
  shallowRef,
  toRaw,
  toValue,
  watch,
} from "vue";
import type { CapabilityName } from "./generated/capabilities.js";
import type { Media } from "./media.js";
import { UNCONNECTED } from "./observers/connection.js";
import { isSameTask } from "./observers/view.js";
import {
  type ConnectionActions,
  type ConnectionObserver,
  type ConnectionState,
  type GenerationActions,
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
  type StoredState,
  type StoreOption,
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

/** A ref for each member of a state. */
export type StateRefs<State> = {
  readonly [Name in Extract<keyof State, string>]: ComputedRef<State[Name]>;
};

export interface SourceOptions {
  /**
   * The client; `undefined` while there is none.
   *
   * @defaultValue the client of {@link createMediagate}
   */
  media?: MaybeRefOrGetter<MediaSource>;
}

type Connect = (options: ConnectOptions) => Promise<Media>;

const CONNECTION: InjectionKey<ComputedRef<ConnectionObserver>> =
  Symbol("mediagate");

/**
 * Makes a plugin that connects to a gateway once a component that needs a client is mounted:
 * `app.use(createMediagate(connect, { url }))`.
 *
 * @param connect - The `connect` of `mediagate`, or of another entry such as `mediagate/inline`.
 * @param options - The options of `connect`. A getter connects again if what it reads changes, such
 * as the user: a client is of one user.
 */
export function createMediagate(
  connect: Connect,
  options: MaybeRefOrGetter<ConnectOptions>,
): Plugin<[]> {
  const connection = connectionOf(connect, options);
  return { install: (app) => void app.provide(CONNECTION, connection) };
}

/** Returns the client of {@link createMediagate}. */
export function useMedia(): StateRefs<ConnectionState> & ConnectionActions;
/**
 * Connects to a gateway while the component is mounted. Give the client to other composables by
 * their option `media`.
 *
 * @param connect - As in {@link createMediagate}.
 * @param options - As in {@link createMediagate}.
 */
export function useMedia(
  connect: Connect,
  options: MaybeRefOrGetter<ConnectOptions>,
): StateRefs<ConnectionState> & ConnectionActions;
export function useMedia(
  connect?: Connect,
  options?: MaybeRefOrGetter<ConnectOptions>,
): StateRefs<ConnectionState> & ConnectionActions {
  const isOwn = connect !== undefined && options !== undefined;
  const connection = isOwn ? connectionOf(connect, options) : provided();
  return useObserver(() => connection?.value ?? UNCONNECTED);
}

/**
 * Creates tasks of a capability, one at a time, and follows each. A reload of the tab restores the
 * last one.
 *
 * @param capability - The name of the capability, such as `image_to_video`.
 * @param options - `store` and `name` as in `GenerationOptions`.
 * @example
 * ```vue
 * <script setup lang="ts">
 * import { useGeneration } from "mediagate/vue";
 *
 * const { run, status, outputs, error } = useGeneration("text_to_image");
 * </script>
 *
 * <template>
 *   <img v-if="status === 'succeeded'" :src="outputs[0]?.url" alt="a lighthouse" />
 *   <button v-else :disabled="status === 'running'" @click="run({ prompt: 'a lighthouse' })">
 *     {{ error?.message ?? status }}
 *   </button>
 * </template>
 * ```
 */
export function useGeneration<Name extends CapabilityName>(
  capability: MaybeRefOrGetter<Name>,
  {
    media,
    store,
    name,
  }: SourceOptions & {
    store?: MaybeRefOrGetter<StoreOption>;
    name?: MaybeRefOrGetter<string | undefined>;
  } = {},
): StateRefs<GenerationState> & GenerationActions<Name> {
  const source = useSource(media);
  return useObserver(() =>
    observeGeneration(source(), toValue(capability), {
      store: rawOf(store),
      name: toValue(name),
    }),
  );
}

/**
 * Follows a task. A getter may restore it again: it is followed on while the id and the client stay
 * the same.
 */
export function useTask(
  task: MaybeRefOrGetter<Task | undefined>,
): StateRefs<TaskView> & ViewActions {
  const held = heldOf(task);
  return useObserver(() => observeTask(held.value));
}

/** Follows a pipeline, as {@link useTask} does a task. */
export function usePipeline(
  pipeline: MaybeRefOrGetter<Pipeline | undefined>,
): StateRefs<PipelineView> & ViewActions {
  const held = heldOf(pipeline);
  return useObserver(() => observePipeline(held.value));
}

/**
 * Uploads one file at a time, with its progress; `useUploads` is for several. Unmounting the
 * component aborts the upload.
 */
export function useUpload({
  media,
}: SourceOptions = {}): StateRefs<UploadState> & UploadActions {
  const source = useSource(media);
  return useObserver(() => observeUpload(source()));
}

/**
 * Uploads any number of files, with the progress of each and of all. Unmounting the component
 * aborts the uploads.
 */
export function useUploads({
  media,
}: SourceOptions = {}): StateRefs<UploadsState> & UploadsActions {
  const source = useSource(media);
  return useObserver(() => observeUploads(source()));
}

/**
 * Reads the history of the user, page by page.
 *
 * @param options - `limit`: the tasks and pipelines of a page, 50 by default.
 */
export function useHistory({
  media,
  limit,
}: SourceOptions & {
  limit?: MaybeRefOrGetter<number | undefined>;
} = {}): StateRefs<HistoryState> & HistoryActions {
  const source = useSource(media);
  return useObserver(() => observeHistory(source(), { limit: toValue(limit) }));
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
}: SourceOptions & {
  store?: MaybeRefOrGetter<StoreOption>;
  running?: boolean;
} = {}): StateRefs<StoredState> {
  const source = useSource(media);
  return useObserver(() =>
    observeStoredTasks(source(), { store: rawOf(store), running }),
  );
}

function connectionOf(
  connect: Connect,
  options: MaybeRefOrGetter<ConnectOptions>,
): ComputedRef<ConnectionObserver> {
  // The copy reads each member, so that a change of one in a reactive object connects again.
  return computed(() => observeConnection(connect, { ...toValue(options) }));
}

function provided(): ComputedRef<ConnectionObserver> | undefined {
  return hasInjectionContext() ? inject(CONNECTION, undefined) : undefined;
}

function useSource(media: SourceOptions["media"]): () => MediaSource {
  const connection = provided();
  return () => rawOf(media) ?? connection?.value;
}

/** Returns a value without a reactive proxy, which would also be around everything in it. */
function rawOf<Value>(value: MaybeRefOrGetter<Value>): Value {
  return toRaw(toValue(value));
}

/** Returns the same object as before for another one of the same task or pipeline. */
function heldOf<Source extends Task | Pipeline>(
  source: MaybeRefOrGetter<Source | undefined>,
): ComputedRef<Source | undefined> {
  return computed<Source | undefined>((held) => {
    const next = rawOf(source);
    return isSameTask(held, next) ? held : next;
  });
}

/** Returns the state of the observer that `make` returns now, as refs, and its functions. */
function useObserver<State extends object, Actions>(
  make: () => Observer<State> & Actions,
): StateRefs<State> & Omit<Actions, keyof Observer<State>> {
  const current = computed(() => {
    const observer = make();
    return { observer, state: shallowRef(observer.getSnapshot()) };
  });
  const isActive = shallowRef(false);
  const begin = () => {
    isActive.value = true;
  };
  watch(
    () => (isActive.value ? current.value : undefined),
    (active, _, onCleanup) => {
      if (!active) return;
      const { observer, state } = active;
      const show = () => {
        state.value = observer.getSnapshot();
      };
      onCleanup(observer.subscribe(show));
      show();
    },
  );
  // Outside of a component, such as in a store of the app, it ends with the scope.
  if (getCurrentInstance()) onMounted(begin);
  else if (typeof document !== "undefined") begin();

  const { subscribe, getSnapshot, ...actions } = current.value.observer;
  const refs = Object.keys(getSnapshot()).map((name) => [
    name,
    computed(() => current.value.state.value[name as keyof State]),
  ]);
  const calls = Object.keys(actions).map((name) => [
    name,
    (...values: unknown[]) => {
      const { observer } = current.value;
      return (observer as unknown as Functions)[name]?.(...values);
    },
  ]);
  return Object.fromEntries([...refs, ...calls]);
}

type Functions = Record<string, (...values: unknown[]) => unknown>;
