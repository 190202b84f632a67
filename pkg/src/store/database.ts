// The database of the store: an object store for tasks, and one for creates that are not tasks yet.

import {
  type DBSchema,
  type IDBPDatabase,
  type IDBPTransaction,
  openDB,
} from "idb";
import type { CapabilityName } from "../generated/capabilities.js";
import type { HistoryEntry } from "../types/history.js";
import type { SavedTask } from "../types/task.js";

/** The key of a task: its id, or a number of the database for a result without an id. */
export type TaskKey = string | number;

export interface TaskRow {
  key: TaskKey;
  /** The name of the user whose task it is. Rows without one are never used. */
  owner?: string;
  /** The time of the create, in milliseconds since 1970. */
  at: number;
  saved: SavedTask;
  metadata?: unknown;
  /** The idempotency key of the create; absent for a task of the history. */
  create?: string;
}

/** A task that was forgotten. Its row stays, so that `sync` does not bring the task back. */
interface ForgottenRow {
  key: TaskKey;
  at: number;
  saved?: undefined;
}

export interface CreateRow {
  key: string;
  /** The name of the user whose create it is. Rows without one are never used. */
  owner?: string;
  /** The time at which it began, in milliseconds since 1970. */
  at: number;
  capability: CapabilityName;
  /**
   * The fields. A file is a `Blob`, or `undefined` if it was too large to store. In a create that
   * may have reached the gateway, it is an id.
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
}

export interface UploadedFile {
  id: string;
  /** The time of the upload, in milliseconds since 1970. */
  at: number;
}

interface Schema extends DBSchema {
  tasks: { key: TaskKey; value: TaskRow | ForgottenRow };
  creates: { key: string; value: CreateRow };
  /** The salt of the names of users, which is random in each browser. */
  salts: { key: "owners"; value: Uint8Array };
}

type Writing = IDBPTransaction<Schema, ("tasks" | "creates")[], "readwrite">;

/** The stored tasks and creates. All tabs share them. */
export class Database {
  /** Dispatches `change` after each change by this tab or by another. */
  private readonly changes = new EventTarget();
  private readonly channel: BroadcastChannel;
  /** The connection, or its opening; `undefined` if there is none. */
  private connection: Promise<IDBPDatabase<Schema>> | undefined;
  private isClosed = false;

  private constructor(private readonly name: string) {
    this.channel = new BroadcastChannel(`mediagate.store.${name}`);
    this.channel.onmessage = () => this.notify();
    // An open channel would keep a process of Node from ending, such as a unit test.
    (this.channel as { unref?: () => void }).unref?.();
  }

