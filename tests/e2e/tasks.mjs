// Reads and changes the stored tasks of the playground, and the history that its gateway lists.

/** Resolves to the rows of tasks and of creates that are not tasks yet. */
export async function readTasks(page) {
  const { tasks, creates } = await page.evaluate(access, []);
  return [...tasks, ...creates];
}

/**
 * Replaces each row of a task.
 *
 * @param {(row: any) => object} change
 */
export async function changeTasks(page, change) {
  const { tasks } = await page.evaluate(access, []);
  // The store makes an item again if the version of its row changes.
  const version = Math.random();
  await page.evaluate(
    access,
    tasks.map((row) => ({ ...change(row), version })),
  );
}

/** Stores rows of tasks, and resolves to all rows. */
const access = (changed) =>
  new Promise((resolve, reject) => {
    const opening = indexedDB.open("mediagate.playground.store");
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const names = ["tasks", "creates"];
      const transaction = opening.result.transaction(names, "readwrite");
      for (const row of changed) transaction.objectStore("tasks").put(row);
      const [tasks, creates] = names.map((name) =>
        transaction.objectStore(name).getAll(),
      );
      transaction.onabort = () => reject(transaction.error);
      transaction.oncomplete = () => {
        opening.result.close();
        resolve({ tasks: tasks.result, creates: creates.result });
      };
    };
  });

/** Makes the gateway's history list these tasks, on one page. */
export async function listTasks(page, tasks) {
  await page.route(/\/api\/app\/v1\/tasks\?/, (route) => {
    const data = { tasks, pipelines: [] };
    return route.fulfill({ json: { code: 0, message: "ok", data } });
  });
}

/** Returns a task that succeeded, as the history lists it. A higher number is newer. */
export function finishedTask(number) {
  const at = Date.now() - 3_600_000 + number * 1000;
  return {
    id: `id-${number}`,
    capability: "text_to_image_turbo",
    title: `Task ${number}`,
    state: "SUCCEEDED",
    outputs: [],
    created_at: new Date(at).toISOString(),
    ended_at: new Date(at + 500).toISOString(),
  };
}
