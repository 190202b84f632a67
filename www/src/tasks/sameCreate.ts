/** Matches creates without a response to tasks of the history, which has no keys of creates. */
import type { HistoryEntry } from "mediagate";
import { type Entry, isRepeatable, isSubmitting } from "./entry";

/** The largest difference between the clocks of the browser and the gateway, in milliseconds. */
const SKEW_MS = 60_000;
/** The longest time from a create's first request until it reaches the gateway, in milliseconds. */
const REPEATED_MS = 600_000;
/** The most characters of a title in the history. */
const MAX_TITLE = 200;

/**
 * Returns true if a create without a response may have made a task of the history. Once the gateway
 * has forgotten the key, the create cannot be repeated, so the task is listed beside it.
 */
export function isSameCreate(entry: Entry, listed: HistoryEntry): boolean {
  const { saved, sentAt, gone, capability } = entry;
  if (saved || sentAt === undefined || capability !== listed.capability)
    return false;
  const isOpen =
    gone ||
    isSubmitting(entry) ||
    isRepeatable(entry) ||
    listed.outcome === "unknown";
  const isSameTitle =
    (entry.title ?? "").slice(0, MAX_TITLE) === (listed.title ?? "");
  const createdAt = Date.parse(listed.createdAt);
  return (
    isOpen &&
    isSameTitle &&
    createdAt > sentAt - SKEW_MS &&
    createdAt < sentAt + REPEATED_MS
  );
}
