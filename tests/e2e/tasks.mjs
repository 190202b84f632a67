// Reads and changes the playground's tasks in its database.

/** Adds records, which must have different keys. */
export function writeTasks(page, records) {
  return page.evaluate(modify, { records, changes: undefined });
}

/** Changes every record. */
export function changeTasks(page, changes) {
  return page.evaluate(modify, { records: [], changes });
}

/** Resolves to all records. */
export function readTasks(page) {
  return page.evaluate(modify, { records: [], changes: {} });
}

const modify = ({ records, changes }) =>
  new Promise((resolve, reject) => {
    const opening = indexedDB.open("mediagate.playground.tasks");
    opening.onerror = () => reject(opening.error);
    // Creates the store as the page does, if it has not yet.
    opening.onupgradeneeded = () => opening.result.createObjectStore("tasks");
    opening.onsuccess = () => {
      const writing = opening.result.transaction("tasks", "readwrite");
      const store = writing.objectStore("tasks");
      for (const record of records) store.put(record, record.key);
      const reading = store.getAll();
      reading.onsuccess = () => {
        for (const entry of changes ? reading.result : [])
          store.put({ ...entry, ...changes }, entry.key);
      };
      writing.onabort = () => reject(writing.error);
      writing.oncomplete = () => {
        opening.result.close();
        resolve(reading.result);
      };
    };
  });

/** Returns a task that succeeded. A higher number is newer. */
export function finishedTask(number) {
  return {
    key: `key-${number}`,
    saved: { id: `id-${number}`, capability: "text_to_image_turbo" },
    capability: "text_to_image_turbo",
    title: `Task ${number}`,
    words: `a paper boat ${number}`,
    state: "SUCCEEDED",
    outputs: [],
    startedAt: Date.UTC(2026, 0, 1) + number * 1000,
    endedAt: Date.UTC(2026, 0, 1) + number * 1000 + 500,
  };
}
