/**
 * `mediagate/store` stores tasks in IndexedDB, so that they survive reloads and are shared by tabs.
 *
 * @module store
 */

import type { Media, SavedTask, Task } from "./index.js";

/** The options of `openStore`. */
export interface StoreOptions {
  /**
   * The name of the database. Tasks belong to the user that created them: where several users sign in on one browser,
   * give each another name, such as `mediagate-${user.id}`.
   *
   * @defaultValue `"mediagate"`
   */
  name?: string;
  /**
   * Receives the error where a task could not be stored, such as on a full disk. Its create succeeds all the same.
   *
   * @defaultValue none; such errors are dropped
   */
  onError?: (error: unknown) => void;
}

/** Stored tasks. All tabs with the same name share them. */
export interface TaskStore {
  /**
   * Wraps a client, so that each task that it creates is on the disk before `create`, or the method of a capability such
   * as `imageToVideo`, resolves.
   *
   * @param media - The client, which stays as it is.
   * @returns The same client, with a `create` and methods of capabilities that store.
   */
  keep(media: Media): Media;
  /**
   * Reads the stored tasks, of all tabs and all earlier pages, oldest first.
   *
   * @param media - The client that the tasks are restored for.
   * @returns The tasks. Their states are `undefined` until they are polled or awaited.
   * @throws The `DOMException` of IndexedDB, such as after `close`.
   */
  tasks(media: Media): Promise<Task[]>;
  /**
   * Removes a task, once its result is saved or no longer needed. The task itself goes on.
   *
   * @param task - A task of this store, or its `toJSON()`.
   * @throws The `DOMException` of IndexedDB, such as after `close`.
   */
  forget(task: Task | SavedTask): Promise<void>;
  /** Closes the database. */
  close(): void;
}

/**
 * Opens the store of tasks.
 *
 * @param options - `name` and `onError`.
 * @returns The store.
 * @throws The `DOMException` of IndexedDB, such as where the browser blocks storage.
 *
 * @example
 * ```js
 * import { connect } from "mediagate";
 * import { openStore } from "mediagate/store";
 *
 * const store = await openStore();
 * const media = store.keep(await connect({ url: "https://media.example.com", token: () => getSessionToken() }));
 * for (const task of await store.tasks(media)) {
 *   const { outputs } = await task.done();
 *   await save(outputs);
 *   await store.forget(task);
 * }
 * ```
 */
export function openStore(options?: StoreOptions): Promise<TaskStore>;
