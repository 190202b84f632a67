/** The results that are gone: those whose renewed URL did not load either. */
import { signal } from "@preact/signals";
import { online } from "../parts/online";
import type { Entry } from "../tasks/entry";
import { loadables } from "./output";

/** The URLs that were renewed, and have not been loaded yet. An older URL may have expired. */
const renewed = new Set<string>();

const gone = signal<ReadonlySet<string>>(new Set());

export function isGone(url: string): boolean {
  return gone.value.has(url);
}

/** Returns true if a task has results, and all of them are gone. */
export function hasOnlyGone(entry: Entry): boolean {
  const results = loadables(entry);
  return results.length > 0 && results.every(({ url }) => isGone(url));
}

export function noteRenewed(urls: readonly string[]): void {
  for (const url of urls) renewed.add(url);
}

export function noteLoaded(url: string): void {
  renewed.delete(url);
  if (!gone.peek().has(url)) return;
  gone.value = new Set([...gone.peek()].filter((other) => other !== url));
}

export function noteFailure(url: string): void {
  if (online.peek() && renewed.has(url))
    gone.value = new Set([...gone.peek(), url]);
}
