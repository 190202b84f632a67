/** The list of tasks, newest first: those of the store, and those that this page is creating. */
import { batch, computed, effect, signal, untracked } from "@preact/signals";
import type { Media, TaskSnapshot } from "mediagate";
import { observeStoredTasks, type StoredState } from "mediagate/observers";
import type { StoredTask, UnfinishedCreate } from "mediagate/store";
import { describeFailure } from "mediagate/words";
import { connected } from "../client";
import { opened } from "../opened";
import { toShownError } from "../parts/Failure";
import { filesOf } from "../storage";
import { type Entry, isOver, type Notes } from "./entry";
import { notesOf, textsIn } from "./record";

const NONE: StoredState = {
  tasks: [],
  creates: [],
  isRead: false,
  error: undefined,
};

const listed = signal<StoredState & { media?: Media }>(NONE);

/** The creates of this user that are not tasks yet, in the store. */
export const storedCreates = computed(() => listed.value.creates);

/** The client of the tasks in the list. Without a store, these are the tasks of this page. */
export const listedMedia = computed(
  () => listed.value.media ?? connected.value,
);

/** The creates of this page, by their keys, each until the store lists its task. */
export const pending = signal<ReadonlyMap<string, Entry>>(new Map());

interface Seen {
  snapshot: TaskSnapshot;
  endedAt: number | undefined;
}

/** The last snapshots that this page has read and the list does not have yet, by task key. */
const seen = signal<ReadonlyMap<string, Seen>>(new Map());

interface Change {
  notes: Notes;
  isStored: boolean;
}

/** Changes of notes that the list does not have yet, by the keys of the tasks. */
const changes = signal<ReadonlyMap<string, Change>>(new Map());

export const isLoaded = signal(false);

let markLoaded: () => void;
export const whenLoaded = new Promise<void>((resolve) => {
  markLoaded = resolve;
});

export function followStore(): void {
  effect(() => {
    const media = connected.value;
    if (!media) return undefined;
    untracked(() => adoptPending(media));
    const observer = observeStoredTasks(media, {
      store: opened,
      running: true,
    });
    return observer.subscribe(() => show(media, observer.getSnapshot()));
  });
  void opened.then((store) => {
    if (!store) load();
  });
}

/** Moves the tasks that only this page has to a new client, since the last one may have crashed. */
function adoptPending(media: Media): void {
  const adopted = [...pending.value].map(([key, entry]) => {
    const { task } = entry;
    if (!task) return [key, entry] as const;
    return [
      key,
      { ...entry, task: media.tasks.restore(task.toJSON()) },
    ] as const;
  });
  pending.value = new Map(adopted);
}

function show(media: Media, state: StoredState): void {
  // After a failure, the list stays as it was.
  if (!state.isRead) return;
  const tasks = new Map(state.tasks.map((task) => [keyOf(task), task]));
  batch(() => {
    listed.value = { ...state, media };
    pending.value = without(pending.value, (key) => tasks.has(key));
    changes.value = without(changes.value, (_, { isStored }) => isStored);
    // The store also gets the lasting URLs of a task's files, which follow its end.
    seen.value = without(seen.value, (key) => isOver(tasks.get(key)?.state));
  });
  load();
}

/** Shows a snapshot of a task until the list has it. */
export function showSnapshot(key: string, snapshot: TaskSnapshot): void {
  const endedAt = isOver(snapshot.state) ? Date.now() : undefined;
  seen.value = new Map(seen.peek()).set(key, { snapshot, endedAt });
}

function load(): void {
  isLoaded.value = true;
  markLoaded();
}

function without<Value>(
  map: ReadonlyMap<string, Value>,
  isGone: (key: string, value: Value) => boolean,
): ReadonlyMap<string, Value> {
  const kept = [...map].filter(([key, value]) => !isGone(key, value));
  return kept.length === map.size ? map : new Map(kept);
}

function keyOf(item: StoredTask | UnfinishedCreate): string {
  // Every tab derives the same key for a task of the history.
  return (
    item.idempotencyKey || `listed-${"id" in item ? item.id : item.createdAt}`
  );
}

export const records = computed(() => {
  const all = new Map<string, Entry>();
  for (const task of listed.value.tasks) {
    const entry = entryOfTask(task);
    all.set(entry.key, entry);
  }
  for (const create of listed.value.creates) {
    const entry = entryOfCreate(create);
    all.set(entry.key, entry);
  }
  for (const [key, entry] of pending.value)
    all.set(key, { ...all.get(key), ...entry });
  for (const [key, { notes }] of changes.value) {
    const entry = all.get(key);
    if (entry) all.set(key, { ...entry, ...notes });
  }
  for (const [key, { snapshot, endedAt }] of seen.value) {
    const entry = all.get(key);
    if (entry?.task)
      all.set(key, {
        ...entry,
        ...shown(snapshot),
        endedAt: entry.endedAt ?? endedAt,
      });
  }
  return [...all.values()].sort(
    (one, other) => other.startedAt - one.startedAt,
  );
});

