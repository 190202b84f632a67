/** Taking up what was not over when the page was left, here and in other tabs. */
import { client } from "../client";
import { made } from "../kept";
import { beginAgain } from "./begin";
import { isOver, type Entry } from "./entry";
import { entries, onAdded, put } from "./store";
import { attempt, watch } from "./watch";

export function resumeAll(): void {
  entries.value.forEach(resume);
  onAdded(resume);
  void made.tidy(new Set(entries.value.map((it) => it.key)));
}

export function startAgain(entry: Entry): void {
  const again = { ...entry, paused: false, failure: undefined };
  put(again);
  resume(again);
}

/** Watches a kept task again, or asks again for one whose answer never came. */
function resume(entry: Entry): void {
  if (isOver(entry.state) || entry.paused) return;
  const { saved } = entry;
  if (saved) void watch(entry.key, async () => (await client()).task(saved));
  else void attempt(entry.key, async (signal) => beginAgain(await client(), entry, signal));
}
