/**
 * `mediagate/store` keeps tasks in IndexedDB, over reloads and tabs.
 *
 * @module store
 */

import type { Media, SavedTask, Task } from "./index.js";

/** The options of `openStore`. */
export interface StoreOptions {
  /**
   * The database's name, `mediagate` if left out. Tasks belong to whoever created them: where several people sign in on
   * one browser, give each a name of their own, such as `mediagate-${user.id}`.
   */
  name?: string;
  /** Is told where a task could not be kept, such as on a full disk; the create goes on without. */
  onError?: (error: unknown) => void;
}

/** Tasks that outlive the page. All tabs with the same name share them. */
export interface TaskStore {
  /** The same client, but each task that it creates is on the disk before `create` resolves. */
  keep(media: Media): Media;
  /** The tasks that are kept, of all tabs and all earlier pages, oldest first. Their states are to be looked at. */
  tasks(media: Media): Promise<Task[]>;
  /** Forgets a task, once its result is where it should be, or nobody wants it any more. */
  forget(task: Task | SavedTask): Promise<void>;
  /** Closes the database. */
  close(): void;
}

/**
 * Opens the store of open tasks, in IndexedDB.
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
