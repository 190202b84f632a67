// Stores tasks, and the creates that lead to them, in IndexedDB: they survive reloads and crashes, and are shared by tabs.

import { read } from "./dist/values.js";
import {
  createTask,
  forDisk,
  isRepeatable,
  newRow,
  notRepeatable,
} from "./store-creates.js";
import { openDatabase } from "./store-database.js";
import { unknownTasks } from "./store-history.js";

/**
 * @typedef {import("./index.js").SavedTask} SavedTask
 * @typedef {import("./index.js").Task} Task
 * @typedef {import("./index.js").Media} Media
 * @typedef {import("./store-creates.js").CreateRow} CreateRow
 * @typedef {{ key: string | number, at: number, saved: SavedTask, metadata?: unknown, create?: string }} Row
 * @typedef {{ key: string | number, at: number, saved?: undefined }} ForgottenRow which `sync` does not bring back
 */

/** A task's or a create's key in the database: a property, which is also read through a `Proxy`. */
const KEY = Symbol("key");
/** Objects that take no property, such as a frozen task. @type {WeakMap<object, string | number>} */
const keys = new WeakMap();

/** The clients that `keep` wrapped. @type {WeakMap<object, Media>} */
const wrapped = new WeakMap();

const DAY_MS = 24 * 60 * 60 * 1000;

/** @type {typeof import("./store.js").openStore} */
export async function openStore({
  name = "mediagate",
  onError,
  maxAgeDays = 30,
  maxFileBytes = 100_000_000,
} = {}) {
  const database = await openDatabase(name);
  const failed = (/** @type {unknown} */ error) => onError?.(error);
  await prune(database, Date.now() - maxAgeDays * DAY_MS).catch(failed);
  /** The creates that this tab is at. @type {Map<string, Promise<Task>>} */
  const underWay = new Map();

  /**
   * What one create does with its row. A full disk must not keep it from being sent, and is reported once.
   *
   * @returns {import("./store-creates.js").Rows}
   */
  function rows() {
    let isReported = false;
    const report = (/** @type {unknown} */ error) => {
      if (!isReported) failed(error);
      isReported = true;
    };
    const put = (/** @type {CreateRow} */ row) =>
      database.run("readwrite", (_, creates) => creates.put(forDisk(row)));
    return {
      async put(row) {
        try {
          await put(row);
        } catch (error) {
          if (!row.isWhole) return report(error);
          // A private window may store everything but files.
          await put({ ...row, isWhole: false }).catch(report);
        }
      },
      remove: (row) =>
        database.run("readwrite", (_, creates) => creates.delete(row.key)),
      async settle({ key, at, metadata }, task) {
        // A result that came without a task has no id. The database numbers it.
        const row = {
          ...(task.id && { key: task.id }),
          at,
          saved: task.toJSON(),
          metadata,
          create: key,
        };
        const work = (
          /** @type {IDBObjectStore} */ tasks,
          /** @type {IDBObjectStore} */ creates,
        ) => {
          creates.delete(key);
          return tasks.put(row);
        };
        const stored = await database.run("readwrite", work).catch(report);
        return marked(task, stored ?? task.id, metadata);
      },
    };
  }

  /**
   * @param {Media} media
   * @param {CreateRow} row
   * @param {unknown} options
   */
  function start(media, row, options) {
    const running = exclusively(`mediagate.store.${name} ${row.key}`, () =>
      createTask(media, row, options, rows()),
    );
    underWay.set(row.key, running);
    const ended = () => underWay.delete(row.key);
    running.then(ended, ended);
    return running;
  }

  /**
   * @param {Media} media
   * @param {CreateRow} row
   * @param {unknown} options
   */
  async function resume(media, row, options) {
    const own = underWay.get(row.key);
    if (own) return own;
    // Another tab may have brought it to its end meanwhile.
    const task = (await stored()).find((it) => it.create === row.key);
    if (task) return marked(media.task(task.saved), task.key, task.metadata);
    if (!isRepeatable(row)) throw notRepeatable(row);
    return start(media, row, options);
  }

  /** @returns {Promise<(Row | ForgottenRow)[]>} */
  const all = () => database.run("readonly", (tasks) => tasks.getAll());
  const stored = async () => {
    const rows = (await all()).filter((it) => it.saved !== undefined);
    return /** @type {Row[]} */ (rows).sort((a, b) => a.at - b.at);
  };

  return {
    keep(media) {
      const storing = Object.create(media, {
        create: {
          /** @param {Parameters<typeof media.create>} request */
          async value(...request) {
            const [capability, input, options] = request;
            const row = newRow(capability, input, options, maxFileBytes);
            return row ? start(media, row, options) : media.create(...request);
          },
        },
      });
      wrapped.set(storing, media);
      return storing;
    },
    async tasks(media) {
      return (await stored()).map(({ key, saved, metadata }) =>
        marked(media.task(saved), key, metadata),
      );
    },
    async creates(media) {
      /** @type {CreateRow[]} */
      const all = await database.run("readonly", (_, creates) =>
        creates.getAll(),
      );
      const others = await lockedBy(`mediagate.store.${name} `);
      const left = all
        .filter((it) => !underWay.has(it.key) && !others.has(it.key))
        .sort((a, b) => a.at - b.at);
      return left.map((row) =>
        marked(
          {
            capability: /** @type {any} */ (row.capability),
            input: row.input,
            createdAt: new Date(row.at),
            mayBeCharged: row.isSent,
            isRepeatable: isRepeatable(row),
            // The client itself: the one that stores would store it once more.
            resume: (options) =>
              resume(
                wrapped.get(media) ?? /** @type {Media} */ (media),
                row,
                options,
              ),
          },
          row.key,
          row.metadata,
        ),
      );
    },
    async sync(media, options) {
      const keys = new Set((await all()).map((it) => it.key));
      const found = await unknownTasks(
        media,
        options,
        keys,
        Date.now() - maxAgeDays * DAY_MS,
      );
      if (found.length === 0) return;
      await database.run("readwrite", (tasks) => {
        const reading = tasks.getAllKeys();
        reading.onsuccess = () => {
          // What a tab has stored meanwhile has more.
          for (const { id, capability, created_at } of found.filter(
            (it) => !reading.result.includes(it.id),
          ))
            tasks.put({
              key: id,
              at: Date.parse(created_at),
              saved: { id, capability },
            });
        };
        return reading;
      });
    },
    async forget(item) {
      const key = await keyOf(item);
      await database.run("readwrite", (tasks, creates) => {
        const reading = tasks.get(key);
        reading.onsuccess = () => {
          creates.delete(key);
          const row = reading.result;
          // A result that came without a task is in no history.
          if (row?.saved?.id) tasks.put({ key, at: row.at });
          else if (row?.saved) tasks.delete(key);
        };
        return reading;
      });
    },
    subscribe: (listener) => database.subscribe(listener),
    close: () => database.close(),
  };

  /**
   * The key of a task or create of this store, or of what is equal to one.
   *
   * @param {any} item
   */
  async function keyOf(item) {
    const own = item[KEY] ?? keys.get(item) ?? item.id;
    // The id of a result that came without a task is empty.
    if (own !== undefined && own !== "") return own;
    const text = JSON.stringify(item);
    return (
      (await stored()).find((it) => JSON.stringify(it.saved) === text)?.key ??
      ""
    );
  }
}

