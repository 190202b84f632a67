/** Which task of the gateway's history a create without a response may have made: the history does not have creates' keys. */
import type { HistoryEntry } from "mediagate";
import { type Entry, isRepeatable, isSubmitting } from "./entry";

/** How far the clocks of the browser and the gateway may be apart, in milliseconds. */
const SKEW_MS = 60_000;
/** How long after its first request a create may reach the gateway, in milliseconds. */
const REPEATED_MS = 600_000;
/** How much of a title the history has. */
const MAX_TITLE = 200;

/**
 * Whether this task of the history may be the one of a create whose response has not arrived. Once the gateway has
 * forgotten the create's key, so that it cannot be repeated, a task that was made is listed beside it.
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
