/**
 * `mediagate/store` stores creates, tasks and values of the app in IndexedDB, so that they survive
 * reloads and are shared by tabs.
 *
 * @module store
 */

import {
  invalidArgument,
  isMediagateError,
  NOT_SENT,
  type Outcome,
} from "./error.js";
import { checkGlobals } from "./globals.js";
import type { Media } from "./media.js";
import { checkKey, remaining } from "./options.js";
import { type Pipeline, stepsOf } from "./pipeline.js";
import {
  Attempt,
  isCreate,
  isRepeatable,
  isTask,
  type Listeners,
  newRow,
  newStartRow,
  notOwned,
  notRepeatable,
  notStored,
  storableMetadata,
} from "./store/creates.js";
import {
  type CreateRow,
  Database,
  type Mark,
  type TaskCreateRow,
} from "./store/database.js";
import {
  addTasks,
  changeMetadata,
  forgetRow,
  noteForgotten,
} from "./store/history.js";
import { Items, markOf } from "./store/items.js";
import { heldLocks, whenReleased, withLock } from "./store/locks.js";
import { ownerName } from "./store/owner.js";
import { valuesOf } from "./store/values.js";
import { type StoringMember, storingOf } from "./storing.js";
import { subjectOf } from "./subject.js";
import type { Task } from "./task.js";
import type { CallOptions } from "./types/calls.js";
import type { HistoryEntry } from "./types/history.js";
import type {
  CreateStatus,
  ListedTask,
  ResumeOptions,
  StoredItem,
  StoredTask,
  StoreOptions,
  StoringMedia,
  StoringPipelines,
  TaskStore,
  UnfinishedCreate,
  UnfinishedStart,
} from "./types/store.js";
import { within } from "./waiting.js";

export type * from "./types/store.js";

/** The outcome of a create that other work may have sent. */
const UNKNOWN = { outcome: "unknown" } as const;

const DAY_MS = 24 * 60 * 60 * 1000;

/** The longest wait for a tab whose work on a create is cancelled, in milliseconds. */
const CANCEL_MS = 2_000;

/** The most requests to forget tasks at the gateway in a row, since it limits their rate. */
const MAX_FORGOTTEN = 20;

/** What a create or the start of a pipeline makes. */
type Made = StoredTask | Pipeline;

/** The work of this page on a create or a start. */
interface Work {
  readonly done: Promise<Made>;
  readonly controller: AbortController;
}

interface SendOptions extends Listeners {
  media: Media;
  limits: CallOptions;
}

/**
 * Opens the store of tasks.
 *
 * @throws {MediagateError} `load_failed` if the platform has no IndexedDB.
 * @throws The `DOMException` of IndexedDB, such as if the browser blocks storage.
 */
