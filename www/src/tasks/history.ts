/** The gateway's history: tasks of other devices and of a cleared browser join the list. */
import { effect, signal } from "@preact/signals";
import { isMediagateError } from "mediagate";
import { client, connection } from "../client";
import { opened } from "../opened";
import { visible } from "../parts/visible";
import { forgetRemoved } from "../pipelines/remove";
import { listPipelines } from "../pipelines/store";

const PAGE_SIZE = 100;
/** The most pages that a press reads if the list already has all of their tasks. */
const MAX_PAGES = 10;

/** The cursor of the next older page; `undefined` if there is none, and before the first read. */
export const older = signal<string | undefined>(undefined);

const state = { isReading: false, isOffered: true, hasRead: false };

/** Reads the newest page whenever the page is connected and comes into view. */
export function followHistory(): void {
  effect(() => {
    if (connection.value === "connected" && visible.value) void readNewest();
  });
}

async function readNewest(): Promise<void> {
  if (state.isReading || !state.isOffered) return;
  state.isReading = true;
  try {
    const { cursor, areAllNew } = await readPage();
    // Otherwise a person may have read older pages, which the cursor must not offer again.
    if (areAllNew || !state.hasRead) older.value = cursor;
    state.hasRead = true;
  } catch (failure) {
    // An older gateway has no history.
    if (isMediagateError(failure) && failure.status === 404)
      state.isOffered = false;
  } finally {
    state.isReading = false;
  }
}

/** Adds older tasks to the list. Resolves to their number. */
export async function readOlder(): Promise<number> {
  let count = 0;
  for (
    let pages = 0;
    pages < MAX_PAGES && count === 0 && older.value !== undefined;
    pages += 1
  ) {
    const page = await readPage(older.value);
    count = page.added;
    older.value = page.cursor;
  }
  return count;
}

async function readPage(from?: string) {
  const media = await client();
  const { tasks, pipelines, cursor } = await media.tasks.list({
    limit: PAGE_SIZE,
    cursor: from,
  });
  const store = await opened;
  const added = (await store?.add(media, tasks)) ?? 0;
  listPipelines(pipelines);
  void forgetRemoved(pipelines);
  return { cursor, added, areAllNew: added === tasks.length };
}
