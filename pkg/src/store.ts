/**
 * `mediagate/store` stores creates and tasks in IndexedDB, so that they survive reloads and are
 * shared by tabs.
 *
 * @module store
 */

import { aborted, type Outcome } from "./error.js";
import type {
  Capabilities,
  CapabilityMethods,
  CapabilityName,
} from "./generated/capabilities.js";
import { checkGlobals } from "./globals.js";
import type { Media } from "./media.js";
import { checkKey, type Limits, remaining } from "./options.js";
import {
  Attempt,
  isRepeatable,
  newRow,
  notRepeatable,
  notStored,
} from "./store/creates.js";
import {
  type CreateRow,
  Database,
  type TaskKey,
  type TaskRow,
} from "./store/database.js";
import { heldLocks, withLock } from "./store/locks.js";
import type { Task } from "./task.js";
import type { CallOptions, CreateOptions } from "./types/calls.js";
import type { HistoryEntry } from "./types/history.js";
import type { SavedTask } from "./types/task.js";

/** The options of `openStore`. */
export interface StoreOptions {
  /**
   * The name of the database. A task can only be used by the user that created it. If several users
   * sign in on one browser, give each another name, such as `mediagate-${user.id}`.
   *
   * @defaultValue `"mediagate"`
   */
  name?: string | undefined;
  /**
   * Receives the error if a create or a task could not be stored, such as on a full disk. The
   * create goes on.
   *
   * @defaultValue none; such errors are dropped
   */
  onError?: ((error: unknown) => void) | undefined;
  /**
   * The days for which a task or a create stays stored unless it is forgotten. Opening the store
   * removes older ones.
   *
   * @defaultValue 30
   */
  maxAgeDays?: number | undefined;
  /**
   * The most bytes of files that are stored for one create, until their uploads have ended. A
   * create with more than that cannot be resumed after a reload during its uploads; nothing is
   * charged then.
   *
   * @defaultValue 100,000,000
   */
  maxFileBytes?: number | undefined;
}

/** The options of a create whose task is stored. */
export interface StoredCreateOptions extends CreateOptions {
  /** Anything of yours, stored beside the task: any value that `structuredClone` copies. */
  metadata?: unknown;
}

/** A stored task. */
export type StoredTask = Task & {
  /** The `metadata` of its create. */
  readonly metadata?: unknown;
};

/** A client whose creates and tasks are stored. */
export interface StoringMedia
  extends Omit<Media, "create" | keyof CapabilityMethods<Task, CreateOptions>>,
    CapabilityMethods<StoredTask, StoredCreateOptions> {
  /**
   * Creates a task as the client's own `create` does, with `metadata`. The create is on the disk
   * before it is sent, and its task before the promise resolves.
   */
  create<Name extends CapabilityName>(
    name: Name,
    input: Capabilities[Name],
    options?: StoredCreateOptions,
  ): Promise<StoredTask>;
}

/** A create whose page was closed before its outcome was known. */
export interface UnfinishedCreate {
  /** The capability. */
  readonly capability: CapabilityName;
  /** The input, with the ids of files that were uploaded, and the files that were not. */
  readonly input: Readonly<Record<string, unknown>>;
  /** The date and time at which it began (RFC 3339). */
  readonly createdAt: string;
  /**
   * True if it may have been sent, so that its task may exist and may have cost credits. Also true
   * if the create was waiting for tasks in its input.
   */
  readonly mayBeCharged: boolean;
  /**
   * True if {@link UnfinishedCreate.resume} can repeat the create. False if it may have been
   * charged more than 23 hours ago: the gateway no longer recognises it then. False if its files
   * were too large to store.
   */
  readonly resumable: boolean;
  /** The `metadata` of its call. */
  readonly metadata?: unknown;
  /**
   * Repeats the create with its key, for which the gateway makes at most one task. Files that were
   * not uploaded are uploaded, and the task is stored instead of the create.
   *
   * @param options - The limits of the call.
   * @returns The task; the stored one if another tab has resumed the create.
   * @throws {MediagateError} As a create; `invalid_argument` if it is not resumable, or no longer
   * stored; the `DOMException` of IndexedDB, such as after `close`.
   */
  resume(options?: CallOptions): Promise<StoredTask>;
}

