/** The list of tasks, newest first. Every tab shows it, and IndexedDB stores it. */
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
import { type Entry, isOver } from "./entry";
import { deleteInputs } from "./taskInput";

export const records = signal<readonly Entry[]>([]);
const byKey = computed(
  () => new Map(records.value.map((entry) => [entry.key, entry])),
);

export const isLoaded = signal(false);

let markLoaded: () => void;
export const whenLoaded = new Promise<void>((resolve) => {
  markLoaded = resolve;
});

/** The entries by the ids of their tasks. This browser's own entries go before the history's. */
const byId = computed(() => {
  const found = new Map<string, Entry>();
  for (const entry of records.value) {
    const id = entry.saved?.id;
    if (id && !(entry.elsewhere && found.has(id))) found.set(id, entry);
  }
  return found;
});

export const twins = computed(() =>
  records.value.filter(
    (entry) => entry.elsewhere && findTask(entry.saved?.id ?? "") !== entry,
  ),
);

export const entries = computed(() => {
  const hidden = new Set(twins.value);
  return records.value.filter(
    (entry) => entry.removedAt === undefined && !hidden.has(entry),
  );
});

export const removedEntries = computed(() =>
  records.value
    .filter(({ removedAt, gone }) => removedAt !== undefined && !gone)
    .sort((one, other) => (other.removedAt ?? 0) - (one.removedAt ?? 0)),
);

/** The tasks and pipelines that the gateway has forgotten. A late response may still list them. */
export const forgotten = new Set<string>();

/** Finds an entry, also of a removed task. */
export function findEntry(key: string): Entry | undefined {
  return byKey.value.get(key);
}

export function findTask(id: string): Entry | undefined {
  return byId.value.get(id);
}

export function isUnfinished(id: string): boolean {
  const task = findTask(id);
  return task !== undefined && !isOver(task.state);
}

export function add(entry: Entry): Promise<boolean> {
  return addAll([entry]);
}

export async function addAll(added: readonly Entry[]): Promise<boolean> {
  if (added.length === 0) return true;
  insert(added);
  return addEntries(added);
}

/** Changes a task, unless it is deleted. Resolves to false if the browser does not store it. */
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

/** The changes that reduce a task to the members that recognise it in the gateway's history. */
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

/** Deletes removed tasks and their inputs. Their records stay, to recognise them in the history. */
export async function bury(keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  deleteInputs(keys);
  const named = keys.filter((key) => findEntry(key)?.saved);
  await updateAll(keys, GONE);
  // The other tasks have no id, and are recognised by their titles.
  await updateAll(named, { title: undefined });
}

export async function erase(keys: readonly string[]): Promise<boolean> {
  if (keys.length === 0) return true;
  drop(keys);
  deleteInputs(keys);
  return deleteEntries(keys);
}

export async function load(): Promise<void> {
  // The inputs are read before the tasks, since another tab may store a task now, and its input
  // after that. Such an input is no orphan.
  const inputs = await taskInputStorage.keys();
  const stored = await readEntries();
  insert(stored ?? []);
  isLoaded.value = true;
  markLoaded();
  if (!stored) return;
  deleteInputs(inputs.filter((key) => !byKey.value.has(key)));
}

/** Applies the changes of other tabs, and calls `changed` with the keys of the tasks. */
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

function insert(added: readonly Entry[]): void {
  const all = new Map(added.map((entry) => [entry.key, entry]));
  // The entries in the list are newer than those that were read.
  for (const entry of records.value) all.set(entry.key, entry);
  records.value = [...all.values()].sort(
    (one, other) => other.startedAt - one.startedAt,
  );
}

function change(keys: readonly string[], changes: Partial<Entry>): void {
  const changed = new Set(keys);
  records.value = records.value.map((entry) =>
    changed.has(entry.key) ? { ...entry, ...changes } : entry,
  );
}

function drop(keys: readonly string[]): void {
  const dropped = new Set(keys);
  records.value = records.value.filter(({ key }) => !dropped.has(key));
}
