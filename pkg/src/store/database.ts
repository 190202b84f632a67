// The database of the store: an object store for tasks, one for creates that are not tasks yet, one
// for values of the app, and one for the files of all three.

import {
  type DBSchema,
  type IDBPDatabase,
  type IDBPTransaction,
  openDB,
} from "idb";
import type { ErrorMembers } from "../error.js";
import type { CapabilityName } from "../generated/capabilities.js";
import type { CreateState } from "../types/calls.js";
import type { SavedTask, TaskSnapshot } from "../types/task.js";
import { type Place, putBack, setId, withoutFiles } from "./files.js";

/** The key of a task: its id, or a number of the database for a result without an id. */
export type TaskKey = string | number;

/** The row of a task or a create. */
export interface Mark {
  readonly key: TaskKey;
  /** Absent for an item that is not of a store. */
  readonly owner?: string | undefined;
}

/** The members that the database adds to a row when it is stored. */
interface Stored {
  /** A random number, which changes with the row. */
  version?: number;
  /** The files of the row, which are stored beside it. */
  places?: readonly Place[];
}

export interface TaskRow extends Stored {
  key: TaskKey;
  /** The name of the user whose task it is. Rows without one are never used. */
  owner?: string | undefined;
  /** The time of the create, in milliseconds since 1970. */
  at: number;
  saved: SavedTask;
  metadata?: unknown;
  /** The idempotency key of the create; absent for a task of the history. */
  create?: string;
  /** The input of the create, with ids instead of files. */
  input?: Record<string, unknown>;
  title?: string | undefined;
  /** The time at which the end was first seen, in milliseconds since 1970. */
  endedAt?: number | undefined;
  /** The last snapshot that any page has read; absent before the first one. */
  snapshot?: TaskSnapshot | undefined;
  /** Present if the response to a create of another device was lost, so that there may be no task. */
  outcome?: "unknown" | undefined;
}

/** A task that was forgotten. Its row stays, so that the history does not bring the task back. */
export interface ForgottenTask extends Stored {
  key: TaskKey;
  owner?: string | undefined;
  at: number;
  saved?: undefined;
  /** True if it is also to be removed from the gateway's history, once it has ended. */
  everywhere?: boolean | undefined;
}

/** A create that is not a task yet, or the start of a pipeline that is not known yet. */
export interface CreateRow extends Stored {
  key: string;
  /** The name of the user whose create it is. Rows without one are never used. */
  owner?: string | undefined;
  /** The time at which it began, in milliseconds since 1970. */
  at: number;
  /** Absent for a start. */
  capability?: CapabilityName | undefined;
  /**
   * The fields of a create, or the `title` and the `steps` of a start. A file is a `Blob`, or
   * `undefined` if it was too large to store. After the request may have reached the gateway, it is
   * an id.
   */
  input: Record<string, unknown>;
  /** The files that were uploaded, by their places in the input. */
  uploads: Record<string, UploadedFile>;
  metadata?: unknown;
  /**
   * The time at which the create may first have reached the gateway, in milliseconds since 1970;
   * absent if it has not.
   */
  sentAt?: number | undefined;
  /** True if every file of the input is stored. */
  isWhole: boolean;
  /** What the last attempt does, or did when its page was left. */
  state?: CreateState | undefined;
  /** The error with which the last attempt has ended. */
  error?: ErrorMembers | undefined;
  isForgotten?: undefined;
}

/** A create that is not a task yet. */
export type TaskCreateRow = CreateRow & { capability: CapabilityName };

/** A create that may have made a task, and was forgotten. It recognises that in the history. */
export interface ForgottenCreate
  extends Stored,
    Pick<CreateRow, "key" | "owner" | "at" | "capability" | "sentAt"> {
  isForgotten: true;
  title: string | undefined;
  everywhere: boolean;
}

export interface UploadedFile {
  id: string;
  /** The time of the upload, in milliseconds since 1970. */
  at: number;
}

