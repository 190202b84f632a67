import type { CallOptions } from "../types/calls.js";
import type { HistoryEntry, ListOptions, TaskPage } from "../types/history.js";

/** The most entries of a page of the gateway. */
const PAGE = 100;

/**
 * Reads the tasks of the history that are not known, newest first.
 *
 * @param media - The client.
 * @param options - The limits of each request.
 * @param known - The ids of the tasks that are known.
 * @param since - The earliest time of a task, in milliseconds since 1970.
 * @throws {MediagateError} Any code of a read.
 */
export async function unknownTasks(
  media: { tasks: { list(options?: ListOptions): Promise<TaskPage> } },
  options: CallOptions | undefined,
  known: ReadonlySet<string | number>,
  since: number,
): Promise<HistoryEntry[]> {
  const found = new Map<string, HistoryEntry>();
  let cursor: string | undefined;
  for (;;) {
    const page = await media.tasks.list({ ...options, limit: PAGE, cursor });
    const recent = page.tasks.filter(
      (entry) => Date.parse(entry.createdAt) >= since,
    );
    for (const entry of recent) {
      // If the response to a create was lost, there may be no task.
      const isTask = entry.outcome === undefined;
      if (isTask && !known.has(entry.id)) found.set(entry.id, entry);
    }
    // Only an entry that is too old tells that later pages have nothing. A page may be empty, and
    // the tasks of this device may be newer than the unknown ones.
    const hasOld = recent.length < page.tasks.length;
    if (hasOld || page.cursor === undefined || page.cursor === cursor)
      return [...found.values()];
    cursor = page.cursor;
  }
}
