/** Finds tasks by their titles, states and inputs. */
import { isChosen, isReference } from "../results/reference";
import type { Values } from "../storage";
import { capabilityTitle, type Entry, stateOf } from "./entry";

/** How much of an input can be found. */
const MAX_WORDS_LENGTH = 2_000;

/** The words of an input: its texts, its numbers, and the names of its files and results. */
export function wordsOf(value: unknown): string {
  return textsIn(value).join(" ").slice(0, MAX_WORDS_LENGTH);
}

/** The most characters of a prompt on a card. */
const MAX_SUMMARY_LENGTH = 200;

/** The prompt of an input, or the names of its files. */
export function summaryOf({ prompt, text, ...others }: Values): string {
  const written = [prompt, text].find(
    (value) => typeof value === "string" && value.trim() !== "",
  );
  const names = Object.values(others)
    .flat()
    .filter(isChosen)
    .map((chosen) => chosen.name);
  const summary = typeof written === "string" ? written : names.join(", ");
  return summary.slice(0, MAX_SUMMARY_LENGTH);
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string" || typeof value === "number")
    return [String(value)];
  if (value instanceof File || isReference(value)) return [value.name];
  return typeof value === "object" && value !== null
    ? Object.values(value).flatMap(textsIn)
    : [];
}

/** The tasks that have every word of the query. */
export function search(
  entries: readonly Entry[],
  query: string,
): readonly Entry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return entries;
  return entries.filter((it) => {
    const text = textOf(it);
    return words.every((word) => text.includes(word));
  });
}

const texts = new WeakMap<Entry, string>();

function textOf(entry: Entry): string {
  const { title = "", capability, words = "" } = entry;
  const text =
    texts.get(entry) ??
    `${title} ${capabilityTitle(entry)} ${capability} ${entry.state} ${stateOf(entry)} ${words}`.toLowerCase();
  texts.set(entry, text);
  return text;
}