/** A value of the app. */
export interface ValueRow extends Stored {
  key: string;
  value: unknown;
}

interface Schema extends DBSchema {
  tasks: {
    key: TaskKey;
    value: TaskRow | ForgottenTask;
    indexes: { create: string; outcome: string; at: number };
  };
  creates: {
    key: string;
    value: CreateRow | ForgottenCreate;
    indexes: { at: number };
  };
  values: { key: string; value: ValueRow };
  files: { key: string; value: Blob };
  /** The salt of the names of users, which is random in each browser. */
  salts: { key: "owners"; value: Uint8Array };
}

type RowName = "tasks" | "creates" | "values";
type Names = (RowName | "files")[];
type Mode = "readonly" | "readwrite";

/** The rows in a transaction. Each has its files. */
export class Rows<In extends Mode = Mode> {
  constructor(
    protected readonly transaction: IDBPTransaction<Schema, Names, In>,
    /** The files that were read, by their ids: reading a file twice gives the same object. */
    protected readonly known: Map<string, WeakRef<Blob>>,
  ) {}

  async get<Name extends RowName>(
    name: Name,
    key: Schema[Name]["key"],
  ): Promise<Schema[Name]["value"] | undefined> {
    const row = await this.transaction.objectStore(name).get(key);
    return row && this.whole(row);
  }

  async all<Name extends RowName>(
    name: Name,
    range?: IDBKeyRange,
  ): Promise<Schema[Name]["value"][]> {
    const rows = await this.transaction.objectStore(name).getAll(range);
    return Promise.all(rows.map((row) => this.whole(row)));
  }

  /** Returns the keys of the tasks or the creates from before a time. */
  async keysBefore<Name extends "tasks" | "creates">(
    name: Name,
    time: number,
  ): Promise<Schema[Name]["key"][]> {
    const rows = this.transaction.objectStore<"tasks" | "creates">(name);
    return rows.index("at").getAllKeys(IDBKeyRange.upperBound(time, true));
  }

  /** Returns the bytes of all files. */
  async fileBytes(): Promise<number> {
    return sizeOf(await this.transaction.objectStore("files").getAll());
  }

  /**
   * Returns the task of a user's create; `undefined` if there is none. Several users may have used
   * the same key.
   */
  async taskOf(
    create: string,
    owner: string | undefined,
  ): Promise<TaskRow | undefined> {
    const tasks = this.transaction.objectStore("tasks");
    const rows = await tasks.index("create").getAll(create);
    const row = rows.find((row) => row.owner === owner);
    // A task that was forgotten has no create.
    return row && (this.whole(row) as Promise<TaskRow>);
  }

  /** Returns the tasks of other devices whose responses were lost. */
  async lost(): Promise<TaskRow[]> {
    const tasks = this.transaction.objectStore("tasks");
    const rows = await tasks.index("outcome").getAll("unknown");
    // A task that was forgotten has no outcome.
    return Promise.all(rows.map((row) => this.whole(row as TaskRow)));
  }

  /** Puts the files of a row into their places. One that is no longer stored is `undefined`. */
  private async whole<Row extends Stored>({
    places = [],
    ...members
  }: Row): Promise<Row> {
    const row = members as Row;
    for (const { path, id } of places) {
      const file = this.known.get(id)?.deref() ?? (await this.file(id));
      if (!file) continue;
      this.known.set(id, new WeakRef(file));
      putBack(row, path, file);
    }
    return row;
  }

  private async file(id: string): Promise<Blob | undefined> {
    const file = await this.transaction.objectStore("files").get(id);
    if (file) setId(file, id);
    return file;
  }
}

/** The rows in a transaction that changes them. */
export class Changes extends Rows<"readwrite"> {
  /** True if a task or a create was changed. */
  hasChanged = false;
  private hasUnusedFiles = false;

