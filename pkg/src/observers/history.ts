import type { MediagateError } from "../error.js";
import type { HistoryEntry } from "../types/history.js";
import { type MediaSource, Source } from "./connection.js";
import { type Observer, Subject } from "./observer.js";

export interface HistoryState {
  /** The tasks of the pages so far, newest first; empty before the first page. */
  readonly tasks: readonly HistoryEntry[];
  readonly isLoading: boolean;
  readonly hasMore: boolean;
  /** The reason why the last page could not be read. */
  readonly error: MediagateError | undefined;
}

export interface HistoryActions {
  /** Reads the next page, or the page that could not be read. */
  loadMore(): void;
  /** Reads the first page again, and drops the others. */
  refresh(): void;
}

export type HistoryObserver = Observer<HistoryState> & HistoryActions;

const EMPTY: HistoryState = {
  tasks: [],
  isLoading: false,
  hasMore: false,
  error: undefined,
};

/**
 * Reads the history of the user, page by page.
 *
 * @param options - `limit`: the tasks and pipelines of a page, 50 by default.
 */
export function observeHistory(
  source: MediaSource,
  { limit }: { limit?: number | undefined } = {},
): HistoryObserver {
  const client = new Source(source);
  let reading = new AbortController();
  let next: string | undefined;
  let hasRead = false;
  const reset = () => {
    reading.abort();
    next = undefined;
    hasRead = false;
    subject.change(EMPTY);
  };
  const subject = new Subject(EMPTY, (signal) => {
    signal.addEventListener("abort", reset);
    client.follow(signal, ({ error }) => {
      reset();
      if (error) subject.change({ error });
      else void read(true);
    });
  });

  const read = async (isFirst: boolean): Promise<void> => {
    const { media, error } = client.state;
    if (error) client.retry();
    if (!media) return;
    reading.abort();
    reading = new AbortController();
    const { signal } = reading;
    subject.change({ isLoading: true, error: undefined });
    try {
      const cursor = isFirst ? undefined : next;
      const page = await media.tasks.list({ limit, cursor, signal });
      if (signal.aborted) return;
      next = page.cursor;
      hasRead = true;
      const before = isFirst ? [] : subject.getSnapshot().tasks;
      subject.change({
        tasks: [...before, ...page.tasks],
        isLoading: false,
        hasMore: next !== undefined,
      });
    } catch (error) {
      if (signal.aborted) return;
      subject.change({ isLoading: false, error: error as MediagateError });
    }
  };
  const loadMore = () => {
    if (subject.getSnapshot().isLoading) return;
    // After the last page there is no cursor, either.
    if (!hasRead) void read(true);
    else if (next !== undefined) void read(false);
  };
  const refresh = () => void read(true);
  const { subscribe, getSnapshot } = subject;
  return { subscribe, getSnapshot, loadMore, refresh };
}
