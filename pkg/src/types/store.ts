import type { MediagateError } from "../error.js";
import type {
  Capabilities,
  CapabilityMethods,
  CapabilityName,
  StepMethods,
} from "../generated/capabilities.js";
import type { Media } from "../media.js";
import type { Pipeline } from "../pipeline.js";
import type { Pipelines } from "../pipelines.js";
import type { Task } from "../task.js";
import type {
  CallOptions,
  CreateOptions,
  CreateState,
  PipelineOptions,
} from "./calls.js";
import type { HistoryEntry } from "./history.js";
import type { StepOptions } from "./pipeline.js";
import type { SavedTask } from "./task.js";

/** The options of `openStore`. */
export interface StoreOptions {
  /**
   * The name of the database. Several users of one browser can share it: each sees only what was
   * made with tokens of the same user.
   *
   * @defaultValue `"mediagate"`
   */
  name?: string | undefined;
  /**
   * Receives the error if a create or a task could not be stored, such as on a full disk. The
   * create goes on.
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
  /**
   * The most bytes of files that are stored in all. A file in several creates or values counts
   * once. A create with more is stored without its files, so that a reload during its uploads ends
   * it. `values.set` and `update` reject then.
   *
   * The limit keeps the browser from deleting all stored data, which it may do on a full disk.
   *
   * @defaultValue 1,000,000,000
   */
  maxTotalFileBytes?: number | undefined;
}

/** The options of a create whose task is stored. */
export interface StoredCreateOptions extends CreateOptions {
  /**
   * Anything of yours, stored beside the task: any value that `structuredClone` copies. A file that
   * is also in the input, or in other metadata, is stored once. If a create is repeated with its
   * key, the stored metadata stays.
   */
  metadata?: unknown;
}

/** The options of a start of a pipeline, which is stored until the pipeline is known. */
export interface StoredStartOptions extends PipelineOptions {
  /** Anything of yours, as in {@link StoredCreateOptions}. It is removed with the start. */
  metadata?: unknown;
}

/** The options of a create or a start that is resumed. */
export interface ResumeOptions
  extends CallOptions,
    Pick<CreateOptions, "onProgress" | "onState"> {}

/**
 * A stored task. `tasks` returns the same object until its stored data changes. Until this page
 * reads the task, its snapshot is the last that any page has read, without the progress.
 */
export type StoredTask = Task & {
  /** The `metadata` of its create, unless {@link TaskStore.update} has changed it. */
  readonly metadata?: unknown;
  /** The key of its create; absent for a task that was created elsewhere. */
  readonly idempotencyKey?: string | undefined;
  /** The input of its create, with ids instead of files; absent for a task created elsewhere. */
  readonly input?: Readonly<Record<string, unknown>> | undefined;
  /** The `title` of its input; absent without one. */
  readonly title?: string | undefined;
  /** The date and time of its create (RFC 3339). */
  readonly createdAt?: string | undefined;
  /** The date and time at which a page, or the gateway, first saw its end (RFC 3339). */
  readonly endedAt?: string | undefined;
};

/**
 * The status of an unfinished create: its state while any tab works on it. Otherwise `interrupted`
 * if it was not sent, and `unknown` if it may have made a task.
 */
export type CreateStatus = CreateState | "interrupted" | "unknown";

/** A task of the history, such as an entry of `media.tasks.list`. */
export type ListedTask = Pick<HistoryEntry, "id" | "capability" | "createdAt"> &
  Partial<HistoryEntry> & { readonly warnings?: readonly string[] | undefined };

/** The pipelines of a client whose starts are stored. */
export interface StoringPipelines extends Omit<Pipelines, "start"> {
  /**
   * Starts a pipeline as the client's own `start` does, with `metadata`. The start is on the disk
   * before it is sent, with its files until they are uploaded. It is removed once the pipeline is
   * known. The gateway's history lists the pipeline.
   */
  start(
    build: (builder: StepMethods<StepOptions>) => unknown,
    options?: StoredStartOptions,
  ): Promise<Pipeline>;
}