  constructor(
    transaction: IDBPTransaction<Schema, Names, "readwrite">,
    known: Map<string, WeakRef<Blob>>,
    private readonly maxFileBytes: number,
  ) {
    super(transaction, known);
  }

  /**
   * Stores a row. Returns it with its key, which the database makes for a row without one.
   *
   * @throws A `QuotaExceededError` if the files of all rows would be too large.
   */
  async put<Name extends RowName, Row extends Schema[Name]["value"]>(
    name: Name,
    row: Row,
  ): Promise<Row> {
    this.note(name);
    const { copy, places, files } = withoutFiles(row);
    const stored = { ...copy, version: Math.random() };
    await this.putFiles(files);
    const rows = this.transaction.objectStore(name);
    // A row that is replaced may have other files.
    const before = row.key === undefined ? undefined : await rows.get(row.key);
    if (before?.places?.some(({ id }) => !files.has(id)))
      this.hasUnusedFiles = true;
    const key = await rows.put(
      places.length > 0 ? { ...stored, places } : stored,
    );
    return { ...row, key, version: stored.version };
  }

  async delete<Name extends RowName>(
    name: Name,
    key: Schema[Name]["key"],
  ): Promise<void> {
    this.note(name);
    const rows = this.transaction.objectStore(name);
    const before = await rows.get(key);
    if (before?.places?.length) this.hasUnusedFiles = true;
    await rows.delete(key);
  }

  private note(name: RowName): void {
    // A form may store a value at each keystroke, and lists of tasks must not be read again then.
    if (name !== "values") this.hasChanged = true;
  }

  /** Deletes the files that no row has any more. */
  async end(): Promise<void> {
    if (!this.hasUnusedFiles) return;
    const used = new Set<string>();
    for (const name of ["tasks", "creates", "values"] as const)
      for (const { places = [] } of await this.transaction
        .objectStore(name)
        .getAll())
        for (const { id } of places) used.add(id);
    const files = this.transaction.objectStore("files");
    for (const id of await files.getAllKeys()) {
      if (used.has(id)) continue;
      this.known.delete(id);
      await files.delete(id);
    }
  }

  private async putFiles(files: ReadonlyMap<string, Blob>): Promise<void> {
    if (files.size === 0) return;
    const stored = this.transaction.objectStore("files");
    const keys = new Set(await stored.getAllKeys());
    const added = [...files].filter(([id]) => !keys.has(id));
    if (added.length === 0) return;
    const bytes = sizeOf(added.map(([, file]) => file));
    if (bytes + (await this.fileBytes()) > this.maxFileBytes)
      throw new DOMException(
        "the files are too large to store: raise maxTotalFileBytes, or delete some",
        "QuotaExceededError",
      );
    for (const [id, file] of added) {
      await stored.put(file, id);
      this.known.set(id, new WeakRef(file));
    }
  }
}

/** The stored tasks and creates. All tabs share them. */
export class Database {
  /** Dispatches `change` after each change by this tab or by another, and `cancel`. */
  private readonly events = new EventTarget();
  private readonly channel: BroadcastChannel;
  private readonly known = new Map<string, WeakRef<Blob>>();
  /** The connection, or its opening; `undefined` if there is none. */
  private connection: Promise<IDBPDatabase<Schema>> | undefined;
  private isClosed = false;

  private constructor(
    private readonly name: string,
    private readonly maxFileBytes: number,
  ) {
    this.channel = new BroadcastChannel(`mediagate.store.${name}`);
    this.channel.onmessage = ({ data }) => {
      if (typeof data === "string") this.dispatch("cancel", data);
      else this.dispatch("change");
    };
    // An open channel would keep a process of Node from ending, such as a unit test.
    (this.channel as { unref?: () => void }).unref?.();
  }