export async function openStore({
  name = "mediagate",
  onError = () => {},
  maxAgeDays = 30,
  maxFileBytes = 100_000_000,
  maxTotalFileBytes = 1_000_000_000,
}: StoreOptions = {}): Promise<TaskStore> {
  checkGlobals(
    ["indexedDB", "BroadcastChannel"],
    "the store is for pages; on a server, store JSON.stringify(task) in a database of yours, " +
      "and restore it by media.tasks.restore",
  );
  const database = await Database.open(name, maxTotalFileBytes);
  let salt = await database.salt();
  const oldest = () => Date.now() - maxAgeDays * DAY_MS;
  await database.removeBefore(oldest()).catch(onError);

  /** The prefix of the locks. A tab has a create's lock while it works on the create. */
  const lockPrefix = `mediagate.store.${name} `;
  const items = new Items(database, onError);
  /** The creates and starts that this tab works on, by their keys. */
  const running = new Map<string, Work>();
  /** The creates of other tabs whose end is awaited here, since a tab that is closed sends no message. */
  const awaited = new Set<string>();
  /** The creates that a person has cancelled. */
  const cancelled = new Set<string>();

  database.onCancel((key) => {
    if (!running.has(key)) return;
    cancelled.add(key);
    running.get(key)?.controller.abort();
  });

  /** Does work on a create or a start, until its end or until it is cancelled. */
  function track(
    key: string,
    limits: CallOptions,
    work: (limits: CallOptions) => Promise<Made>,
  ): Promise<Made> {
    const controller = new AbortController();
    const { signal } = limits;
    const abort = () => controller.abort(signal?.reason);
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort);
    const done = work({ ...limits, signal: controller.signal }).finally(() => {
      signal?.removeEventListener("abort", abort);
      // A caller may have begun the create again with its key.
      if (running.get(key)?.controller === controller) {
        cancelled.delete(key);
        running.delete(key);
      }
      // While it was running, it was not listed.
      database.announce();
    });
    running.set(key, { done, controller });
    return done;
  }

  /** @param held - The keys that any tab works on. */
  function isRunning(key: string, held: ReadonlySet<string>): boolean {
    return running.has(key) || held.has(key);
  }

  async function awaitEnd(key: string): Promise<void> {
    if (running.has(key) || awaited.has(key)) return;
    awaited.add(key);
    await whenReleased(lockPrefix + key).catch(() => {});
    awaited.delete(key);
    database.announce();
  }

  async function cancel(key: string): Promise<void> {
    const work = running.get(key);
    cancelled.add(key);
    database.cancel(key);
    work?.controller.abort();
    // The tab that works on it forgets it. One that does not respond must not keep it.
    const ended = work?.done ?? whenReleased(lockPrefix + key);
    await within({ timeout: CANCEL_MS }, ended as Promise<unknown>).catch(
      () => {},
    );
    cancelled.delete(key);
    await database.write(async (rows) => {
      const row = await rows.get("creates", key);
      const isUnsent = row && !row.isForgotten && row.sentAt === undefined;
      if (isUnsent) await rows.delete("creates", key);
    });
  }

  /** Returns the salt, or the last one if the database fails: that must not stop a create. */
  async function lastSalt(): Promise<Uint8Array> {
    salt = await database.salt().catch(() => salt);
    return salt;
  }

  /** Returns the name of a client's user. Renews the session token first if necessary. */
  async function ownerOf(
    media: Media,
    limits: CallOptions,
    salt: Promise<Uint8Array>,
  ): Promise<string> {
    const call = media
      .scope()
      .call(limits, (client, wasmLimits) => client.token(wasmLimits));
    const [token, ownSalt] = await Promise.all([call, salt]);
    return ownerName(ownSalt, subjectOf(token) ?? token);
  }

  async function send(
    row: CreateRow,
    { media, limits, onProgress, onState }: SendOptions,
    isNew = false,
  ): Promise<Made> {
    const { made, row: settled } = await new Attempt(database, row, {
      ...{ media, limits, isNew, onError, onProgress, onState },
      isForgotten: () => isNew || cancelled.has(row.key),
      owner: (limits) => ownerOf(media, limits, lastSalt()),
    }).run();
    if (!isTask(made)) return made;
    // If the database has failed, or the create was forgotten, the task is only in this page.
    const { at, owner, metadata, key: create } = row;
    const saved = made.toJSON();
    const unstored = { key: made.id, at, owner, saved, metadata, create };
    return items.task(media, settled ?? unstored, made);
  }

  /** Sends a new create or start, or one that the caller repeats with its key. */
  async function sendNew(row: CreateRow, options: SendOptions): Promise<Made> {
    // If the database fails, the attempt reports the error when it stores the row.
    const known = await database.create(row.key).catch(() => undefined);
    if (known && known.owner !== row.owner)
      throw invalidArgument(
        "another user of this browser has a create with this key",
        "give an idempotencyKey that is unique, or none",
        NOT_SENT,
      );
    if (known && isCreate(known) !== isCreate(row))
      throw invalidArgument(
        `this key is that of a ${isCreate(known) ? "create" : "pipeline"}`,
        "give an idempotencyKey that is unique, or none",
        NOT_SENT,
      );
    const settled = isCreate(row)
      ? await database.taskOf(row.key, row.owner).catch(() => undefined)
      : undefined;
    if (settled) return items.task(options.media, settled);
    if (!known) return send(row, options, true);
    if (known.sentAt === undefined)
      return send({ ...row, at: known.at }, options);
    if (!isRepeatable(known)) throw notRepeatable(known);
    // With the ids that its files had when it was sent: the gateway does not recognise others.
    return send(known, options);
  }

  /**
   * Returns what a stored create or start makes, which is sent again if no tab has done so. The row
   * is read here, because another tab may have changed it since the caller has listed it.
   */
  async function repeat(key: string, options: SendOptions): Promise<Made> {
    const { media, limits } = options;
    const start = Date.now();
    const owner = await ownerOf(media, limits, database.salt());
    const row = await database.create(key);
    const known = row ? undefined : await database.taskOf(key, owner);
    if (known) return items.task(media, known);
    // It may have become a task that was forgotten.
    if (!row) throw notStored("unknown");
    if (row.owner !== owner) throw notOwned(row);
    if (!isRepeatable(row)) throw notRepeatable(row);
    return send(row, { ...options, limits: remaining(limits, start) });
  }

  /**
   * Works on a create or a start while no other tab does.
   *
   * @param outcome - The outcome if the wait ends.
   */
  async function exclusively(
    key: string,
    limits: CallOptions,
    outcome: Outcome,
    work: (limits: CallOptions) => Promise<Made>,
  ): Promise<Made> {
    const start = Date.now();
    // Another tab stores it before it works on it.
    const isStored = await database.create(key).then(Boolean, () => true);
    return withLock(
      `${lockPrefix}${key}`,
      limits,
      outcome,
      () => work(remaining(limits, start)),
      isStored,
    );
  }

  /** Sends a new create or start, as far as no other tab works on it. */
  function submit(
    row: CreateRow,
    { media, limits, ...listeners }: SendOptions,
  ): Promise<Made> {
    return track(row.key, limits, async (limits) => {
      const start = Date.now();
      const owner = await ownerOf(media, limits, lastSalt()).catch((error) => {
        throw isMediagateError(error) ? Object.assign(error, NOT_SENT) : error;
      });
      const left = remaining(limits, start);
      return exclusively(row.key, left, "not_sent", (limits) =>
        sendNew({ ...row, owner }, { media, limits, ...listeners }),
      );
    });
  }

  /** Returns what is known of an unfinished create or start, and what a caller can do with it. */
  function work(media: Media, row: CreateRow, held: ReadonlySet<string>) {
    const { key, sentAt } = row;
    const left = sentAt === undefined ? "interrupted" : "unknown";
    const status: CreateStatus = isRunning(key, held)
      ? (row.state ?? "sending")
      : left;
    const begin = async (options: ResumeOptions | undefined) => {
      const outcome = sentAt === undefined ? "not_sent" : "unknown";
      const limits = media.scope().check(options, "resume", { outcome });
      const { onProgress, onState } = options ?? {};
      return track(key, limits, (limits) =>
        // If the wait ends, another tab works on the create, and its outcome is not known here.
        exclusively(key, limits, "unknown", (left) =>
          repeat(key, { media, limits: left, onProgress, onState }),
        ),
      );
    };
    const join = (work: Work, options: ResumeOptions | undefined) => {
      const limits = media.scope().check(options, "resume", UNKNOWN);
      return within(limits, work.done).catch((error) => {
        throw isMediagateError(error) && error.outcome === undefined
          ? Object.assign(error, UNKNOWN)
          : error;
      });
    };
    const resume = async (options: ResumeOptions | undefined) => {
      const work = running.get(key);
      return work ? join(work, options) : begin(options);
    };
    return { status, resume, cancel: () => cancel(key) };
  }

  function unfinishedCreate(
    media: Media,
    row: TaskCreateRow,
    held: ReadonlySet<string>,
  ): UnfinishedCreate {
    const { status, resume, cancel } = work(media, row, held);
    return items.create(media, row, status, {
      resume: (options) => resume(options) as Promise<StoredTask>,
      cancel,
    });
  }

  function unfinishedStart(
    media: Media,
    row: CreateRow,
    held: ReadonlySet<string>,
  ): UnfinishedStart {
    const { status, resume, cancel } = work(media, row, held);
    return items.start(media, row, status, {
      resume: (options) => resume(options) as Promise<Pipeline>,
      cancel,
    });
  }

  /** Returns the keys that other tabs work on. If these are listed, waits for the end of the work. */
  async function heldKeys(withRunning: boolean): Promise<Set<string>> {
    const held = await heldLocks(lockPrefix);
    if (withRunning) for (const key of held) void awaitEnd(key);
    return held;
  }

  async function add(
    media: Media,
    listed: readonly ListedTask[],
    metadata: unknown,
    limits: CallOptions,
  ): Promise<number> {
    const owner = await ownerOf(media, limits, database.salt());
    const known = listed.filter(
      ({ createdAt }) => Date.parse(createdAt) >= oldest(),
    );
    const { added, forgettable } = await database.write((rows) =>
      addTasks(rows, known, owner, storableMetadata(metadata)),
    );
    await forgetAtGateway(media, forgettable, limits);
    return added;
  }

  /** Removes tasks from the gateway's history, as many as it removes now. */
  async function forgetAtGateway(
    media: Media,
    ids: readonly string[],
    limits: CallOptions,
  ): Promise<void> {
    const forgotten: string[] = [];
    for (const id of ids.slice(0, MAX_FORGOTTEN)) {
      try {
        await media.tasks.forget(id, { ...limits, maxRetries: 0 });
      } catch (error) {
        const status = isMediagateError(error) ? error.status : undefined;
        // The task runs, so that the history will list it again.
        if (status === 409) continue;
        if (status !== 404) break;
      }
      forgotten.push(id);
    }
    if (forgotten.length > 0)
      await database
        .write((rows) => noteForgotten(rows, forgotten))
        .catch(onError);
  }

  const store: TaskStore = {
    keep(storingOrClient) {
      const media = clientOf(storingOrClient);
      const create: StoringMedia["create"] = async (
        capability,
        input,
        options,
      ) => {
        const limits = media.scope().check(options, "storedCreate", NOT_SENT);
        const start = Date.now();
        const key = checkKey(options);
        const { metadata, ...createOptions } = options ?? {};
        const row = await newRow(media, capability, input, {
          key,
          metadata,
          maxFileBytes,
        });
        // An input that is not valid is an error of the client's own create.
        if (!row) return media.create(capability, input, createOptions);
        const { onProgress, onState } = createOptions;
        const left = remaining(limits, start);
        const made = submit(row, { media, limits: left, onProgress, onState });
        return made as Promise<StoredTask>;
      };
      const startPipeline: StoringPipelines["start"] = async (
        build,
        options,
      ) => {
        const { metadata, ...startOptions } = options ?? {};
        const limits = media.scope().check(startOptions, "start", NOT_SENT);
        const start = Date.now();
        const key = checkKey(startOptions);
        const { title, onProgress, onState } = startOptions;
        const input = { title, steps: await stepsOf(build, key) };
        const row = await newStartRow(media, input, {
          key,
          metadata,
          maxFileBytes,
        });
        // The client's own start builds the steps again, and rejects with their issues.
        if (!row) return media.pipelines.start(build, startOptions);
        const left = remaining(limits, start);
        const made = submit(row, { media, limits: left, onProgress, onState });
        return made as Promise<Pipeline>;
      };
      const pipelines = Object.create(media.pipelines, {
        start: { value: startPipeline },
      });
      return Object.create(media, {
        create: { value: create },
        pipelines: { value: pipelines },
        storing: { value: () => ({ client: media, store }) },
      } satisfies Record<
        "create" | "pipelines" | keyof StoringMember,
        PropertyDescriptor
      >);
    },
    async tasks(media) {
      const client = clientOf(media);
      const owner = await ownerOf(client, {}, database.salt());
      const rows = await database.tasks(owner);
      return rows
        .filter((row) => row.outcome === undefined)
        .map((row) => items.task(client, row));
    },
    async creates(media, { running: withRunning = false } = {}) {
      const client = clientOf(media);
      const owner = await ownerOf(client, {}, database.salt());
      const { own, foreign } = await database.creates(owner);
      const held = await heldKeys(withRunning);
      const creates = own
        .filter(({ key }) => withRunning || !isRunning(key, held))
        .map((row) => unfinishedCreate(client, row, held))
        .concat(foreign.map((row) => items.foreign(client, row)));
      const time = ({ createdAt }: UnfinishedCreate) => Date.parse(createdAt);
      return creates.sort((a, b) => time(a) - time(b));
    },
    async starts(media, { running: withRunning = false } = {}) {
      const client = clientOf(media);
      const owner = await ownerOf(client, {}, database.salt());
      const rows = await database.starts(owner);
      const held = await heldKeys(withRunning);
      return rows
        .filter(({ key }) => withRunning || !isRunning(key, held))
        .sort((a, b) => a.at - b.at)
        .map((row) => unfinishedStart(client, row, held));
    },
    async find(media, key) {
      const client = clientOf(media);
      const owner = await ownerOf(client, {}, database.salt());
      const row = await database.create(key);
      const held = await heldLocks(lockPrefix);
      if (row && row.owner === owner && isCreate(row))
        return unfinishedCreate(client, row, held);
      const task = await database.taskOf(key, owner);
      return task && items.task(client, task);
    },
    async update(changed, change) {
      const marks = await marksOf(database, changed);
      await database.write(async (rows) => {
        for (const mark of marks)
          await changeMetadata(rows, mark, (metadata) =>
            storableMetadata(change(metadata)),
          );
      });
    },
    async add(media, listed, { metadata, ...options } = {}) {
      const client = clientOf(media);
      const limits = client.scope().check(options);
      return add(client, listed, metadata, limits);
    },
    async sync(media, options) {
      const client = clientOf(media);
      const limits = client.scope().check(options);
      const found: HistoryEntry[] = [];
      for await (const entry of client.tasks.list({ ...limits, limit: 100 })) {
        // The entries are sorted by their dates.
        if (Date.parse(entry.createdAt) < oldest()) break;
        found.push(entry);
      }
      await add(client, found, undefined, limits);
    },
    async forget(forgotten, { media } = {}) {
      const marks = await marksOf(database, forgotten);
      const ids = await database.write(async (rows) => {
        const ids: string[] = [];
        for (const mark of marks)
          ids.push(...(await forgetRow(rows, mark, media !== undefined)));
        return ids;
      });
      if (media) await forgetAtGateway(clientOf(media), ids, {});
    },
    values: valuesOf(database),
    fileBytes: () => database.read((rows) => rows.fileBytes()),
    subscribe: (listener) => database.subscribe(listener),
    close: () => database.close(),
  };
  return store;
}

function clientOf(media: Media | StoringMedia): Media {
  return storingOf(media)?.client ?? (media as Media);
}

/** Returns the marks of the items that are stored. */
async function marksOf(
  database: Database,
  items: StoredItem | readonly StoredItem[],
): Promise<Mark[]> {
  const all = (Array.isArray(items) ? items : [items]) as StoredItem[];
  const marks = await Promise.all(all.map((item) => rowOf(database, item)));
  return marks.filter((mark) => mark !== undefined);
}

async function rowOf(
  database: Database,
  item: StoredItem,
): Promise<Mark | undefined> {
  const { id } = item as Partial<Task>;
  const own = markOf(item) ?? (id ? { key: id } : undefined);
  // The id of a result that came without a task is empty.
  if (own) return own;
  const text = JSON.stringify(item);
  const tasks = await database.tasks();
  return tasks.find((task) => JSON.stringify(task.saved) === text);
}
