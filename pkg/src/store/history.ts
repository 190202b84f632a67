// Joins the tasks of the gateway's history with those that are stored, and with creates whose
// response was lost: the history has no keys of creates.

import { hasEnded } from "../ended.js";
import { isBeingKept } from "../followed.js";
import { isFresh } from "../lifetime.js";
import type { ListedTask } from "../types/store.js";
import type { SavedTask, TaskSnapshot } from "../types/task.js";
import type {
  Changes,
  CreateRow,
  ForgottenCreate,
  Mark,
  TaskKey,
  TaskRow,
} from "./database.js";
import { endOf, isSame, storedOf } from "./snapshots.js";

/** The largest difference between the clocks of the browser and the gateway, in milliseconds. */
const SKEW_MS = 60_000;
/** The longest time from a create's first request until it reaches the gateway, in milliseconds. */
const REPEATED_MS = 600_000;
/** The most characters of a title in the history. */
const MAX_TITLE = 200;

/** Replaces a create by its task, and returns the row; `undefined` if the create was forgotten. */
export async function settle(
  rows: Changes,
  create: CreateRow,
  saved: SavedTask,
  snapshot: TaskSnapshot,
): Promise<TaskRow | undefined> {
  const stored = await rows.get("creates", create.key);
  await rows.delete("creates", create.key);
  const { at, owner, input } = create;
  if (stored?.isForgotten) {
    const { everywhere } = stored;
    // The history has no result that came without a task.
    if (saved.id)
      await rows.put("tasks", { key: saved.id, owner, at, everywhere });
    return undefined;
  }
  const row = {
    ...{ at, owner, saved, create: create.key, title: titleOf(create) },
    input,
    metadata: (stored ?? create).metadata,
    snapshot: storedOf(snapshot),
    endedAt: endOf(snapshot),
  };
  // The database numbers a row without a key.
  return rows.put(
    "tasks",
    (saved.id ? { ...row, key: saved.id } : row) as TaskRow,
  );
}

interface Added {
  /** The number of tasks that were not stored before. */
  added: number;
  /** The ids of the forgotten tasks that the gateway can forget, too. */
  forgettable: string[];
}

/** Adds tasks of a user's history, and brings those that are stored up to date. */
export async function addTasks(
  rows: Changes,
  listed: readonly ListedTask[],
  owner: string,
  metadata: unknown,
): Promise<Added> {
  const all = await rows.all("creates");
  let creates = all.filter(
    (row) => row.owner === owner && row.sentAt !== undefined,
  );
  const result: Added = { added: 0, forgettable: [] };
  for (const task of listed) {
    const row = await rows.get("tasks", task.id);
    const own = row ? undefined : creates.find((row) => mayHaveMade(row, task));
    if (row?.saved) await bringUpToDate(rows, row, task);
    else if (row?.everywhere) {
      if (canBeForgotten(task)) result.forgettable.push(task.id);
    } else if (own?.isForgotten) {
      const { key, at, everywhere } = own;
      await rows.put("tasks", { key: task.id, owner, at, everywhere });
      await rows.delete("creates", key);
      creates = creates.filter((create) => create !== own);
      if (everywhere && canBeForgotten(task)) result.forgettable.push(task.id);
    } else if (!row && !own) {
      await rows.put("tasks", rowOf(task, owner, metadata));
      result.added += 1;
    }
  }
  return result;
}

async function bringUpToDate(
  rows: Changes,
  row: TaskRow,
  listed: ListedTask,
): Promise<void> {
  const title = row.title ?? listed.title;
  const { outcome } = listed;
  const seen = storedOf(snapshotOfListed(listed));
  const isNews = seen && isNewer(seen, row.snapshot);
  const isChanged = isNews || title !== row.title || (row.outcome && !outcome);
  if (!isChanged) return;
  const news = isNews && {
    snapshot: seen,
    endedAt: endedAt(listed) ?? row.endedAt,
  };
  await rows.put("tasks", { ...row, title, outcome, ...news });
}

/** Returns true if the history knows more than a page has read. It may also be older, and has less. */
function isNewer(seen: TaskSnapshot, known: TaskSnapshot | undefined): boolean {
  if (hasEnded(known?.state))
    return isBeingKept(known) && seen.outputs.length > 0 && !isBeingKept(seen);
  if (!known || hasEnded(seen.state)) return true;
  // The record of a page that has read the task has more than the history, which may be older.
  const isRead = known.raw !== undefined;
  return (
    (!isRead && seen.state !== known.state) ||
    (seen.unfinished === true && !known.unfinished)
  );
}

function rowOf(listed: ListedTask, owner: string, metadata: unknown): TaskRow {
  const { id, capability, title, outcome } = listed;
  return {
    ...{ key: id, owner, at: Date.parse(listed.createdAt), metadata },
    ...{ saved: { id, capability }, title, outcome },
    snapshot: storedOf(snapshotOfListed(listed)),
    endedAt: endedAt(listed),
  };
}

