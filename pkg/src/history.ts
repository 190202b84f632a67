import type { Connection } from "./connection.js";
import { checkOptions, checkPage, isObject, type Limits } from "./options.js";
import { outputsOf } from "./output.js";
import {
  type PipelineRecord,
  pipelineOf,
  present,
  recordsOf,
  type TaskEntryRecord,
} from "./records.js";
import type {
  HistoryEntry,
  ListOptions,
  PagePromise,
  TaskPage,
} from "./types/history.js";

/** Requests a page of the history. */
export async function historyPage(
  connection: Connection,
  defaults: Limits,
  options: ListOptions | undefined,
): Promise<TaskPage> {
  const limits = checkOptions(options, defaults);
  const query = checkPage(options ?? {});
  const data = await connection.call(limits, (client, wasmLimits) =>
    client.tasks(query, wasmLimits),
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
 * @returns The promise of the first page. Both the promise and the page iterate the entries of all
 * pages.
 */
export function pages<Page extends { readonly cursor?: string }, Entry>(
  pageAt: (cursor?: string) => Promise<Page>,
  entriesOf: (page: Page) => readonly Entry[],
): PagePromise<Page, Entry> {
  async function* entries(first: Page | Promise<Page>) {
    let page = await first;
    yield* entriesOf(page);
    // The last page has no cursor. A gateway that repeats cursors would never send that page.
    const cursors = new Set<string>();
    while (page.cursor !== undefined && !cursors.has(page.cursor)) {
      cursors.add(page.cursor);
      page = await pageAt(page.cursor);
      yield* entriesOf(page);
    }
  }
  const first = pageAt().then((page) => iterating(page, () => entries(page)));
  return iterating(first, () => entries(first));
}

/** Gives an object an iteration, which a console and a comparison do not show. */
function iterating<Item extends object, Entry>(
  item: Item,
  entries: () => AsyncGenerator<Entry>,
): Item & AsyncIterable<Entry> {
  return Object.defineProperty(item, Symbol.asyncIterator, {
    value: entries,
  }) as Item & AsyncIterable<Entry>;
}

/** Returns a task in the history. */
function taskEntryOf(record: TaskEntryRecord): HistoryEntry {
  const { id, capability, title, unfinished, state, error, outcome } = record;
  const createdAt = record.created_at;
  const endedAt = record.ended_at;
  return present({
    id,
    capability,
    title,
    createdAt,
    endedAt,
    unfinished,
    state,
    outputs: outputsOf(record.outputs, id),
    error,
    outcome,
  });
}
