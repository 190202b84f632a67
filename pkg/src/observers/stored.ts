import type { Media } from "../media.js";
import type {
  StoredTask,
  TaskStore,
  UnfinishedCreate,
} from "../types/store.js";
import { type MediaSource, Source } from "./connection.js";
import { type Observer, Subject } from "./observer.js";
import { type StoreOption, storeFor } from "./restoring.js";

/** The tasks and the creates that a store has for a user. */
export interface StoredState {
  /** The stored tasks, oldest first; empty until they are read. */
  readonly tasks: readonly StoredTask[];
  /** The creates that are not tasks yet, oldest first. */
  readonly creates: readonly UnfinishedCreate[];
  /** True once the store was read. */
  readonly isRead: boolean;
  /** The reason why the store could not be read. */
  readonly error: Error | undefined;
}

const EMPTY: StoredState = {
  tasks: [],
  creates: [],
  isRead: false,
  error: undefined,
};

/** The options of {@link observeStoredTasks}. */
export interface StoredOptions {
  /**
   * The store.
   *
   * @defaultValue the store of the client, or else that of `openStore()`
   */
  store?: StoreOption;
  /**
   * True to also list the creates that a tab is working on.
   *
   * @defaultValue false
   */
  running?: boolean | undefined;
}

/** Lists the tasks and creates of a client's user in a store, and follows changes by any tab. */
export function observeStoredTasks(
  source: MediaSource,
  options: StoredOptions = {},
): Observer<StoredState> {
  const client = new Source(source);
  const subject = new Subject(EMPTY, (end) => {
    end.addEventListener("abort", () => subject.change(EMPTY));
    client.follow(end, ({ media, error }, signal) => {
      subject.change({ ...EMPTY, error });
      if (!media) return;
      storeFor(media, options.store).then(
        (store) => {
          if (store && !signal.aborted) follow(store, media, signal);
        },
        (error) => {
          if (!signal.aborted) subject.change({ ...EMPTY, error });
        },
      );
    });
  });
  const follow = (store: TaskStore, media: Media, signal: AbortSignal) => {
    let last = 0;
    const read = async () => {
      last += 1;
      const own = last;
      // A read may end after a later one.
      const show = (state: StoredState) => {
        if (!signal.aborted && own === last) subject.change(state);
      };
      try {
        // In this order, since a create that becomes a task meanwhile must be in one of them.
        const { running } = options;
        const unfinished = await store.creates(media, { running });
        const tasks = await store.tasks(media);
        const keys = new Set(tasks.map((task) => task.idempotencyKey));
        const creates = unfinished.filter(
          (create) => !keys.has(create.idempotencyKey),
        );
        show({ tasks, creates, isRead: true, error: undefined });
      } catch (error) {
        show({ ...EMPTY, error: error as Error });
      }
    };
    void read();
    const end = store.subscribe(() => void read());
    // A tab that is closed sends no change.
    const readIfVisible = () => {
      if (!document.hidden) void read();
    };
    globalThis.document?.addEventListener("visibilitychange", readIfVisible);
    signal.addEventListener("abort", () => {
      end();
      globalThis.document?.removeEventListener(
        "visibilitychange",
        readIfVisible,
      );
    });
  };
  const { subscribe, getSnapshot } = subject;
  return { subscribe, getSnapshot };
}
