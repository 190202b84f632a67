/** The gateway's history: tasks of other devices and of a cleared browser join the list. */
import { effect, signal } from "@preact/signals";
import { type HistoryEntry, isMediagateError } from "mediagate";
import { client, connection } from "../client";
import { visible } from "../parts/visible";
import { forgetRemoved } from "../pipelines/remove";
import { listPipelines } from "../pipelines/store";
import { type Entry, isOver } from "./entry";
import { forget } from "./forget";
import { failureOf } from "./record";
import { reconcile } from "./resume";
import { isSameCreate } from "./sameCreate";
import {
  addAll,
  erase,
  findTask,
  forgotten,
  records,
  twins,
  update,
  whenLoaded,
} from "./store";

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
    await whenLoaded;
    const deleted = records.value.filter(({ gone }) => gone);
    const { tasks, cursor, areAllNew } = await readPage();
    // Otherwise a person may have read older pages, which the cursor must not offer again.
    if (areAllNew || !state.hasRead) older.value = cursor;
    state.hasRead = true;
    const isListed = (entry: Entry) =>
      tasks.some(
        (task) => task.id === entry.saved?.id || isSameCreate(entry, task),
      );
    // Without a cursor this is the whole history, so an unlisted task cannot come back.
    const unlisted = deleted.filter((entry) => !isListed(entry));
    if (!cursor) await erase(unlisted.map(({ key }) => key));
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
  const page = await media.tasks.list({ limit: PAGE_SIZE, cursor: from });
  const isKnown = ({ id }: { id: string }) => !forgotten.has(id);
  const tasks = page.tasks.filter(isKnown);
  const pipelines = page.pipelines.filter(isKnown);
  const areAllNew = tasks.every(({ id }) => !findTask(id));
  const added = await merge(tasks);
  listPipelines(pipelines);
  void forgetRemoved(pipelines);
  return { tasks, cursor: page.cursor, areAllNew, added };
}

/** Adds new tasks to the list, and removes from the history those that a person has deleted. */
async function merge(listed: readonly HistoryEntry[]): Promise<number> {
  const unknown: HistoryEntry[] = [];
  const ended: string[] = [];
  for (const task of listed) {
    const { id, capability, outcome } = task;
    const own =
      findTask(id) ??
      records.value.find((record) => isSameCreate(record, task));
    if (!own) unknown.push(task);
    else if (own.gone && (own.saved || outcome === "unknown")) {
      if (!own.saved) void update(own.key, { saved: { id, capability } });
      if (hasEnded(task)) ended.push(own.key);
    }
  }
  const added = unknown.map(entryOf);
  await addAll(added);
  for (const { key } of added) reconcile(key);
  await erase(twins.value.map(({ key }) => key));
  void forget(ended);
  return added.length;
}

function hasEnded({ state, outcome }: HistoryEntry): boolean {
  return outcome === "unknown" || isOver(state);
}

function entryOf({
  id,
  capability,
  title,
  createdAt,
  endedAt,
  state,
  outputs,
  error,
  outcome,
}: HistoryEntry): Entry {
  return {
    // Every tab makes this key, so that two tabs add the task once.
    key: `listed-${id}`,
    saved: { id, capability },
    elsewhere: true,
    step: outcome === "unknown" ? "unknown" : undefined,
    capability,
    title,
    state,
    outputs,
    failure: failureOf(state, { error }),
    startedAt: Date.parse(createdAt) || Date.now(),
    endedAt: endedAt === undefined ? undefined : Date.parse(endedAt),
  };
}