/**
 * Gives a task its key and its metadata.
 *
 * @template {object} T
 * @param {T} item
 * @param {any} key
 * @param {unknown} metadata
 * @returns {T & { readonly metadata?: unknown }}
 */
function marked(item, key, metadata) {
  keys.set(item, key);
  const property = (/** @type {unknown} */ value) => ({
    value,
    configurable: true,
  });
  if (Object.isExtensible(item))
    Object.defineProperties(item, {
      [KEY]: property(key),
      metadata: property(metadata),
    });
  return /** @type {any} */ (item);
}

/**
 * Removes what is older.
 *
 * @param {import("./store-database.js").Database} database
 * @param {number} before
 */
async function prune(database, before) {
  const [tasks, creates] = await Promise.all([
    database.run("readonly", (tasks) => tasks.getAll()),
    database.run("readonly", (_, creates) => creates.getAll()),
  ]);
  /** @param {{ key: string | number, at: number }[]} rows */
  const old = (rows) => rows.filter((it) => it.at < before);
  if (!old([...tasks, ...creates]).length) return;
  await database.run("readwrite", (taskStore, createStore) => {
    for (const { key } of old(creates)) createStore.delete(key);
    for (const { key } of old(tasks)) taskStore.delete(key);
    return taskStore.count();
  });
}

/**
 * Does the work while no other tab does work of that name, where the platform has locks.
 *
 * @template Result
 * @param {string} name
 * @param {() => Promise<Result>} work
 * @returns {Promise<Result>}
 */
async function exclusively(name, work) {
  const { locks } = globalThis.navigator ?? {};
  let isStarted = false;
  const begin = () => {
    isStarted = true;
    return work();
  };
  try {
    return await (locks ? locks.request(name, begin) : begin());
  } catch (error) {
    // Where the page may have no locks, it is no reason to send nothing.
    if (isStarted) throw error;
    return work();
  }
}

/**
 * What follows the prefix in the names of locks that are held.
 *
 * @param {string} prefix
 * @returns {Promise<Set<string>>}
 */
async function lockedBy(prefix) {
  const held =
    (await globalThis.navigator?.locks?.query().catch(() => undefined))?.held ??
    [];
  const names = held
    .map((it) => read(it, "name") ?? "")
    .filter((it) => it.startsWith(prefix));
  return new Set(names.map((it) => it.slice(prefix.length)));
}
