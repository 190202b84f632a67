/** The gateway's history: tasks of other devices, and of before this browser was cleared, join the list. */
import { effect, signal } from "@preact/signals";
import { type HistoryEntry, isMediagateError, type TaskPage } from "mediagate";
import { client, connection } from "../client";
import { visible } from "../parts/visible";
import { forgetRemoved } from "../pipelines/remove";
import { listPipelines } from "../pipelines/store";
import { type Entry, isOver } from "./entry";
import { forget } from "./forget";
import { forgotten } from "./forgotten";
import { failureOf } from "./outcome";
import { reconcile } from "./resume";
import { isSameCreate } from "./sameCreate";
import {
  addAll,
  erase,
  findTask,
  records,
  twins,
  update,
  whenLoaded,
} from "./store";

/** Entries that are read at once. */
const PAGE_SIZE = 100;
/** Pages that one press reads, where all of their tasks are in the list already. */
const MAX_PAGES = 10;

/** The cursor of the next older page; `undefined` where there is none, or none is known. */
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
    const removed = records.value.filter((it) => it.gone);
    const { tasks, pipelines, cursor } = await readPage();
    const isFirst = tasks.every(({ id }) => !findTask(id));
    await merge(tasks);
    listPipelines(pipelines);
    void forgetRemoved(pipelines);
    // Further down, the pages are those that a person has reached.
    if (isFirst || !state.hasRead) older.value = cursor;
    state.hasRead = true;
    // What the whole history does not have need not be remembered.
    const isListed = (it: Entry) =>
      tasks.some((one) => one.id === it.saved?.id || isSameCreate(it, one));
    if (!cursor)
      await erase(removed.filter((it) => !isListed(it)).map((it) => it.key));
  } catch (failure) {
    // An older gateway has none.
    if (isMediagateError(failure) && failure.status === 404)
      state.isOffered = false;
  } finally {
    state.isReading = false;
  }
}

/** Adds older tasks to the list; returns how many. */
export async function readOlder(): Promise<number> {
  let count = 0;
  for (
    let pages = 0;
    pages < MAX_PAGES && count === 0 && older.value !== undefined;
    pages += 1
  ) {
    const { tasks, pipelines, cursor } = await readPage(older.value);
    count = await merge(tasks);
    listPipelines(pipelines);
    void forgetRemoved(pipelines);
    older.value = cursor;
  }
  return count;
}

async function readPage(cursor?: string): Promise<TaskPage> {
  const page = await (await client()).tasks.list({ limit: PAGE_SIZE, cursor });
  const isKnown = ({ id }: { id: string }) => !forgotten.has(id);
  return {
    ...page,
    tasks: page.tasks.filter(isKnown),
    pipelines: page.pipelines.filter(isKnown),
  };
}

/** Lists the tasks that the list does not have, and has the gateway forget those that were removed from it. */
async function merge(listed: readonly HistoryEntry[]): Promise<number> {
  const unknown: HistoryEntry[] = [];
  const ended: string[] = [];
  for (const it of listed) {
    const own =
      findTask(it.id) ??
      records.value.find((record) => isSameCreate(record, it));
    if (!own) unknown.push(it);
    else if (own.gone && (own.saved || it.outcome === "unknown")) {
      if (!own.saved)
        void update(own.key, {
          saved: { id: it.id, capability: it.capability },
        });
      if (hasEnded(it)) ended.push(own.key);
    }
  }
  const added = unknown.map(entryOf);
  await addAll(added);
  for (const { key } of added) reconcile(key);
  await erase(twins.value.map((it) => it.key));
  void forget(ended);
  return added.length;
}

function hasEnded({ state, outcome }: HistoryEntry): boolean {
  return outcome === "unknown" || isOver(state ?? "");
}

function entryOf({
  id,
  capability,
  title,
  createdAt,
  endedAt,
  state = "",
  outputs,
  error,
  outcome,
}: HistoryEntry): Entry {
  return {
    // The same in every tab, so that two of them add it once.
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