const byKey = computed(
  () => new Map(records.value.map((entry) => [entry.key, entry])),
);

const byId = computed(
  () => new Map(records.value.map((entry) => [entry.task?.id, entry])),
);

export const entries = computed(() =>
  records.value.filter(({ removedAt }) => removedAt === undefined),
);

export const removedEntries = computed(() =>
  records.value
    .filter(({ removedAt }) => removedAt !== undefined)
    .sort((one, other) => (other.removedAt ?? 0) - (one.removedAt ?? 0)),
);

/** Finds an entry, also of a removed task. */
export function findEntry(key: string): Entry | undefined {
  return byKey.value.get(key);
}

export function findTask(id: string): Entry | undefined {
  return id ? byId.value.get(id) : undefined;
}

export function isUnfinished(id: string): boolean {
  const task = findTask(id);
  return task !== undefined && !isOver(task.state);
}

/** Returns true if the browser has stored all files of the values. */
export function isWhole({ values = {}, files = 0 }: Entry): boolean {
  return filesOf(values).length >= files;
}

/** The entries of stored items. A stored change makes a new item. */
const known = new WeakMap<object, Entry>();

function entryOfTask(task: StoredTask): Entry {
  const found = known.get(task);
  if (found) return found;
  const { idempotencyKey, capability, createdAt, endedAt, input } = task;
  const notes = notesIn(task);
  const entry: Entry = {
    key: keyOf(task),
    stored: task,
    task,
    capability,
    ...(idempotencyKey === undefined && { elsewhere: true }),
    ...notes,
    // A task that has ended has no failure of its watching any more.
    ...shown(task.snapshot),
    title: notes.title ?? task.title,
    body: input,
    startedAt: Date.parse(createdAt ?? ""),
    endedAt: endedAt === undefined ? undefined : Date.parse(endedAt),
  };
  known.set(task, entry);
  return entry;
}

function entryOfCreate(create: UnfinishedCreate): Entry {
  const found = known.get(create);
  if (found) return found;
  const { idempotencyKey, capability, status, error, input } = create;
  const isForeign = idempotencyKey === "";
  const { title } = input;
  const entry: Entry = {
    key: keyOf(create),
    stored: create,
    capability,
    step: status,
    title: typeof title === "string" ? title : undefined,
    ...notesIn(create),
    ...(error && { failure: toShownError(error) }),
    ...(isForeign && { elsewhere: true }),
    ...(create.mayBeCharged && !isForeign && { body: input }),
    resumable: create.resumable,
    outputs: [],
    startedAt: Date.parse(create.createdAt),
  };
  known.set(create, entry);
  return entry;
}

function notesIn({ metadata }: StoredTask | UnfinishedCreate): Notes {
  const { values, ...notes } = (metadata ?? {}) as Notes;
  if (!values) return notes;
  // A file that the browser has not stored is `undefined`.
  const present = Object.entries(values).map(([name, value]) => [
    name,
    Array.isArray(value)
      ? value.filter((member) => member !== undefined)
      : value,
  ]);
  return { ...notes, values: Object.fromEntries(present) };
}

/** Returns the members of an entry that come from a snapshot. */
function shown(snapshot: TaskSnapshot) {
  const { state, progress, eta, unansweredSince, outputs } = snapshot;
  const { model, credits, raw } = snapshot;
  const failure = describeFailure(snapshot);
  return {
    ...{ state, progress, eta, outputs },
    ...{ model, credits, emulated: notesOf(raw) },
    unansweredSince: unansweredSince ? Date.parse(unansweredSince) : undefined,
    warnings: textsIn(snapshot.warnings),
    ...((failure || isOver(state)) && { failure }),
  };
}

/** Changes the notes of a task. */
export function update(key: string, notes: Notes): Promise<void> {
  return updateAll([key], notes);
}

export async function updateAll(
  keys: readonly string[],
  notes: Notes,
): Promise<void> {
  const all = new Map(changes.value);
  const added = keys.map((key) => {
    const change = {
      notes: { ...all.get(key)?.notes, ...notes },
      isStored: false,
    };
    all.set(key, change);
    return change;
  });
  changes.value = all;
  const items = keys.flatMap((key) => findEntry(key)?.stored ?? []);
  const store = await opened;
  if (!store || items.length === 0) return;
  await store
    .update(items, (before) => ({ ...(before as Notes), ...notes }))
    .then(
      () => {
        for (const change of added) change.isStored = true;
      },
      // A change that the browser does not store lasts as long as the page.
      () => undefined,
    );
}
