/** The tasks that an earlier version of this page stored in localStorage. */
import { addEntries } from "./database";
import type { Entry } from "./entry";

const PREFIX = "mediagate.playground.task.";

/** Moves them to IndexedDB. Where they cannot be stored there, they stay. */
export async function importEarlier(): Promise<Entry[]> {
  const keys = storedKeys();
  const found = keys.map((it) => parse(localStorage.getItem(it))).filter((it) => it !== undefined);
  if (keys.length === 0 || !(await addEntries(found))) return found;
  for (const it of keys) localStorage.removeItem(it);
  return found;
}

/** None where storage is forbidden. */
function storedKeys(): string[] {
  try {
    return Object.keys(localStorage).filter((it) => it.startsWith(PREFIX));
  } catch {
    return [];
  }
}

/** `undefined` for an item of another program. */
function parse(text: string | null): Entry | undefined {
  try {
    const entry = JSON.parse(text ?? "null");
    return typeof entry?.key === "string" && Array.isArray(entry.outputs) ? withStep(entry) : undefined;
  } catch {
    return undefined;
  }
}

/** An entry without a task was stored before its create was sent. */
function withStep(entry: Entry): Entry {
  if (entry.saved) return entry;
  const { failure, paused, ...rest } = entry;
  if (!failure) return { ...rest, step: paused ? "unknown" : "sending" };
  return { ...rest, step: "unknown", failure: { ...failure, unknown: "client" } };
}
