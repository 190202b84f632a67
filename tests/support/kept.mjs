// Reads what the playground stores in IndexedDB for its forms, and the files of forms and tasks.

/**
 * Runs in the page: describes each stored value, and each stored file. JSON has no files, so a file
 * is reduced to its size in bytes.
 *
 * @returns {Promise<{ text?: string, fileSize?: number }[]>}
 */
export const readKept = () =>
  new Promise((resolve, reject) => {
    const opening = indexedDB.open("mediagate.playground.store");
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const transaction = opening.result.transaction(["values", "files"]);
      const values = transaction.objectStore("values").getAll();
      const files = transaction.objectStore("files").getAll();
      transaction.onabort = () => reject(transaction.error);
      transaction.oncomplete = () => {
        opening.result.close();
        resolve([
          // A member with `undefined` would be `null` behind some drivers.
          ...values.result.map(({ value }) =>
            typeof value === "string" ? { text: value } : {},
          ),
          ...files.result.map(({ size }) => ({ fileSize: size })),
        ]);
      };
    };
  });
