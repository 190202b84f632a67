import { isChosen, isReference } from "../results/reference";
import type { Values } from "../storage";
import { capabilityTitle, type Entry, stateOf } from "./entry";

const MAX_WORDS_LENGTH = 2_000;

function wordsOf(value: unknown): string {
  return textsIn(value).join(" ").slice(0, MAX_WORDS_LENGTH);
}

const MAX_SUMMARY_LENGTH = 200;

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

export function search(
  entries: readonly Entry[],
  query: string,
): readonly Entry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return entries;
  return entries.filter((entry) => {
    const text = textOf(entry);
    return words.every((word) => text.includes(word));
  });
}

/** The searched texts. A changed task is another entry, so the text of an entry stays true. */
const texts = new WeakMap<Entry, string>();

function textOf(entry: Entry): string {
  const { title = "", capability, state, values } = entry;
  const parts = [title, capabilityTitle(entry), capability, state];
  const text =
    texts.get(entry) ??
    [...parts, stateOf(entry), wordsOf(values)].join(" ").toLowerCase();
  texts.set(entry, text);
  return text;
}
