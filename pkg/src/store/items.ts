// The caller's objects for rows: the same object for a row until the row changes.

import { hasEnded } from "../ended.js";
import { invalidArgument, MediagateError } from "../error.js";
import type { Media } from "../media.js";
import type { Pipeline } from "../pipeline.js";
import { Task } from "../task.js";
import type {
  CreateStatus,
  ResumeOptions,
  StoredTask,
  UnfinishedCreate,
  UnfinishedStart,
} from "../types/store.js";
import type { TaskSnapshot } from "../types/task.js";
import {
  inputOf,
  isRepeatable,
  type StartInput,
  usableIds,
} from "./creates.js";
import type {
  CreateRow,
  Database,
  Mark,
  TaskCreateRow,
  TaskKey,
  TaskRow,
} from "./database.js";
import { storeSnapshot } from "./history.js";
import { isSame, snapshotOf, storedOf } from "./snapshots.js";

/**
 * The member of a task or a create that has its row. It is a property, and not an entry of a
 * `WeakMap`, because a framework may put a proxy around the object.
 */
const MARK = Symbol("row");

/** Returns the row of a task or a create of a store; `undefined` for another object. */
export function markOf(item: object): Mark | undefined {
  return (item as { [MARK]?: Mark })[MARK];
}

/** What a caller can do with an unfinished create, or with an unfinished start. */
export interface Actions<Made> {
  resume(options: ResumeOptions | undefined): Promise<Made>;
  cancel(): Promise<void>;
}

interface Made<Item extends object> {
  /** Not held here, so that an item goes with the last list that has it. */
  readonly item: WeakRef<Item>;
  /** The version of its row. The item is made again if this or `now` changes. */
  readonly version: number | undefined;
  /** What does not only depend on the row, but also on the time and the work of tabs. */
  readonly now?: string;
}

export class Items {
  private readonly tasks = new WeakMap<Media, Map<TaskKey, Made<StoredTask>>>();
  private readonly creates = new WeakMap<
    Media,
    Map<TaskKey, Made<UnfinishedCreate>>
  >();
  private readonly starts = new WeakMap<
    Media,
    Map<TaskKey, Made<UnfinishedStart>>
  >();
  /** The snapshots that other pages have read. */
  private readonly others = new WeakSet<TaskSnapshot>();

  constructor(
    private readonly database: Database,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** Returns the task of a row. It may have been made by this page: then `created` is that. */
  task(media: Media, row: TaskRow, created?: Task): StoredTask {
    const known = mapOf(this.tasks, media);
    const made = known.get(row.key);
    const before = made?.item.deref();
    if (before && !created && made?.version === row.version) return before;
    const task =
      created ??
      // A new object, which has read what the last one has.
      (before ? new Task(before.followed()) : media.tasks.restore(row.saved));
    this.follow(task, row);
    const item = marked(task, row, {
      metadata: row.metadata,
      idempotencyKey: row.create,
      input: row.input,
      createdAt: dateOf(row.at),
      endedAt: row.endedAt === undefined ? undefined : dateOf(row.endedAt),
      title: row.title,
    });
    known.set(row.key, { item: new WeakRef(item), version: row.version });
    return item;
  }

  /** Shows what another page has read of a task, and stores what this page reads. */
  private follow(task: Task, { key, snapshot }: TaskRow): void {
    const followed = task.followed();
    const shown = followed.snapshot;
    const isRead = shown.state !== undefined && !this.others.has(shown);
    const isNews = isRead
      ? hasEnded(snapshot?.state) && !hasEnded(shown.state)
      : !isSame(shown, snapshot);
    if (snapshot && isNews) {
      const other = snapshotOf(snapshot);
      this.others.add(other);
      followed.show(other);
    }
    let stored = snapshot;
    followed.received = (snapshot) => {
      const next = storedOf(snapshot);
      // Progress is not stored.
      if (!next || isSame(stored, next)) return;
      stored = next;
      this.database
        .write((rows) => storeSnapshot(rows, key, next))
        .catch(this.onError);
    };
  }

  create(
    media: Media,
    row: TaskCreateRow,
    status: CreateStatus,
    actions: Actions<StoredTask>,
  ): UnfinishedCreate {
    const known = mapOf(this.creates, media);
    return unfinished(known, row, status, () => ({
      idempotencyKey: row.key,
      capability: row.capability,
      input: inputOf(row),
      ...statusOf(row, status),
      ...actions,
    }));
  }

  start(
    media: Media,
    row: CreateRow,
    status: CreateStatus,
    actions: Actions<Pipeline>,
  ): UnfinishedStart {
    const known = mapOf(this.starts, media);
    return unfinished(known, row, status, () => ({
      idempotencyKey: row.key,
      ...(inputOf(row) as StartInput),
      ...statusOf(row, status),
      ...actions,
    }));
  }

  /** Returns a create of another device whose response was lost. */
  foreign(media: Media, row: TaskRow): UnfinishedCreate {
    const known = mapOf(this.creates, media);
    const made = known.get(row.key);
    const before = made?.item.deref();
    if (before && made?.version === row.version) return before;
    const item: UnfinishedCreate = marked(
      {
        idempotencyKey: "",
        capability: row.saved.capability,
        input: row.title === undefined ? {} : { title: row.title },
        createdAt: dateOf(row.at),
        mayBeCharged: true,
        resumable: false,
        status: "unknown",
        resume: () =>
          Promise.reject(
            invalidArgument(
              "another device has sent this create",
              "check the account, then forget it",
              { outcome: "unknown" },
            ),
          ),
        cancel: async () => {},
      } satisfies UnfinishedCreate,
      row,
      { metadata: row.metadata },
    );
    known.set(row.key, { item: new WeakRef(item), version: row.version });
    return item;
  }
}

/** Returns the item of a create or a start, which is made again if anything of it has changed. */
function unfinished<Item extends object>(
  known: Map<TaskKey, Made<Item>>,
  row: CreateRow,
  status: CreateStatus,
  make: () => Item,
): Item {
  const made = known.get(row.key);
  const before = made?.item.deref();
  const now = `${status} ${isRepeatable(row)} ${Object.keys(usableIds(row))}`;
  if (before && made?.version === row.version && made?.now === now)
    return before;
  const item = marked(make(), row, { metadata: row.metadata });
  known.set(row.key, { item: new WeakRef(item), version: row.version, now });
  return item;
}

function statusOf(row: CreateRow, status: CreateStatus) {
  return {
    createdAt: dateOf(row.at),
    mayBeCharged: row.sentAt !== undefined,
    resumable: isRepeatable(row),
    status,
    ...(row.error && { error: new MediagateError(row.error) }),
  };
}

function mapOf<Item extends object>(
  maps: WeakMap<Media, Map<TaskKey, Made<Item>>>,
  media: Media,
): Map<TaskKey, Made<Item>> {
  const known = maps.get(media) ?? new Map<TaskKey, Made<Item>>();
  maps.set(media, known);
  return known;
}

function dateOf(at: number): string {
  return new Date(at).toISOString();
}

/** Gives an item its row and members that a console and JSON do not show. */
function marked<Item extends object, Members extends object>(
  item: Item,
  { key, owner }: Mark,
  members: Members,
): Item & Readonly<Members> {
  const hidden = { ...members, [MARK]: { key, owner } satisfies Mark };
  for (const name of Reflect.ownKeys(hidden))
    Object.defineProperty(item, name, {
      value: Reflect.get(hidden, name),
      configurable: true,
    });
  return item as Item & Readonly<Members>;
}