function snapshotOfListed(listed: ListedTask): TaskSnapshot {
  const { id, capability, state, outputs = [] } = listed;
  const { error, warnings, unfinished } = listed;
  return {
    ...{ id, capability, state, outputs, raw: undefined },
    ...(error && { error }),
    ...(warnings && { warnings }),
    ...(unfinished && { unfinished }),
  };
}

function endedAt({ endedAt = "" }: ListedTask): number | undefined {
  const time = Date.parse(endedAt);
  return Number.isNaN(time) ? undefined : time;
}

function canBeForgotten({ state, outcome }: ListedTask): boolean {
  return outcome === "unknown" || hasEnded(state);
}

/**
 * Returns true if a create without a response may have made a task of the history. Once the gateway
 * has forgotten the key, the create can't be repeated, so the task is listed beside it.
 */
function mayHaveMade(
  create: CreateRow | ForgottenCreate,
  listed: ListedTask,
): boolean {
  const { sentAt = 0, capability, isForgotten } = create;
  const isOpen = isForgotten || isFresh(sentAt) || listed.outcome === "unknown";
  const title = isForgotten ? create.title : titleOf(create);
  const createdAt = Date.parse(listed.createdAt);
  return (
    isOpen &&
    capability === listed.capability &&
    (title ?? "").slice(0, MAX_TITLE) === (listed.title ?? "") &&
    createdAt > sentAt - SKEW_MS &&
    createdAt < sentAt + REPEATED_MS
  );
}

function titleOf({ input }: CreateRow): string | undefined {
  return typeof input.title === "string" ? input.title : undefined;
}

/**
 * Forgets a create, a task, or the task of a create. What the history may list leaves an empty row.
 *
 * @param everywhere - True if the gateway is to forget it, too.
 * @returns The ids of the tasks that the history may list: at most one.
 */
export async function forgetRow(
  rows: Changes,
  mark: Mark,
  everywhere: boolean,
): Promise<string[]> {
  const create = await createOf(rows, mark);
  if (create) {
    const { key, owner, at, capability, sentAt } = create;
    // The history has no tasks of a start.
    if (sentAt === undefined || capability === undefined)
      await rows.delete("creates", key);
    else
      await rows.put("creates", {
        ...{ key, owner, at, capability, sentAt, everywhere },
        title: titleOf(create),
        isForgotten: true,
      });
  }
  const task = await taskOf(rows, mark);
  if (!task) return [];
  const { at, owner, saved } = task;
  // The history has no result that came without a task.
  if (saved.id)
    await rows.put("tasks", { key: task.key, owner, at, everywhere });
  else await rows.delete("tasks", task.key);
  return saved.id ? [saved.id] : [];
}

/** Changes the metadata of a create, a task, or the task of a create. */
export async function changeMetadata(
  rows: Changes,
  mark: Mark,
  change: (metadata: unknown) => unknown,
): Promise<void> {
  const create = await createOf(rows, mark);
  if (create) {
    const metadata = change(create.metadata);
    await rows.put("creates", { ...create, metadata });
    return;
  }
  const task = await taskOf(rows, mark);
  if (task)
    await rows.put("tasks", { ...task, metadata: change(task.metadata) });
}

/** Notes that the gateway has forgotten tasks. Their rows stay, since a late response may list them. */
export async function noteForgotten(
  rows: Changes,
  ids: readonly string[],
): Promise<void> {
  for (const id of ids) {
    const row = await rows.get("tasks", id);
    if (row && !row.saved)
      await rows.put("tasks", { ...row, everywhere: false });
  }
}

/** Stores what a page has read of a task, in its stored form. */
export async function storeSnapshot(
  rows: Changes,
  key: TaskKey,
  snapshot: TaskSnapshot,
): Promise<void> {
  const row = await rows.get("tasks", key);
  if (!row?.saved || isSame(row.snapshot, snapshot)) return;
  const endedAt = endOf(snapshot, row.endedAt);
  await rows.put("tasks", { ...row, snapshot, endedAt });
}

async function createOf(
  rows: Changes,
  { key, owner }: Mark,
): Promise<CreateRow | undefined> {
  const row =
    typeof key === "string" ? await rows.get("creates", key) : undefined;
  return row?.isForgotten || row?.owner !== owner ? undefined : row;
}

async function taskOf(
  rows: Changes,
  { key, owner }: Mark,
): Promise<TaskRow | undefined> {
  const row = await rows.get("tasks", key);
  if (row) return row.saved ? row : undefined;
  return typeof key === "string" ? rows.taskOf(key, owner) : undefined;
}
