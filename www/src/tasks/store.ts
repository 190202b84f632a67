/** The list of tasks, newest first: one localStorage item each, so that tabs do not overwrite each other's tasks. */
import { signal } from "@preact/signals";
import type { Entry } from "./entry";
import { deleteInput } from "./taskInput";

const PREFIX = "mediagate.playground.task.";
/** The oldest tasks over this limit are dropped. */
const MAX_TASKS = 50;

export const entries = signal<readonly Entry[]>(readAll());

export function put(entry: Entry): void {
  save(entry);
  const others = entries.value.filter((it) => it.key !== entry.key);
  const all = sorted([entry, ...others]);
  entries.value = all.slice(0, MAX_TASKS);
  for (const it of all.slice(MAX_TASKS)) deleteStored(it.key);
}

export function findEntry(key: string): Entry | undefined {
  return entries.value.find((it) => it.key === key);
}

/** Changes one entry, if it is still in the list. */
export function update(key: string, changes: Partial<Entry>): void {
  const entry = findEntry(key);
  if (entry) put({ ...entry, ...changes });
}

export function remove(key: string): void {
  deleteStored(key);
  entries.value = entries.value.filter((it) => it.key !== key);
}

/** Calls back with each task that another tab has created, and shows the changes of other tabs. */
export function onAdded(added: (entry: Entry) => void): void {
  addEventListener("storage", ({ key, newValue }) => {
    if (!key?.startsWith(PREFIX)) return;
    const before = entries.value.find((it) => PREFIX + it.key === key);
    const others = entries.value.filter((it) => it !== before);
    const entry = newValue === null ? undefined : parse(newValue);
    entries.value = entry ? sorted([entry, ...others]) : others;
    if (entry?.saved && !before?.saved) added(entry);
  });
}

function deleteStored(key: string): void {
  localStorage.removeItem(PREFIX + key);
  deleteInput(key);
}

function save(entry: Entry): void {
  try {
    localStorage.setItem(PREFIX + entry.key, JSON.stringify(entry));
  } catch {
    // Storage is full or forbidden: the list lasts as long as the page.
  }
}

function readAll(): Entry[] {
  const keys = Object.keys(localStorage).filter((it) => it.startsWith(PREFIX));
  return sorted(keys.map((it) => parse(localStorage.getItem(it))).filter((it) => it !== undefined));
}

/** `undefined` for an item of an older version or of another program. */
function parse(text: string | null): Entry | undefined {
  try {
    const entry = JSON.parse(text ?? "null");
    return typeof entry?.key === "string" && Array.isArray(entry.outputs) ? entry : undefined;
  } catch {
    return undefined;
  }
}

function sorted(list: Entry[]): Entry[] {
  return list.sort((one, other) => other.startedAt - one.startedAt);
}