/** A client whose creates, tasks and starts of pipelines are stored. */
export interface StoringMedia
  extends Omit<
      Media,
      "create" | "pipelines" | keyof CapabilityMethods<Task, CreateOptions>
    >,
    CapabilityMethods<StoredTask, StoredCreateOptions> {
  readonly pipelines: StoringPipelines;
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

/**
 * A create that has not become a task yet: its page was closed before its outcome was known, or it
 * failed for a reason that may pass, such as a lost connection.
 */
export interface UnfinishedCreate {
  /**
   * The key of the create, as in the error with which it failed. Empty for a create of another
   * device whose response was lost: the history lists it, and its `input` has only the `title`.
   */
  readonly idempotencyKey: string;
  readonly capability: CapabilityName;
  /** The input, with the ids of files that were uploaded, and the files that were not. */
  readonly input: Readonly<Record<string, unknown>>;
  /** The date and time at which it began (RFC 3339). */
  readonly createdAt: string;
  /**
   * True if it may have been sent, so that its task may exist and may have cost credits.
   */
  readonly mayBeCharged: boolean;
  /**
   * True if {@link UnfinishedCreate.resume} can repeat the create. False if it may have been
   * charged more than 23 hours ago: the gateway no longer recognises it then. False if its files
   * were too large to store.
   */
  readonly resumable: boolean;
  readonly status: CreateStatus;
  /**
   * The error with which the last attempt has ended, without its `cause`; absent if the page was
   * left during the attempt.
   */
  readonly error?: MediagateError | undefined;
  /** The `metadata` of its call, unless {@link TaskStore.update} has changed it. */
  readonly metadata?: unknown;
  /**
   * Repeats the create with its key, for which the gateway makes at most one task. Files that were
   * not uploaded are uploaded, and the task is stored instead of the create.
   *
   * @param options - `onProgress` of the files, and the limits of the call, also of a wait for
   * another tab that is working on the create.
   * @returns The task; the stored one if another tab has resumed the create.
   * @throws {MediagateError} As a create, which stays stored if the reason may pass;
   * `invalid_argument` if it is not resumable, no longer stored, or another user's.
   */
  resume(options?: ResumeOptions): Promise<StoredTask>;
  /**
   * Ends the work on the create in any tab: its call there rejects with code `aborted`. A create
   * that was not sent is forgotten. Any other stays, with an unknown outcome.
   */
  cancel(): Promise<void>;
}

/** A step of a stored start. */
export interface StoredStep {
  readonly name: string;
  readonly capability: CapabilityName;
  /** The input, with the ids of files that were uploaded, and the files that were not. */
  readonly input: unknown;
}

/** A start of a pipeline that is not known yet, for the reasons of an {@link UnfinishedCreate}. */
export interface UnfinishedStart
  extends Omit<UnfinishedCreate, "capability" | "input" | "resume"> {
  readonly title?: string | undefined;
  readonly steps: readonly StoredStep[];
  /**
   * Repeats the start with its key, for which the gateway starts at most one pipeline. Files that
   * were not uploaded are uploaded.
   *
   * @param options - As in {@link UnfinishedCreate.resume}.
   * @throws {MediagateError} As a start, which stays stored if the reason may pass;
   * `invalid_argument` if it is not resumable, another user's, or no longer stored, such as after
   * another tab has resumed it.
   */
  resume(options?: ResumeOptions): Promise<Pipeline>;
}

/** A task, a create or a start of a store, or a task's `toJSON()`. */
export type StoredItem = Task | SavedTask | UnfinishedCreate | UnfinishedStart;

/**
 * Values of the app by keys, such as a half-filled form with its files. They are the browser's, and
 * not a user's: delete them when a user signs out. No value is removed by its age.
 */
export interface StoredValues {
  /** Reads a value; `undefined` if there is none. The type is not checked. */
  get<Value = unknown>(key: string): Promise<Value | undefined>;
  /** Reads the values whose keys begin with a prefix, or all, by their keys. */
  all<Value = unknown>(prefix?: string): Promise<Record<string, Value>>;
  /**
   * Stores all values or none. {@link TaskStore.subscribe} does not announce them.
   *
   * @param values - By their keys, anything that `structuredClone` copies. A file in an object or a
   * list is stored once, also if it is in other values, in inputs or in metadata.
   * @throws A `QuotaExceededError` if the files of the store would have more bytes than
   * `maxTotalFileBytes`, or the disk is full; a `DataCloneError` for a value such as a function.
   */
  set(values: Readonly<Record<string, unknown>>): Promise<void>;
  /** Deletes values, and the files that are stored nowhere else. */
  delete(keys: readonly string[]): Promise<void>;
}

/**
 * Stored creates and tasks, and values of the app. Tabs that open a store by the same name share
 * it. Each user sees only their own creates and tasks, which have an HMAC of the token's issuer and
 * subject. It does not reveal the user.
 *
 * The methods reject with the `DOMException` of IndexedDB if it fails, such as after `close`. A
 * method that reads the session or the gateway also rejects with any code of a read.
 */
export interface TaskStore {
  /**
   * Returns a client whose creates are stored. The given client stays as it is. Each create is on
   * the disk before it is sent, and its task before the call resolves. A create that fails for a
   * reason that may pass stays stored, and its error has the `idempotencyKey`. A new create is not
   * stored if its `signal` aborts it before it was sent, or if its `onState` fails for `sending`.
   * Files are uploaded before a wait for a task in the input, so that `uploading` comes first.
   */
  keep(media: Media | StoringMedia): StoringMedia;
  /**
   * Reads the stored tasks of the client's user, of all tabs and all earlier pages, oldest first.
   *
   * @returns The tasks. The `state` is `undefined` if no page has read it and the history has none.
   * @throws {MediagateError} If there is no session token to tell whose tasks to read, such as
   * `token_failed`.
   */
  tasks(media: Media | StoringMedia): Promise<StoredTask[]>;
  /**
   * Reads the creates of the client's user that did not become a task, oldest first, without those
   * that a tab is working on.
   *
   * @param options - `running`: true for those, too.
   * @throws {MediagateError} As {@link TaskStore.tasks}.
   */
  creates(
    media: Media | StoringMedia,
    options?: { running?: boolean | undefined },
  ): Promise<UnfinishedCreate[]>;
  /**
   * Reads the user's starts whose pipelines are not known yet, oldest first, without those
   * that a tab is working on.
   *
   * @param options - As in {@link TaskStore.creates}.
   * @throws {MediagateError} As {@link TaskStore.tasks}.
   */
  starts(
    media: Media | StoringMedia,
    options?: { running?: boolean | undefined },
  ): Promise<UnfinishedStart[]>;
  /**
   * Finds the task, or the unfinished create, of a key of the client's user.
   *
   * @returns The task, or the create without one, also if a tab is working on it: its `resume`
   * waits for that. `undefined` if neither is stored: it was refused or forgotten, or is another
   * user's.
   * @throws {MediagateError} As {@link TaskStore.tasks}.
   */
  find(
    media: Media | StoringMedia,
    idempotencyKey: string,
  ): Promise<StoredTask | UnfinishedCreate | undefined>;
  /**
   * Changes the metadata of tasks or creates, in one transaction: no change of another tab is lost.
   * An item that is no longer stored is left out.
   *
   * @param change - Returns the new metadata, and not a promise of it. It must not change its
   * argument. It may be called again if the connection to the database is lost. If it throws,
   * nothing is changed.
   * @throws A `QuotaExceededError`, as {@link StoredValues.set}.
   */
  update(
    items: StoredItem | readonly StoredItem[],
    change: (metadata: unknown) => unknown,
  ): Promise<void>;
  /**
   * Stores the tasks that the user has created elsewhere, on another device or before the browser's
   * data was cleared, as far as the gateway's history has them and `maxAgeDays` allows. Tasks that
   * were forgotten here do not come back, unless the gateway's `SEAL_SECRET` was rotated since,
   * which gives each task a new id. A task that a create of this browser may have made is not
   * listed beside that create.
   */
  sync(media: Media | StoringMedia, options?: CallOptions): Promise<void>;
  /**
   * Does for some tasks of the history what {@link TaskStore.sync} does for all: to show it page by
   * page, give each page of `media.tasks.list`.
   *
   * @param options - `metadata` of the tasks that were not stored, and the limits of the call.
   * @returns The number of tasks that were not stored before.
   */
  add(
    media: Media | StoringMedia,
    tasks: readonly ListedTask[],
    options?: CallOptions & { metadata?: unknown },
  ): Promise<number>;
  /**
   * Removes a task, once its result is saved or no longer needed, or a create that is not to be
   * resumed. The task itself goes on. So that the history does not bring the task back, a row stays
   * until `maxAgeDays`. It has the id of the task, or the title and the times of a create that may
   * have made a task.
   *
   * @param items - One or several.
   * @param options - `media`: also removes the items from the gateway's history, at most 20 in one
   * call. The others, those that still run, and those for which the gateway does not respond are
   * no error: they are removed when `sync` or `add` next finds them.
   */
  forget(
    items: StoredItem | readonly StoredItem[],
    options?: { media?: Media | StoringMedia },
  ): Promise<void>;
  /** Values of the app, such as a half-filled form. */
  readonly values: StoredValues;
  /** Reads the bytes of all stored files, which are at most `maxTotalFileBytes`. */
  fileBytes(): Promise<number>;
  /**
   * Calls a function after each change of a task or a create, by this tab or by another. Returns a
   * function that ends the calls.
   */
  subscribe(listener: () => void): () => void;
  /** Closes the database. Later calls reject with an `InvalidStateError`. */
  close(): void;
}
