/** The list of tasks, newest first: one item of localStorage each, so that tabs do not overwrite each other's. */
import { signal } from "@preact/signals";
import type { Entry } from "./entry";
import { forgetMade } from "./made";

const PREFIX = "mediagate.playground.task.";
/** Older ones are dropped when a new one comes. */
const MOST = 50;

export const entries = signal<readonly Entry[]>(readAll());

export function put(entry: Entry): void {
  keep(entry);
  const others = entries.value.filter((it) => it.key !== entry.key);
  const all = sorted([entry, ...others]);
  entries.value = all.slice(0, MOST);
  all.slice(MOST).forEach((it) => forget(it.key));
}

/** Changes one entry, where it is still in the list. */
export function change(key: string, changes: Partial<Entry>): void {
  const entry = entries.value.find((it) => it.key === key);
  if (entry) put({ ...entry, ...changes });
}

export function remove(key: string): void {
  forget(key);
  entries.value = entries.value.filter((it) => it.key !== key);
}

/** Calls back with each task that another tab has made, once it has one, and shows what it has changed. */
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

function forget(key: string): void {
  localStorage.removeItem(PREFIX + key);
  forgetMade(key);
}

function keep(entry: Entry): void {
  try {
    localStorage.setItem(PREFIX + entry.key, JSON.stringify(entry));
  } catch {
    // Full or forbidden: the list then lives as long as the page.
  }
}

function readAll(): Entry[] {
  const keys = Object.keys(localStorage).filter((it) => it.startsWith(PREFIX));
  return sorted(keys.map((it) => parse(localStorage.getItem(it))).filter((it) => it !== undefined));
}

/** What an older version or another program left there is no reason to fail. */
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
