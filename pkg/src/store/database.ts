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

/** A task in its stored form. */
export interface TaskRow {
  key: TaskKey;
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

/** A create in its stored form. */
export interface CreateRow {
  /** The idempotency key. */
  key: string;
  /** The time at which it began, in milliseconds since 1970. */
  at: number;
  capability: CapabilityName;
  /** The fields. A file is an id, a `Blob`, or `undefined` if it was too large to store. */
  input: Record<string, unknown>;
  metadata?: unknown;
  /** True if the create may have reached the gateway. */
  isSent: boolean;
  /** True if every file of the input is stored. */
  isWhole: boolean;
}

interface Schema extends DBSchema {
  tasks: { key: TaskKey; value: TaskRow | ForgottenRow };
  creates: { key: string; value: CreateRow };
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

  /**
   * Opens a database.
   *
   * @throws {DOMException} The error of IndexedDB.
   */
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

  /** Returns the tasks that are not forgotten, oldest first. */
  async tasks(): Promise<TaskRow[]> {
    const rows = await this.all("tasks");
    return rows
      .filter((row): row is TaskRow => row.saved !== undefined)
      .sort((a, b) => a.at - b.at);
  }

  async creates(): Promise<CreateRow[]> {
    const rows = await this.all("creates");
    return rows.sort((a, b) => a.at - b.at);
  }

  create(key: string): Promise<CreateRow | undefined> {
    return this.use((database) => database.get("creates", key));
  }

  async putCreate(row: CreateRow): Promise<void> {
    await this.write((_, creates) => creates.put(row));
  }

  async removeCreate(key: string): Promise<void> {
    await this.write((_, creates) => creates.delete(key));
  }

  /**
   * Replaces a create by its task.
   *
   * @param create - The row of the create.
   * @param saved - The task.
   * @returns The key of the task.
   */
  settle(create: CreateRow, saved: SavedTask): Promise<TaskKey> {
    const { at, metadata } = create;
    const row = { at, saved, metadata, create: create.key };
    // The database numbers a row without a key.
    const keyed = (saved.id ? { ...row, key: saved.id } : row) as TaskRow;
    return this.write(async (tasks, creates) => {
      const key = await tasks.put(keyed);
      await creates.delete(create.key);
      return key;
    });
  }

  /** Adds the tasks of the history that are neither stored nor forgotten. */
  async addTasks(entries: readonly HistoryEntry[]): Promise<void> {
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
        await tasks.put({ key: id, at: Date.parse(createdAt), saved });
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

  /**
   * Calls a function after each change, by this tab or by another.
   *
   * @returns A function that ends it.
   */
  subscribe(listener: () => void): () => void {
    // A function of its own, so that a listener may subscribe twice.
    const own = () => listener();
    this.changes.addEventListener("change", own);
    return () => this.changes.removeEventListener("change", own);
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
    this.notify();
    this.channel.postMessage(0);
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

  /** Returns the connection, which is opened if there is none. */
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
  return openDB<Schema>(name, 1, {
    upgrade(database) {
      database.createObjectStore("tasks", {
        keyPath: "key",
        autoIncrement: true,
      });
      database.createObjectStore("creates", { keyPath: "key" });
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
