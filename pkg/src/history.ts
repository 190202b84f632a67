import type { Scope } from "./connection.js";
import { checkPage, isObject } from "./options.js";
import { outputsOf } from "./output.js";
import { pipelineEntryOf, recordsOf, taskEntryOf } from "./records.js";
import type { ListOptions, PagePromise, TaskPage } from "./types/history.js";

export async function historyPage(
  scope: Scope,
  options: ListOptions | undefined,
): Promise<TaskPage> {
  const checked = scope.check(options, "list");
  const query = checkPage(options ?? {});
  const data = await scope.call(checked, (client, limits) =>
    client.tasks(query, limits),
  );
  const { tasks, pipelines, cursor } = isObject(data) ? data : {};
  return {
    tasks: entriesOf(tasks).map((task) => ({
      ...taskEntryOf(task),
      outputs: outputsOf(task.outputs, String(task.id)),
    })),
    pipelines: entriesOf(pipelines).map(pipelineEntryOf),
    ...(typeof cursor === "string" && { cursor }),
  };
}

function entriesOf(list: unknown) {
  return recordsOf(list).filter(({ id }) => id);
}

/** Requests the first page at once, and each further page when an iteration needs it. */
export function pages<Page extends { readonly cursor?: string }, Entry>(
  options: ListOptions | undefined,
  request: (options: ListOptions | undefined) => Promise<Page>,
  itemsOf: (page: Page) => readonly Entry[],
): PagePromise<Page, Entry> {
  async function* entries(first: Page | Promise<Page>) {
    let page = await first;
    yield* itemsOf(page);
    // The last page has no cursor. A gateway that repeats cursors would never send that page.
    const cursors = new Set<string>();
    while (page.cursor !== undefined && !cursors.has(page.cursor)) {
      cursors.add(page.cursor);
      page = await request({ ...options, cursor: page.cursor });
      yield* itemsOf(page);
    }
  }
  const first = request(options).then((page) =>
    iterating(page, () => entries(page)),
  );
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