/** Stored creates and tasks. Tabs that open a store by the same name share it. */
export interface TaskStore {
  /**
   * Wraps a client. Each create is on the disk before it is sent, and its task before `create`, or
   * the method of a capability such as `imageToVideo`, resolves.
   *
   * @param media - The client, which stays as it is.
   * @returns The same client, except that its `create` and the methods of capabilities store.
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
   * Reads the creates that did not become a task, for example because their page was closed, oldest
   * first. Creates that a tab is working on are left out.
   *
   * @param media - The client that they are resumed with.
   * @returns The creates.
   * @throws The `DOMException` of IndexedDB, such as after `close`.
   */
  creates(media: Media | StoringMedia): Promise<UnfinishedCreate[]>;
  /**
   * Stores the tasks that the user has created elsewhere, on another device or before the browser's
   * data was cleared, as far as the gateway's history has them and `maxAgeDays` allows. Tasks that
   * were forgotten here do not come back, unless the gateway's `SEAL_SECRET` was rotated since,
   * which gives each task a new id.
   *
   * @param media - The client whose history is read.
   * @param options - `signal`, `timeout` in milliseconds for each page, `maxRetries` and `onRetry`.
   * @throws {MediagateError} Any code of a read; the `DOMException` of IndexedDB, such as after
   * `close`.
   */
  sync(media: Media | StoringMedia, options?: CallOptions): Promise<void>;
  /**
   * Removes a task, once its result is saved or no longer needed, or a create that is not to be
   * resumed. The task itself goes on, and stays in the gateway's history: `media.tasks.forget`
   * removes it there.
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

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * The member of a task or a create that has its key in the database. It is a property, and not an
 * entry of a `WeakMap`, because a framework may put a proxy around the object.
 */
const KEY = Symbol("key");

/** The member of a storing client that has the client itself. */
const CLIENT = Symbol("client");

/**
 * Opens the store of tasks.
 *
 * @param options - `name`, `onError`, `maxAgeDays` and `maxFileBytes`.
 * @returns The store.
 * @throws {MediagateError} `load_failed` if the platform has no IndexedDB.
 * @throws The `DOMException` of IndexedDB, such as if the browser blocks storage.
 * @example
 * ```js
 * import { connect } from "mediagate";
 * import { openStore } from "mediagate/store";
 *
 * const store = await openStore();
 * const media = store.keep(await connect({ url: "https://media.example.com", token: () => getSessionToken() }));
 * for (const create of await store.creates(media)) if (create.resumable) await create.resume();
 * for (const task of await store.tasks(media)) {
 *   const { outputs } = await task.done();
 *   await save(outputs);
 *   await store.forget(task);
 * }
 * ```
 */
export async function openStore({
  name = "mediagate",
  onError = () => {},
  maxAgeDays = 30,
  maxFileBytes = 100_000_000,
}: StoreOptions = {}): Promise<TaskStore> {
  checkGlobals(["indexedDB", "BroadcastChannel"]);
  const database = await Database.open(name);
  const oldest = () => Date.now() - maxAgeDays * DAY_MS;
  await database.removeBefore(oldest()).catch(onError);

  /** The prefix of the locks. A tab has a create's lock while it works on the create. */
  const lockPrefix = `mediagate.store.${name} `;
  /** The creates that this tab works on, by their keys. */
  const running = new Map<string, Promise<StoredTask>>();

  /** Records that this tab works on a create until its promise settles. */
  function track(key: string, work: Promise<StoredTask>): Promise<StoredTask> {
    const tracked = work.finally(() => running.delete(key));
    running.set(key, tracked);
    return tracked;
  }

  /** Sends a create, whose lock this tab holds. */
  async function send(
    media: Media,
    row: CreateRow,
    limits: Limits,
  ): Promise<StoredTask> {
    const attempt = new Attempt(database, media, row, limits, onError);
    const { task, key } = await attempt.run();
    return marked(task, key, row.metadata);
  }

  /** Sends a new create, or a create that the caller repeats with its key. */
  async function sendNew(
    media: Media,
    row: CreateRow,
    limits: Limits,
  ): Promise<StoredTask> {
    // If the database fails, the attempt reports the error when it stores the row.
    const known = await database.create(row.key).catch(() => undefined);
    // An earlier attempt may have been charged, even if this one is not sent.
    const { at, isSent } = known ?? row;
    return send(media, { ...row, at, isSent }, limits);
  }

  /**
   * Returns the task of a stored create, which is sent again if no tab has done so. The row is read
   * here, because another tab may have changed it since the caller has listed the create.
   */
  async function repeat(
    media: Media,
    key: string,
    limits: Limits,
  ): Promise<StoredTask> {
    const tasks = await database.tasks();
    const known = tasks.find((task) => task.create === key);
    if (known) return restored(media, known);
    const row = await database.create(key);
    if (!row) throw notStored();
    if (!isRepeatable(row)) throw notRepeatable(row);
    return send(media, row, limits);
  }

  /**
   * Works on a create while no other tab does.
   *
   * @param key - The key of the create.
   * @param limits - The limits of the work and of the wait for another tab.
   * @param outcome - The outcome of the create if the wait is aborted.
   * @param work - Does the work within the limits that are left.
   */
  function exclusively(
    key: string,
    limits: Limits,
    outcome: Outcome,
    work: (limits: Limits) => Promise<StoredTask>,
  ): Promise<StoredTask> {
    const { signal } = limits;
    const start = Date.now();
    return withLock(`${lockPrefix}${key}`, signal, async () => {
      if (signal?.aborted) throw aborted(signal, { outcome });
      return work(remaining(limits, start));
    });
  }

  return {
    keep(media) {
      const create: StoringMedia["create"] = async (
        capability,
        input,
        options,
      ) => {
        const outcome = "not_sent";
        const limits = media.scope().check(options, { outcome });
        const key = checkKey(options);
        const row = await newRow(media, capability, input, {
          key,
          metadata: options?.metadata,
          maxFileBytes,
        });
        // An input that is not valid is an error of the client's own create.
        if (!row) return media.create(capability, input, options);
        const created = exclusively(key, limits, outcome, (left) =>
          sendNew(media, row, left),
        );
        return track(key, created);
      };
      return Object.create(media, {
        create: { value: create },
        [CLIENT]: { value: media },
      });
    },
    async tasks(media) {
      const rows = await database.tasks();
      return rows.map((row) => restored(media, row));
    },
    async creates(media) {
      const rows = await database.creates();
      const held = await heldLocks(lockPrefix);
      const client = clientOf(media);
      const resume = async (row: CreateRow, options?: CallOptions) => {
        const outcome = row.isSent ? "unknown" : "not_sent";
        const limits = client.scope().check(options, { outcome });
        // If the wait is aborted, another tab works on the create, and its outcome is not known
        // here.
        return exclusively(row.key, limits, "unknown", (left) =>
          repeat(client, row.key, left),
        );
      };
      const unfinished = (row: CreateRow): UnfinishedCreate => ({
        capability: row.capability,
        input: row.input,
        createdAt: new Date(row.at).toISOString(),
        mayBeCharged: row.isSent,
        resumable: isRepeatable(row),
        resume: async (options) =>
          running.get(row.key) ?? track(row.key, resume(row, options)),
      });
      return rows
        .filter((row) => !running.has(row.key) && !held.has(row.key))
        .map((row) => marked(unfinished(row), row.key, row.metadata));
    },
    async sync(media, options) {
      const found: HistoryEntry[] = [];
      for await (const entry of media.tasks.list({ ...options, limit: 100 })) {
        // The entries are sorted by their dates.
        const at = Date.parse(entry.createdAt);
        if (at < oldest()) break;
        if (Number.isNaN(at)) continue;
        // If the response to a create was lost, there may be no task.
        if (entry.outcome === undefined) found.push(entry);
      }
      await database.addTasks(found);
    },
    async forget(item) {
      const key = await keyOf(database, item);
      if (key !== undefined) await database.forget(key);
    },
    subscribe: (listener) => database.subscribe(listener),
    close: () => database.close(),
  };
}

/** Returns the client itself, whose creates are not stored. */
function clientOf(media: Media | StoringMedia): Media {
  const { [CLIENT]: client } = media as { [CLIENT]?: Media };
  return client ?? (media as Media);
}

function restored(media: Media | StoringMedia, row: TaskRow): StoredTask {
  return marked(media.tasks.restore(row.saved), row.key, row.metadata);
}

/** Gives a task or a create its key and its metadata, which a console and JSON do not show. */
function marked<Item extends object>(
  item: Item,
  key: TaskKey,
  metadata: unknown,
): Item & { readonly metadata?: unknown } {
  return Object.defineProperties(item, {
    [KEY]: { value: key, configurable: true },
    metadata: { value: metadata, configurable: true },
  });
}

/** Returns the key of a task or a create, or of the saved form of a task. */
async function keyOf(
  database: Database,
  item: Task | SavedTask | UnfinishedCreate,
): Promise<TaskKey | undefined> {
  const { [KEY]: key, id } = item as { [KEY]?: TaskKey; id?: string };
  const own = key ?? id;
  // The id of a result that came without a task is empty.
  if (own) return own;
  const text = JSON.stringify(item);
  const tasks = await database.tasks();
  return tasks.find((task) => JSON.stringify(task.saved) === text)?.key;
}
