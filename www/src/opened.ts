/** The store of this browser, which has the tasks, the forms and their files. */
import type { TaskStore } from "mediagate/store";
import { chunk } from "./parts/chunk";
import { backOrAfter } from "./parts/online";

/** The most bytes of stored files. A browser would store more, and later delete all of it. */
export const MAX_FILE_BYTES = 1_000_000_000;

/** The most attempts to load the store, and the wait between them in milliseconds. */
const MAX_TRIES = 3;
const RETRY_MS = 2_000;

/** Resolves to `undefined` if the browser stores nothing. Values then last as long as the page. */
export const opened: Promise<TaskStore | undefined> = open().catch(
  () => undefined,
);

async function open(): Promise<TaskStore> {
  const { openStore } = await load();
  return openStore({
    name: "mediagate.playground.store",
    maxAgeDays: 366,
    maxFileBytes: MAX_FILE_BYTES,
    maxTotalFileBytes: MAX_FILE_BYTES,
  });
}

/** Loads the code of the store. The page is shown before it. */
async function load(tries = 1): Promise<typeof import("mediagate/store")> {
  try {
    return await chunk(() => import("mediagate/store"));
  } catch (failure) {
    if (tries === MAX_TRIES) throw failure;
    await backOrAfter(RETRY_MS);
    return load(tries + 1);
  }
}
