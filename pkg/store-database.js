// The database of the store: an object store for tasks and one for creates that have not become one.

export const TASKS = "tasks";
export const CREATES = "creates";

/**
 * @typedef {object} Database
 * @property {<Result>(mode: IDBTransactionMode, work: (tasks: IDBObjectStore, creates: IDBObjectStore) => IDBRequest<Result>) => Promise<Result>} run
 *   runs a transaction, and resolves with the result of the work's request once it is on the disk
 * @property {(listener: () => void) => () => void} subscribe to changes, of this tab and of others
 * @property {() => void} close
 */

/**
 * @param {string} name
 * @returns {Promise<Database>}
 */
export async function openDatabase(name) {
  const database = await resultOf(requestDatabase(name));
  // Another page that deletes or upgrades the database must not wait for this one.
  database.onversionchange = () => database.close();
  const channel = new BroadcastChannel(`mediagate.store.${name}`);
  // In Node, as in a unit test, it would keep the process from ending.
  /** @type {any} */ (channel).unref?.();
  /** @type {Set<() => void>} */
  const listeners = new Set();
  const notify = () => {
    for (const listener of listeners) listener();
  };
  channel.onmessage = notify;
  return {
    async run(mode, work) {
      const transaction = database.transaction([TASKS, CREATES], mode);
      const result = await committed(
        transaction,
        work(transaction.objectStore(TASKS), transaction.objectStore(CREATES)),
      );
      if (mode === "readwrite") {
        notify();
        channel.postMessage(0);
      }
      return result;
    },
    subscribe(listener) {
      // A function of its own, so that a listener may subscribe twice.
      const own = () => listener();
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    close() {
      channel.close();
      database.close();
    },
  };
}

/** @param {string} name */
function requestDatabase(name) {
  const request = indexedDB.open(name, 1);
  request.onupgradeneeded = () => {
    request.result.createObjectStore(TASKS, {
      keyPath: "key",
      autoIncrement: true,
    });
    request.result.createObjectStore(CREATES, { keyPath: "key" });
  };
  return request;
}

/**
 * @template Result
 * @param {IDBTransaction} transaction
 * @param {IDBRequest<Result>} request
 * @returns {Promise<Result>}
 */
const committed = (transaction, request) =>
  new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve(request.result);
    transaction.onabort = () => reject(transaction.error);
  });

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
