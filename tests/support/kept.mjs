// Reads the values that the playground stores in IndexedDB for its forms.

/**
 * Runs in the page: describes each stored value. JSON has no files, so a file is reduced to its
 * size in bytes.
 *
 * @returns {Promise<{ key: string, text?: string, fileSize?: number }[]>}
 */
export const readKept = () =>
  new Promise((resolve, reject) => {
    const opening = indexedDB.open("mediagate.playground");
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const store = opening.result.transaction("kept").objectStore("kept");
      const keys = store.getAllKeys();
      const values = store.getAll();
      // The requests of a transaction end in order, so the keys are there too.
      values.onsuccess = () => {
        opening.result.close();
        const described = values.result.map((value, index) => {
          const key = String(keys.result[index]);
          if (typeof value === "string") return { key, text: value };
          // A member with `undefined` would be `null` behind some drivers.
          return value instanceof File
            ? { key, fileSize: value.size }
            : { key };
        });
        resolve(described);
      };
    };
  });
