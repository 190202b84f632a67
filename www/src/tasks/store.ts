/** The list of tasks, newest first, which every tab shows and IndexedDB stores. */
import { computed, signal } from "@preact/signals";
import { taskInputStorage } from "../storage";
import { addEntries, changeEntries, deleteEntries, type Message, onMessage, readEntries } from "./database";
import { importEarlier } from "./earlier";
import type { Entry } from "./entry";
import { afterPage } from "./page";
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

export const entries = computed(() => records.value.filter((it) => it.removedBy === undefined));

/** A task, also if it was removed. */
export function findEntry(key: string): Entry | undefined {
  return byKey.value.get(key);
}

/** Lists a new task. */
export function add(entry: Entry): Promise<boolean> {
  insert([entry]);
  return addEntries([entry]);
}

/** Changes one task, if it is still there. */
export function update(key: string, changes: Partial<Entry>): Promise<boolean> {
  return updateAll([key], changes);
}

export function updateAll(keys: readonly string[], changes: Partial<Entry>): Promise<boolean> {
  change(keys, changes);
  return changeEntries(keys, changes);
}

/** Deletes tasks and their inputs for good. */
export function erase(keys: readonly string[]): Promise<boolean> {
  drop(keys);
  deleteInputs(keys);
  return deleteEntries(keys);
}

/** Reads the stored tasks. */
export async function load(): Promise<void> {
  // Before the tasks, since an input is stored after its task: the input of one that is created now is no orphan.
  const inputs = await taskInputStorage.keys();
  const earlier = await importEarlier();
  const stored = await readEntries();
  // Those that are stored are newer.
  insert([...earlier, ...(stored ?? [])]);
  isLoaded.value = true;
  markLoaded();
  if (!stored) return;
  deleteInputs(inputs.filter((it) => !byKey.value.has(it)));
  const pages = new Set(stored.flatMap((it) => it.removedBy ?? []));
  for (const it of pages) void eraseAfter(it);
}

/** Deletes what a page removed, once that page is gone and cannot bring it back. */
async function eraseAfter(page: string): Promise<void> {
  await afterPage(page);
  await erase(records.value.filter((it) => it.removedBy === page).map((it) => it.key));
}

/** Shows what other tabs do, and calls back with the tasks that they changed. */
export function onChangedElsewhere(loaded: Promise<void>, changed: (keys: readonly string[]) => void): void {
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
  records.value = [...all.values()].sort((one, other) => other.startedAt - one.startedAt);
}

function change(keys: readonly string[], changes: Partial<Entry>): void {
  const changed = new Set(keys);
  records.value = records.value.map((it) => (changed.has(it.key) ? { ...it, ...changes } : it));
}

function drop(keys: readonly string[]): void {
  const dropped = new Set(keys);
  records.value = records.value.filter((it) => !dropped.has(it.key));
}
