/** The store of this browser, which has the tasks, the forms and their files. */
import { openStore, type TaskStore } from "mediagate/store";

/** The most bytes of stored files. A browser would take more, and then delete all unasked. */
export const MAX_FILE_BYTES = 1_000_000_000;

/** Resolves to `undefined` if the browser stores nothing. Then all lasts as long as the page. */
export const opened: Promise<TaskStore | undefined> = openStore({
  name: "mediagate.playground.store",
  maxAgeDays: 366,
  maxFileBytes: MAX_FILE_BYTES,
  maxTotalFileBytes: MAX_FILE_BYTES,
}).catch(() => undefined);