  /** @param maxFileBytes - The most bytes of the files of all rows. */
  static async open(name: string, maxFileBytes: number): Promise<Database> {
    const database = new Database(name, maxFileBytes);
    try {
      await database.use(async () => {});
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  }

  /** Returns the tasks that are not forgotten, oldest first: of a user, or without a name of all. */
  async tasks(owner?: string): Promise<TaskRow[]> {
    const rows = await this.read((rows) => rows.all("tasks"));
    return rows
      .filter((row): row is TaskRow => row.saved !== undefined)
      .filter((row) => owner === undefined || row.owner === owner)
      .sort((a, b) => a.at - b.at);
  }

  /** Returns the creates of a user, and the tasks of other devices whose responses were lost. */
  async creates(
    owner: string,
  ): Promise<{ own: TaskCreateRow[]; foreign: TaskRow[] }> {
    return this.read(async (rows) => ({
      own: (await unfinishedOf(rows, owner)).filter(
        (row): row is TaskCreateRow => row.capability !== undefined,
      ),
      foreign: (await rows.lost()).filter((row) => row.owner === owner),
    }));
  }

  /** Returns the starts of a user. */
  async starts(owner: string): Promise<CreateRow[]> {
    const rows = await this.read((rows) => unfinishedOf(rows, owner));
    return rows.filter((row) => row.capability === undefined);
  }

  /** Returns a create or a start that is not forgotten. */
  async create(key: string): Promise<CreateRow | undefined> {
    const row = await this.read((rows) => rows.get("creates", key));
    return row?.isForgotten ? undefined : row;
  }

  /** Returns the task of a user's create; `undefined` if there is none yet. */
  async taskOf(
    create: string,
    owner: string | undefined,
  ): Promise<TaskRow | undefined> {
    return this.read((rows) => rows.taskOf(create, owner));
  }

  async salt(): Promise<Uint8Array> {
    const salt = await this.use((database) => database.get("salts", "owners"));
    if (!salt) throw new DOMException("the store has no salt", "DataError");
    return salt;
  }

  /** Removes the tasks and the creates from before a time, in milliseconds since 1970. */
  async removeBefore(time: number): Promise<void> {
    // By keys: a page that opens the store does not wait until all its rows are read.
    const old = await this.read(async (rows) => ({
      tasks: await rows.keysBefore("tasks", time),
      creates: await rows.keysBefore("creates", time),
    }));
    if (old.tasks.length === 0 && old.creates.length === 0) return;
    await this.write(async (rows) => {
      for (const key of old.tasks) await rows.delete("tasks", key);
      for (const key of old.creates) await rows.delete("creates", key);
    });
  }

  /** Calls a function after each change by any tab. Returns a function that ends the calls. */
  subscribe(listener: () => void): () => void {
    // A function of its own, so that a listener may subscribe twice.
    const own = () => listener();
    this.events.addEventListener("change", own);
    return () => this.events.removeEventListener("change", own);
  }

  /** Notifies the subscribers of all tabs of a change. */
  announce(): void {
    this.dispatch("change");
    if (!this.isClosed) this.channel.postMessage(0);
  }

  /** Asks the other tabs to end their work on a create. */
  cancel(key: string): void {
    if (!this.isClosed) this.channel.postMessage(key);
  }

  /** Calls a function with the key of each create that another tab cancels. */
  onCancel(listener: (key: string) => void): void {
    this.events.addEventListener("cancel", (event) =>
      listener((event as CustomEvent<string>).detail),
    );
  }

  close(): void {
    this.isClosed = true;
    this.channel.close();
    this.connection?.then((database) => database.close()).catch(() => {});
  }

  read<Result>(
    work: (rows: Rows<"readonly">) => Promise<Result>,
  ): Promise<Result> {
    return this.use((database) =>
      work(new Rows(database.transaction(NAMES, "readonly"), this.known)),
    );
  }

  /** Runs a transaction, and returns its result when it is on the disk. */
  async write<Result>(
    work: (rows: Changes) => Promise<Result>,
  ): Promise<Result> {
    let hasChanged = false;
    const result = await this.use(async (database) => {
      const transaction = database.transaction(NAMES, "readwrite");
      const rows = new Changes(transaction, this.known, this.maxFileBytes);
      const change = async () => {
        try {
          const result = await work(rows);
          await rows.end();
          ({ hasChanged } = rows);
          return result;
        } catch (error) {
          abort(transaction);
          throw error;
        }
      };
      const [result] = await Promise.all([change(), transaction.done]);
      return result;
    });
    if (hasChanged) this.announce();
    return result;
  }

  /**
   * Does work in the database. iOS closes the connections of a page in the background. If a failure
   * may come from that, the work is tried once more on a new connection.
   */
  private async use<Result>(
    work: (database: IDBPDatabase<Schema>) => Promise<Result>,
  ): Promise<Result> {
    const connection = this.connect();
    try {
      return await work(await connection);
    } catch (error) {
      if (!isLost(error) || this.isClosed) throw error;
      this.drop(connection);
      return work(await this.connect());
    }
  }

  private connect(): Promise<IDBPDatabase<Schema>> {
    if (this.isClosed)
      return Promise.reject(
        new DOMException("the store is closed", "InvalidStateError"),
      );
    if (this.connection) return this.connection;
    const connection = openSchema(this.name);
    this.connection = connection;
    // A failed opening is not remembered.
    connection.catch(() => this.drop(connection));
    return connection;
  }

  /** Closes a connection. The next call opens another one. */
  private drop(connection: Promise<IDBPDatabase<Schema>>): void {
    if (this.connection === connection) this.connection = undefined;
    connection.then((database) => database.close()).catch(() => {});
  }

  private dispatch(type: "change" | "cancel", detail?: string): void {
    this.events.dispatchEvent(new CustomEvent(type, { detail }));
  }
}

async function unfinishedOf(rows: Rows, owner: string): Promise<CreateRow[]> {
  return (await rows.all("creates"))
    .filter((row): row is CreateRow => !row.isForgotten)
    .filter((row) => row.owner === owner);
}

const NAMES: Names = ["tasks", "creates", "values", "files"];

function sizeOf(files: readonly Blob[]): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}

