import { useCallback, useEffect, useRef, useState } from "react";
import type { MediagateError } from "../error.js";
import type { Media } from "../media.js";
import type {
  StoredTask,
  StoringMedia,
  TaskStore,
  UnfinishedCreate,
} from "../store.js";
import type { HistoryEntry } from "../types/history.js";

export interface HistoryView {
  /** The tasks of the pages so far, newest first; empty before the first page. */
  readonly tasks: readonly HistoryEntry[];
  readonly isLoading: boolean;
  readonly hasMore: boolean;
  /** The reason why the last page could not be read. */
  readonly error: MediagateError | undefined;
  /** Reads the next page, or the page that could not be read. The same in each render. */
  readonly loadMore: () => void;
  /** Reads the first page again, and drops the others. The same in each render. */
  readonly refresh: () => void;
}

/**
 * Reads the history of the user, page by page.
 *
 * @param options - `limit`: the tasks and pipelines of a page, 50 by default.
 * @example
 * ```tsx
 * import type { Media } from "mediagate";
 * import { useHistory } from "mediagate/react";
 *
 * export function Tasks({ media }: { media?: Media }) {
 *   const { tasks, hasMore, loadMore } = useHistory(media);
 *   return (
 *     <>
 *       <ul>{tasks.map(({ id, title, state }) => <li key={id}>{title}: {state}</li>)}</ul>
 *       {hasMore && <button onClick={loadMore}>More</button>}
 *     </>
 *   );
 * }
 * ```
 */
export function useHistory(
  media: Media | undefined,
  { limit }: { limit?: number } = {},
): HistoryView {
  const [view, setView] = useState(EMPTY_HISTORY);
  const reading = useRef<AbortController>(undefined);
  const next = useRef<string>(undefined);
  const hasRead = useRef(false);

  const read = useCallback(
    async (isFirst: boolean) => {
      if (!media) return;
      reading.current?.abort();
      const controller = new AbortController();
      const { signal } = controller;
      reading.current = controller;
      setView((last) => ({ ...last, isLoading: true, error: undefined }));
      try {
        const cursor = isFirst ? undefined : next.current;
        const page = await media.tasks.list({ limit, cursor, signal });
        if (signal.aborted) return;
        next.current = page.cursor;
        hasRead.current = true;
        setView((last) => ({
          tasks: isFirst ? page.tasks : [...last.tasks, ...page.tasks],
          isLoading: false,
          hasMore: page.cursor !== undefined,
          error: undefined,
        }));
      } catch (error) {
        if (signal.aborted) return;
        setView((last) => ({
          ...last,
          isLoading: false,
          error: error as MediagateError,
        }));
      }
    },
    [media, limit],
  );

  useEffect(() => {
    void read(true);
    return () => {
      reading.current?.abort();
      next.current = undefined;
      hasRead.current = false;
      setView(EMPTY_HISTORY);
    };
  }, [read]);

  const loadMore = useCallback(() => {
    // After the last page there is no cursor, either.
    if (!hasRead.current) void read(true);
    else if (next.current !== undefined) void read(false);
  }, [read]);
  const refresh = useCallback(() => {
    void read(true);
  }, [read]);
  return { ...view, loadMore, refresh };
}

const EMPTY_HISTORY: Omit<HistoryView, "loadMore" | "refresh"> = {
  tasks: [],
  isLoading: false,
  hasMore: false,
  error: undefined,
};

export interface StoredView {
  /** The stored tasks, oldest first; empty until they are read. */
  readonly tasks: readonly StoredTask[];
  /** The creates that are not tasks yet, oldest first. */
  readonly creates: readonly UnfinishedCreate[];
  /** The reason why the store could not be read. */
  readonly error: unknown;
}

/**
 * Lists what a store has for the user of a client, and follows its changes, also those of other
 * tabs.
 */
export function useStoredTasks(
  store: TaskStore | undefined,
  media: Media | StoringMedia | undefined,
): StoredView {
  const [view, setView] = useState(EMPTY_STORE);
  useEffect(() => {
    if (!store || !media) return;
    let isCurrent = true;
    const read = async () => {
      try {
        const [tasks, creates] = await Promise.all([
          store.tasks(media),
          store.creates(media),
        ]);
        if (isCurrent) setView({ tasks, creates, error: undefined });
      } catch (error) {
        if (isCurrent) setView({ ...EMPTY_STORE, error });
      }
    };
    void read();
    const unsubscribe = store.subscribe(() => void read());
    return () => {
      isCurrent = false;
      unsubscribe();
      setView(EMPTY_STORE);
    };
  }, [store, media]);
  return view;
}

const EMPTY_STORE: StoredView = { tasks: [], creates: [], error: undefined };
