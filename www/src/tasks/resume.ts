/** Resumes the tasks that were not over when the page was left, and those of other tabs. */
import { client } from "../client";
import { taskInputStorage } from "../storage";
import { retryCreate } from "./create";
import { type Entry, isOver } from "./entry";
import { entries, onAdded, put } from "./store";
import { attempt, watch } from "./watch";

export function resumeAll(): void {
  entries.value.forEach(resume);
  onAdded(resume);
  void taskInputStorage.deleteOthers(new Set(entries.value.map((it) => it.key)));
}

/** Resumes the tasks whose watch ended because the gateway could not be reached. */
export function resumeLost(): void {
  entries.value.filter((it) => it.paused && it.failure?.code === "network").forEach(restart);
}

export function restart(entry: Entry): void {
  const restarted = { ...entry, paused: false, failure: undefined };
  put(restarted);
  resume(restarted);
}

/** Watches a created task again, or repeats a create whose response never arrived. */
function resume(entry: Entry): void {
  if (isOver(entry.state) || entry.paused) return;
  const { saved } = entry;
  if (saved) void watch(entry.key, async () => (await client()).task(saved));
  else void attempt(entry.key, async (signal) => retryCreate(await client(), entry, signal));
}
