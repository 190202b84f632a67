/** The list of tasks, newest first, which every tab shows and IndexedDB stores. */
import { computed, signal } from "@preact/signals";
import { taskInputStorage } from "../storage";
import {
  addEntries,
  changeEntries,
  deleteEntries,
  type Message,
  onMessage,
  readEntries,
} from "./database";
import type { Entry } from "./entry";
import { deleteInputs } from "./taskInput";

/** Also those that were removed, and can be brought back. */
export const records = signal<readonly Entry[]>([]);
const byKey = computed(() => new Map(records.value.map((it) => [it.key, it])));

/** Whether the stored tasks are in the list. */
export const isLoaded = signal(false);

let markLoaded: () => void;
/** Resolves once they are. */
export const whenLoaded = new Promise<void>((resolve) => {
  markLoaded = resolve;
});

/** By the ids of their tasks; this browser's own rather than those of the history. */
const byId = computed(() => {
  const found = new Map<string, Entry>();
  for (const it of records.value) {
    const id = it.saved?.id;
    if (id && !(it.elsewhere && found.has(id))) found.set(id, it);
  }
  return found;
});

/** Those of the history that are this browser's own tasks. */
export const twins = computed(() =>
  records.value.filter(
    (it) => it.elsewhere && findTask(it.saved?.id ?? "") !== it,
  ),
);

export const entries = computed(() => {
  const hidden = new Set(twins.value);
  return records.value.filter(
    (it) => it.removedAt === undefined && !hidden.has(it),
  );
});

/** The tasks that were removed and can be restored, the last removed first. */
export const removedEntries = computed(() =>
  records.value
    .filter((it) => it.removedAt !== undefined && !it.gone)
    .sort((one, other) => (other.removedAt ?? 0) - (one.removedAt ?? 0)),
);

/** A task, also if it was removed. */
export function findEntry(key: string): Entry | undefined {
  return byKey.value.get(key);
}

/** The task with this id, also if it was removed. */
export function findTask(id: string): Entry | undefined {
  return byId.value.get(id);
}

/** Lists a new task. */
export function add(entry: Entry): Promise<boolean> {
  return addAll([entry]);
}

export async function addAll(added: readonly Entry[]): Promise<boolean> {
  if (added.length === 0) return true;
  insert(added);
  return addEntries(added);
}

/** Changes one task, if it is still there. */
export function update(key: string, changes: Partial<Entry>): Promise<boolean> {
  return updateAll([key], changes);
}

export function updateAll(
  keys: readonly string[],
  changes: Partial<Entry>,
): Promise<boolean> {
  change(keys, changes);
  return changeEntries(keys, changes);
}

/** What is left of a deleted task; beside it its id, or what its create was. */
const GONE: Partial<Entry> = {
  gone: true,
  step: undefined,
  summary: undefined,
  words: undefined,
  outputs: [],
  emulated: undefined,
  model: undefined,
  credits: undefined,
  failure: undefined,
  progress: undefined,
  eta: undefined,
};

/** Deletes removed tasks and their inputs, but for what it takes to recognise them. */
export async function bury(keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  deleteInputs(keys);
  const named = keys.filter((it) => findEntry(it)?.saved);
  await updateAll(keys, GONE);
  await updateAll(named, { title: undefined });
}

/** Deletes tasks and their inputs for good. */
export async function erase(keys: readonly string[]): Promise<boolean> {
  if (keys.length === 0) return true;
  drop(keys);
  deleteInputs(keys);
  return deleteEntries(keys);
}

/** Reads the stored tasks. */
export async function load(): Promise<void> {
  // Before the tasks, since an input is stored after its task: the input of one that is created now is no orphan.
  const inputs = await taskInputStorage.keys();
  const stored = await readEntries();
  insert(stored ?? []);
  isLoaded.value = true;
  markLoaded();
  if (!stored) return;
  deleteInputs(inputs.filter((it) => !byKey.value.has(it)));
}

/** Shows what other tabs do, and calls back with the tasks that they changed. */
export function onChangedElsewhere(
  loaded: Promise<void>,
  changed: (keys: readonly string[]) => void,
): void {
  onMessage((message) => void loaded.then(() => changed(apply(message))));
}

function apply(message: Message): readonly string[] {
  if ("added" in message) {
    insert(message.added);
    return message.added.map(({ key }) => key);
  }
  if ("changed" in message) {
    change(message.changed, message.changes);
    return message.changed;
  }
  if ("deleted" in message) {
    drop(message.deleted);
    return message.deleted;
  }
  return [];
}

/** Those that the list has already are newer than those that are read. */
function insert(added: readonly Entry[]): void {
  const all = new Map(added.map((it) => [it.key, it]));
  for (const it of records.value) all.set(it.key, it);
  records.value = [...all.values()].sort(
    (one, other) => other.startedAt - one.startedAt,
  );
}

function change(keys: readonly string[], changes: Partial<Entry>): void {
  const changed = new Set(keys);
  records.value = records.value.map((it) =>
    changed.has(it.key) ? { ...it, ...changes } : it,
  );
}

function drop(keys: readonly string[]): void {
  const dropped = new Set(keys);
  records.value = records.value.filter((it) => !dropped.has(it.key));
}