/** Undoes a transaction, which may have failed already. */
function abort(transaction: { abort(): void; done: Promise<void> }): void {
  transaction.done.catch(() => {});
  try {
    transaction.abort();
  } catch {
    // It has ended.
  }
}

async function openSchema(name: string): Promise<IDBPDatabase<Schema>> {
  return openDB<Schema>(name, 4, {
    upgrade(database, oldVersion, _newVersion, transaction) {
      if (oldVersion < 1) {
        database.createObjectStore("tasks", {
          keyPath: "key",
          autoIncrement: true,
        });
        database.createObjectStore("creates", { keyPath: "key" });
      }
      if (oldVersion < 2) {
        const salt = crypto.getRandomValues(new Uint8Array(32));
        void database.createObjectStore("salts").put(salt, "owners");
      }
      if (oldVersion < 3) {
        database.createObjectStore("files");
        const tasks = transaction.objectStore("tasks");
        tasks.createIndex("create", "create");
        tasks.createIndex("outcome", "outcome");
      }
      if (oldVersion < 4) {
        database.createObjectStore("values", { keyPath: "key" });
        transaction.objectStore("tasks").createIndex("at", "at");
        transaction.objectStore("creates").createIndex("at", "at");
      }
    },
    // Another page that deletes or upgrades the database must not wait for this one.
    blocking: (_version, _newVersion, { target }) =>
      (target as IDBDatabase).close(),
  });
}

/**
 * Returns true if an error may come from a connection that the platform has closed: a transaction
 * that cannot begin or has ended early, or a lost server of the database.
 */
function isLost(error: unknown): boolean {
  const { name } = error as { name?: unknown };
  return (
    name === "InvalidStateError" ||
    name === "AbortError" ||
    name === "UnknownError"
  );
}
