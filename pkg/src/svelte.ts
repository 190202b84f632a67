/**
 * `mediagate/svelte` has stores for Svelte 4 and newer. Each has the state of an observer of
 * `mediagate/observers`, which works while something subscribes, and the observer's functions. For
 * another argument, make another store: `$derived(useTask(task))`, or without runes `$: view =
 * useTask(task)`.
 *
 * It imports nothing of Svelte. A package that does is bundled by Svelte's plugin, also for
 * Cloudflare, where the client needs its own entry.
 *
 * @module svelte
 */

import type { CapabilityName } from "./generated/capabilities.js";
import type { Media } from "./media.js";
import {
  type ConnectionActions,
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

/**
 * A store of Svelte's contract. On a server it has its first state, and starts nothing. In a
 * browser it starts after the present render, so that a page is hydrated as the server has sent it.
 */
export interface ObserverStore<State> extends Observer<State> {
  /** Calls a function with the present state, and with each later one. */
  subscribe(run: (state: State) => void): () => void;
}

export interface SourceOptions {
  /** The client, or the store of {@link useMedia}; `undefined` while there is none. */
  media: MediaSource;
}

/**
 * Connects to a gateway, once something subscribes to this store, or to another one that uses it. A
 * module may export it for all components. A client is of one user: make another store for another
 * user.
 *
 * @param connect - The `connect` of `mediagate`, or of another entry such as `mediagate/inline`.
 * @param options - The options of `connect`.
 */
export function useMedia(
  connect: (options: ConnectOptions) => Promise<Media>,
  options: ConnectOptions,
): ObserverStore<ConnectionState> & ConnectionActions {
  return storeOf(observeConnection(connect, options));
}

/**
 * Creates tasks of a capability, one at a time, and follows each. A reload of the tab restores the
 * last one.
 *
 * @param capability - The name of the capability, such as `image_to_video`.
 * @example
 * ```svelte
 * <script>
 *   import { connect } from "mediagate";
 *   import { useGeneration, useMedia } from "mediagate/svelte";
 *
 *   const media = useMedia(connect, { url: "https://media.example.com" });
 *   const generation = useGeneration("text_to_image", { media });
 * </script>
 *
 * {#if $generation.status === "succeeded"}
 *   <img src={$generation.outputs[0]?.url} alt="a lighthouse" />
 * {:else}
 *   <button
 *     disabled={$generation.status === "running"}
 *     onclick={() => generation.run({ prompt: "a lighthouse" })}
 *   >
 *     {$generation.error?.message ?? $generation.status}
 *   </button>
 * {/if}
 * ```
 */
export function useGeneration<Name extends CapabilityName>(
  capability: Name,
  { media, store, name }: SourceOptions & GenerationOptions,
): ObserverStore<GenerationState> & GenerationActions<Name> {
  return storeOf(observeGeneration(media, capability, { store, name }));
}

/** Follows a task until its end. */
export function useTask(
  task: Task | undefined,
): ObserverStore<TaskView> & ViewActions {
  return storeOf(observeTask(task));
}

/** Follows a pipeline, as {@link useTask} does a task. */
export function usePipeline(
  pipeline: Pipeline | undefined,
): ObserverStore<PipelineView> & ViewActions {
  return storeOf(observePipeline(pipeline));
}

/**
 * Uploads one file at a time, with its progress; `useUploads` is for several. The end of the
 * component aborts the upload, if it subscribes.
 */
export function useUpload({
  media,
}: SourceOptions): ObserverStore<UploadState> & UploadActions {
  return storeOf(observeUpload(media));
}

/**
 * Uploads any number of files, with the progress of each and of all. The end of the component
 * aborts the uploads, if it subscribes.
 */
export function useUploads({
  media,
}: SourceOptions): ObserverStore<UploadsState> & UploadsActions {
  return storeOf(observeUploads(media));
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
  limit?: number | undefined;
}): ObserverStore<HistoryState> & HistoryActions {
  return storeOf(observeHistory(media, { limit }));
}

/**
 * Lists what a store of `mediagate/store` has for the user, and follows its changes, also those of
 * other tabs.
 *
 * @param options - `store`: by default the one of `useGeneration`; `running`: true to list the
 * creates that a tab is working on, too.
 */
export function useStoredTasks({
  media,
  ...options
}: SourceOptions & StoredOptions): ObserverStore<StoredState> {
  return storeOf(observeStoredTasks(media, options));
}

function storeOf<State, Actions>(
  observer: Observer<State> & Actions,
): ObserverStore<State> & Actions {
  const subscribe = (run: (state: State) => void) => {
    let shown = observer.getSnapshot();
    run(shown);
    if (typeof document === "undefined") return () => {};
    const show = () => {
      const state = observer.getSnapshot();
      if (state === shown) return;
      shown = state;
      run(state);
    };
    const subscription = new AbortController();
    const { signal } = subscription;
    // Svelte subscribes while it hydrates, and the work may change the state at once.
    queueMicrotask(() => {
      if (signal.aborted) return;
      signal.addEventListener("abort", observer.subscribe(show));
      show();
    });
    return () => subscription.abort();
  };
  return { ...observer, subscribe };
}
