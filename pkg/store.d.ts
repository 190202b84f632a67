/**
 * `mediagate/store` stores creates and tasks in IndexedDB, so that they survive reloads and are shared by tabs.
 *
 * @module store
 */

import type {
  CallOptions,
  Capabilities,
  CapabilityMethods,
  CapabilityName,
  CreateOptions,
  Media,
  SavedTask,
  Task,
} from "./index.js";

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
   * Receives the error where a create or a task could not be stored, such as on a full disk. The create goes on all the
   * same.
   *
   * @defaultValue none; such errors are dropped
   */
  onError?: (error: unknown) => void;
  /**
   * How many days a task or a create stays stored that is not forgotten. Opening the store removes older ones.
   *
   * @defaultValue 30
   */
  maxAgeDays?: number;
  /**
   * The most bytes of files that are stored for one create, until their uploads have ended. A create with more than that
   * cannot be resumed after a reload during its uploads; nothing is charged then.
   *
   * @defaultValue 100,000,000
   */
  maxFileBytes?: number;
}

/** The options of a create whose task is stored. */
export interface StoredCreateOptions extends CreateOptions {
  /** Anything of yours, stored beside the task: whatever `structuredClone` copies. */
  metadata?: unknown;
}

/** A stored task. */
export type StoredTask = Task & {
  /** What its create was called with. */
  readonly metadata?: unknown;
};

/** A client whose creates and tasks are stored. */
export interface StoringMedia
  extends Omit<Media, "create" | keyof CapabilityMethods<Task, CreateOptions>>,
    CapabilityMethods<StoredTask, StoredCreateOptions> {
  /** As the client's own, with `metadata`. The create is on the disk before it is sent, and its task before it resolves. */
  create<Name extends CapabilityName>(
    name: Name,
    input: Capabilities[Name],
    options?: StoredCreateOptions,
  ): Promise<StoredTask>;
}

/** A create whose outcome its page did not live to see. */
export interface UnfinishedCreate {
  /** The capability. */
  readonly capability: CapabilityName;
  /** Its input, with the ids of files that were uploaded, and the files that were not. */
  readonly input: Readonly<Record<string, unknown>>;
  /** When it began. */
  readonly createdAt: Date;
  /**
   * Whether it may have been sent, so that its task may exist and may have cost credits. Also where tasks in its input were
   * being waited for.
   */
  readonly mayBeCharged: boolean;
  /**
   * Whether {@link UnfinishedCreate.resume} can repeat it. Not where it may have been charged more than 23 hours ago: the
   * gateway no longer recognises it then. Not where its files were too large to store.
   */
  readonly isRepeatable: boolean;
  /** What it was called with. */
  readonly metadata?: unknown;
  /**
   * Repeats it with its own key, for which the gateway makes one task at most: its files are uploaded as far as they were
   * not, and the task is stored in its place.
   *
   * @param options - `signal`, and `timeout` in milliseconds.
   * @returns The task.
   * @throws {MediagateError} As a create; `invalid_argument` where it is not repeatable.
   */
  resume(options?: CallOptions): Promise<StoredTask>;
}

/** Stored creates and tasks. All tabs with the same name share them. */
export interface TaskStore {
  /**
   * Wraps a client, so that each create is on the disk before it is sent, and its task before `create`, or the method of a
   * capability such as `imageToVideo`, resolves.
   *
   * @param media - The client, which stays as it is.
   * @returns The same client, with a `create` and methods of capabilities that store.
   */
  keep(media: Media): StoringMedia;
  /**
   * Reads the stored tasks, of all tabs and all earlier pages, oldest first.
   *
   * @param media - The client that the tasks are restored for.
   * @returns The tasks. Their states are `undefined` until they are polled or awaited.
   * @throws The `DOMException` of IndexedDB, such as after `close`.
   */
  tasks(media: Media | StoringMedia): Promise<StoredTask[]>;
  /**
   * Reads the creates that did not become a task, such as since their page was closed, oldest first. Those that a tab is at
   * are not among them.
   *
   * @param media - The client that they are resumed with.
   * @returns The creates.
   * @throws The `DOMException` of IndexedDB, such as after `close`.
   */
  creates(media: Media | StoringMedia): Promise<UnfinishedCreate[]>;
  /**
   * Stores what the same user has created elsewhere, on another device or before the browser's data was cleared, as far as the
   * gateway's history has it and `maxAgeDays` allows. Tasks that were forgotten here do not come back, unless the gateway's
   * `SEAL_SECRET` was rotated since, which gives each task a new id.
   *
   * @param media - The client whose history is read.
   * @param options - `signal`, `timeout` in milliseconds for each page, `maxRetries` and `onRetry`.
   * @throws {MediagateError} Any code of a read; the `DOMException` of IndexedDB, such as after `close`.
   */
  sync(media: Media | StoringMedia, options?: CallOptions): Promise<void>;
  /**
   * Removes a task, once its result is saved or no longer needed, or a create that is not to be resumed. The task itself
   * goes on, and stays in the gateway's history: `media.forget` removes it there.
   *
   * @param item - A task or a create of this store, or a task's `toJSON()`.
   * @throws The `DOMException` of IndexedDB, such as after `close`.
   */
  forget(item: Task | SavedTask | UnfinishedCreate): Promise<void>;
  /**
   * Calls a function after each change of the store, by this tab or by another.
   *
   * @param listener - The function.
   * @returns A function that ends it.
   */
  subscribe(listener: () => void): () => void;
  /** Closes the database. */
  close(): void;
}

/**
 * Opens the store of tasks.
 *
 * @param options - `name`, `onError`, `maxAgeDays` and `maxFileBytes`.
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
 * for (const create of await store.creates(media)) if (create.isRepeatable) await create.resume();
 * for (const task of await store.tasks(media)) {
 *   const { outputs } = await task.done();
 *   await save(outputs);
 *   await store.forget(task);
 * }
 * ```
 */
export function openStore(options?: StoreOptions): Promise<TaskStore>;
