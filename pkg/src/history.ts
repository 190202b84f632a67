import type { Connection } from "./connection.js";
import { checkLimits, checkPage, isObject, type Limits } from "./options.js";
import {
  type PipelineRecord,
  pipelineOf,
  recordsOf,
  type TaskEntryRecord,
  taskEntryOf,
} from "./records.js";
import type { ListOptions, TaskPage } from "./types/history.js";

/** Requests a page of the history. */
export async function historyPage(
  connection: Connection,
  defaults: Limits,
  options: ListOptions | undefined,
): Promise<TaskPage> {
  const limits = checkLimits(options, defaults);
  const query = checkPage(options ?? {});
  const data = await connection.call(limits, (client, limits) =>
    client.tasks(query, limits),
  );
  const { tasks, pipelines, cursor } = isObject(data) ? data : {};
  return {
    tasks: recordsOf<TaskEntryRecord>(tasks).filter(hasId).map(taskEntryOf),
    pipelines: recordsOf<PipelineRecord>(pipelines)
      .filter(hasId)
      .map(pipelineOf),
    ...(typeof cursor === "string" && { cursor }),
  };
}

function hasId({ id }: { id: string }): boolean {
  return Boolean(id);
}

/**
 * Requests the first page at once, and further pages as an iteration needs them.
 *
 * @param pageAt - Requests the page of a cursor; without one, the first page.
 * @param entriesOf - Returns the entries of a page that an iteration yields.
 * @returns The promise of the first page, which iterates the entries of all pages.
 */
export function pages<Page extends { readonly cursor?: string }, Entry>(
  pageAt: (cursor?: string) => Promise<Page>,
  entriesOf: (page: Page) => readonly Entry[],
): Promise<Page> & AsyncIterable<Entry> {
  const first = pageAt();
  async function* entries() {
    let page = await first;
    yield* entriesOf(page);
    // A gateway that repeats a cursor would have the iteration go on forever.
    const cursors = new Set<string>();
    while (page.cursor && !cursors.has(page.cursor)) {
      cursors.add(page.cursor);
      page = await pageAt(page.cursor);
      yield* entriesOf(page);
    }
  }
  return Object.assign(first, { [Symbol.asyncIterator]: entries });
}