  static async open(name: string): Promise<Database> {
    const database = new Database(name);
    try {
      await database.use(async () => {});
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  }

  /** Returns the tasks of a user that are not forgotten, oldest first; without a name, of all. */
  async tasks(owner?: string): Promise<TaskRow[]> {
    const rows = await this.all("tasks");
    return rows
      .filter((row): row is TaskRow => row.saved !== undefined)
      .filter((row) => owner === undefined || row.owner === owner)
      .sort((a, b) => a.at - b.at);
  }

  async salt(): Promise<Uint8Array> {
    const salt = await this.use((database) => database.get("salts", "owners"));
    if (!salt) throw new DOMException("the store has no salt", "DataError");
    return salt;
  }

  async creates(owner: string): Promise<CreateRow[]> {
    const rows = await this.all("creates");
    return rows
      .filter((row) => row.owner === owner)
      .sort((a, b) => a.at - b.at);
  }

  create(key: string): Promise<CreateRow | undefined> {
    return this.use((database) => database.get("creates", key));
  }

  /**
   * Stores a create.
   *
   * @param mustExist - True if the create is only stored if it is already.
   * @returns True if it is stored. It may have been forgotten.
   */
  putCreate(row: CreateRow, mustExist: boolean): Promise<boolean> {
    return this.write(async (_, creates) => {
      if (mustExist && !(await creates.getKey(row.key))) return false;
      await creates.put(row);
      return true;
    });
  }

  async removeCreate(key: string): Promise<void> {
    await this.write((_, creates) => creates.delete(key));
  }

  /** Replaces a create by its task. Returns the key of the task. */
  settle(create: CreateRow, saved: SavedTask): Promise<TaskKey> {
    const { at, owner, metadata } = create;
    const row = { at, owner, saved, metadata, create: create.key };
    // The database numbers a row without a key.
    const keyed = (saved.id ? { ...row, key: saved.id } : row) as TaskRow;
    return this.write(async (tasks, creates) => {
      const key = await tasks.put(keyed);
      await creates.delete(create.key);
      return key;
    });
  }

  /** Adds the tasks of a user's history that are neither stored nor forgotten. */
  async addTasks(
    entries: readonly HistoryEntry[],
    owner: string,
  ): Promise<void> {
    const keys = new Set(
      await this.use((database) => database.getAllKeys("tasks")),
    );
    const added = entries.filter(({ id }) => !keys.has(id));
    if (added.length === 0) return;
    await this.write(async (tasks) => {
      for (const { id, capability, createdAt } of added) {
        // A row that a tab has stored meanwhile has more members.
        if (await tasks.get(id)) continue;
        const saved = { id, capability };
        await tasks.put({ key: id, owner, at: Date.parse(createdAt), saved });
      }
    });
  }

  async forget(key: TaskKey): Promise<void> {
    await this.write(async (tasks, creates) => {
      if (typeof key === "string") await creates.delete(key);
      const row = await tasks.get(key);
      // The history has no result that came without a task.
      if (row?.saved?.id) await tasks.put({ key, at: row.at });
      else if (row?.saved) await tasks.delete(key);
    });
  }

  /** Removes the tasks and the creates from before a time, in milliseconds since 1970. */
  async removeBefore(time: number): Promise<void> {
    const isOld = (row: { at: number }) => row.at < time;
    const oldTasks = (await this.all("tasks")).filter(isOld);
    const oldCreates = (await this.all("creates")).filter(isOld);
    if (oldTasks.length === 0 && oldCreates.length === 0) return;
    await this.write(async (tasks, creates) => {
      for (const { key } of oldTasks) await tasks.delete(key);
      for (const { key } of oldCreates) await creates.delete(key);
    });
  }

  /** Calls a function after each change by any tab. Returns a function that ends the calls. */
  subscribe(listener: () => void): () => void {
    // A function of its own, so that a listener may subscribe twice.
    const own = () => listener();
    this.changes.addEventListener("change", own);
    return () => this.changes.removeEventListener("change", own);
  }

  /** Notifies the subscribers of all tabs of a change. */
  announce(): void {
    this.notify();
    if (!this.isClosed) this.channel.postMessage(0);
  }

  close(): void {
    this.isClosed = true;
    this.channel.close();
    this.connection?.then((database) => database.close()).catch(() => {});
  }

  private all<Name extends "tasks" | "creates">(name: Name) {
    return this.use((database) => database.getAll(name));
  }

  /** Runs a transaction, and returns its result when it is on the disk. */
  private async write<Result>(
    work: (
      tasks: ReturnType<typeof taskStore>,
      creates: ReturnType<typeof createStore>,
    ) => Promise<Result>,
  ): Promise<Result> {
    const result = await this.use(async (database) => {
      const transaction = database.transaction(
        ["tasks", "creates"],
        "readwrite",
      );
      const [result] = await Promise.all([
        work(taskStore(transaction), createStore(transaction)),
        transaction.done,
      ]);
      return result;
    });
    this.announce();
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

  private notify(): void {
    this.changes.dispatchEvent(new Event("change"));
  }
}

async function openSchema(name: string): Promise<IDBPDatabase<Schema>> {
  return openDB<Schema>(name, 2, {
    upgrade(database, oldVersion) {
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

const taskStore = (transaction: Writing) => transaction.objectStore("tasks");
const createStore = (transaction: Writing) =>
  transaction.objectStore("creates");
