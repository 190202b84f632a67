// Stores tasks in IndexedDB, where they survive reloads and crashes and are shared by tabs: one database for each name.

const TASKS = "tasks";

/**
 * @typedef {import("./index.js").SavedTask} SavedTask
 * @typedef {import("./index.js").Task} Task
 * @typedef {{ key: string | number, at: number, saved: SavedTask }} Row
 */

/** @type {typeof import("./store.js").openStore} */
export async function openStore({ name = "mediagate", onError } = {}) {
  const database = await openDatabase(name);
  // Another page that deletes the database must not wait for this one.
  database.onversionchange = () => database.close();
  /** @type {WeakMap<object, string | number>} */
  const keys = new WeakMap();

  /**
   * @template Result
   * @param {IDBTransactionMode} mode
   * @param {(tasks: IDBObjectStore) => IDBRequest<Result>} work
   */
  const run = (mode, work) => commit(database.transaction(TASKS, mode), work);
  /**
   * @template {object} T
   * @param {T} task
   * @param {any} key
   */
  const withKey = (task, key) => {
    keys.set(task, key);
    return task;
  };

  /** @param {Task} task */
  async function put(task) {
    // A result that came without a task has no id. The database numbers it.
    const key = task.id ? { key: task.id } : {};
    withKey(task, await run("readwrite", (tasks) => tasks.put({ ...key, at: Date.now(), saved: task.toJSON() })));
  }

  return {
    keep: (media) =>
      Object.create(media, {
        create: {
          /** @param {Parameters<typeof media.create>} request */
          async value(...request) {
            const task = await media.create(...request);
            // A full disk must not lose the task.
            await put(task).catch((error) => onError?.(error));
            return task;
          },
        },
      }),
    async tasks(media) {
      /** @type {Row[]} */
      const rows = await run("readonly", (tasks) => tasks.getAll());
      return rows.sort((a, b) => a.at - b.at).map(({ key, saved }) => withKey(media.task(saved), key));
    },
    forget: (task) => run("readwrite", (tasks) => tasks.delete(keys.get(task) ?? task.id)).then(() => undefined),
    close: () => database.close(),
  };
}

/** @param {string} name */
function openDatabase(name) {
  const request = indexedDB.open(name, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(TASKS, { keyPath: "key", autoIncrement: true });
  return resultOf(request);
}

/**
 * The result of the work's request, once its transaction is on the disk.
 *
 * @template Result
 * @param {IDBTransaction} transaction
 * @param {(tasks: IDBObjectStore) => IDBRequest<Result>} work
 * @returns {Promise<Result>}
 */
function commit(transaction, work) {
  const request = work(transaction.objectStore(TASKS));
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve(request.result);
    transaction.onabort = () => reject(transaction.error);
  });
}

/**
 * @template Result
 * @param {IDBRequest<Result>} request
 * @returns {Promise<Result>}
 */
const resultOf = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
