// Keeps tasks where a reload, a crash and another tab find them: IndexedDB, one database for each name.

const TASKS = "tasks";

export async function openStore({ name = "mediagate", onError } = {}) {
  const database = await opened(name);
  // A page that deletes the database must not wait for this one.
  database.onversionchange = () => database.close();
  const keys = new WeakMap();

  const run = (mode, work) => finished(database.transaction(TASKS, mode), work);
  const keyed = (task, key) => (keys.set(task, key), task);

  async function put(task) {
    // What is already done has no id to be known by; the database gives it a number.
    const known = task.id ? { key: task.id } : {};
    keyed(task, await run("readwrite", (tasks) => tasks.put({ ...known, at: Date.now(), saved: task.toJSON() })));
  }

  return {
    keep: (media) =>
      Object.create(media, {
        create: {
          async value(...request) {
            const task = await media.create(...request);
            // A store that is full must not cost the task.
            await put(task).catch((error) => onError?.(error));
            return task;
          },
        },
      }),
    async tasks(media) {
      const kept = await run("readonly", (tasks) => tasks.getAll());
      return kept.sort((a, b) => a.at - b.at).map(({ key, saved }) => keyed(media.task(saved), key));
    },
    forget: (task) => run("readwrite", (tasks) => tasks.delete(keys.get(task) ?? task.id)).then(() => undefined),
    close: () => database.close(),
  };
}

function opened(name) {
  const request = indexedDB.open(name, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(TASKS, { keyPath: "key", autoIncrement: true });
  return settled(request);
}

/** What the work's request gives, once its transaction is on the disk. */
function finished(transaction, work) {
  const request = work(transaction.objectStore(TASKS));
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve(request.result);
    transaction.onabort = () => reject(transaction.error);
  });
}

const settled = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
