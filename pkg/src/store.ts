/**
 * `mediagate/store` stores creates and tasks in IndexedDB, so that they survive reloads and are
 * shared by tabs.
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
import {
  Attempt,
  type AttemptOptions,
  inputOf,
  isRepeatable,
  newRow,
  notOwned,
  notRepeatable,
  notStored,
} from "./store/creates.js";
import {
  type CreateRow,
  Database,
  type TaskKey,
  type TaskRow,
} from "./store/database.js";
import { heldLocks, withLock } from "./store/locks.js";
import { ownerName } from "./store/owner.js";
import { type StoringMember, storingOf } from "./storing.js";
import { subjectOf } from "./subject.js";
import type { Task } from "./task.js";
import type { CallOptions } from "./types/calls.js";
import type { HistoryEntry } from "./types/history.js";
import type {
  ResumeOptions,
  StoredTask,
  StoreOptions,
  StoringMedia,
  TaskStore,
  UnfinishedCreate,
} from "./types/store.js";
import type { SavedTask } from "./types/task.js";
import { within } from "./waiting.js";

export { LIFETIME_MS as KEY_LIFETIME_MS } from "./generated/lifetime.js";
export type * from "./types/store.js";

/** The outcome of a create that other work may have sent. */
const UNKNOWN = { outcome: "unknown" } as const;

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * The member of a task or a create that has its key in the database. It is a property, and not an
 * entry of a `WeakMap`, because a framework may put a proxy around the object.
 */
const KEY = Symbol("key");

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
}: StoreOptions = {}): Promise<TaskStore> {
  checkGlobals(
    ["indexedDB", "BroadcastChannel"],
    "the store is for pages; on a server, store JSON.stringify(task) in a database of yours, " +
      "and restore it by media.tasks.restore",
  );
  const database = await Database.open(name);
  let salt = await database.salt();
  const oldest = () => Date.now() - maxAgeDays * DAY_MS;
  await database.removeBefore(oldest()).catch(onError);

  /** The prefix of the locks. A tab has a create's lock while it works on the create. */
  const lockPrefix = `mediagate.store.${name} `;
  /** The creates that this tab works on, by their keys. */
  const running = new Map<string, Promise<StoredTask>>();

  function track(key: string, work: Promise<StoredTask>): Promise<StoredTask> {
    const tracked = work.finally(() => {
      running.delete(key);
      // While it was running, it was not listed.
      database.announce();
    });
    running.set(key, tracked);
    return tracked;
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
    attempt: Pick<AttemptOptions, "media" | "limits" | "onProgress" | "isNew">,
  ): Promise<StoredTask> {
    const { media } = attempt;
    const owner = (limits: CallOptions) => ownerOf(media, limits, lastSalt());
    const options = { ...attempt, owner, onError };
    const { task, key } = await new Attempt(database, row, options).run();
    return marked(task, key, row.metadata);
  }

  /** Sends a new create, or a create that the caller repeats with its key. */
  async function sendNew(
    row: CreateRow,
    attempt: Pick<AttemptOptions, "media" | "limits" | "onProgress">,
  ): Promise<StoredTask> {
    // If the database fails, the attempt reports the error when it stores the row.
    const known = await database.create(row.key).catch(() => undefined);
    if (known && known.owner !== row.owner)
      throw invalidArgument(
        "another user of this browser has a create with this key",
        "give an idempotencyKey that is unique, or none",
        NOT_SENT,
      );
    const settled = await taskOfKey(row.key, row.owner).catch(() => undefined);
    if (settled) return restored(attempt.media, settled);
    if (!known) return send(row, { ...attempt, isNew: true });
    if (known.sentAt === undefined)
      return send({ ...row, at: known.at }, { ...attempt, isNew: false });
    if (!isRepeatable(known)) throw notRepeatable(known);
    // With the ids that its files had when it was sent: the gateway does not recognise others.
    return send(known, { ...attempt, isNew: false });
  }

  /** Returns the task of a create; `undefined` if there is none yet. */
  async function taskOfKey(key: string, owner: string | undefined) {
    const tasks = await database.tasks(owner);
    return tasks.find((task) => task.create === key);
  }

  /**
   * Returns the task of a stored create, which is sent again if no tab has done so. The row is read
   * here, because another tab may have changed it since the caller has listed the create.
   */
  async function repeat(
    key: string,
    {
      media,
      limits,
      onProgress,
    }: Pick<AttemptOptions, "media" | "limits" | "onProgress">,
  ): Promise<StoredTask> {
    const start = Date.now();
    const owner = await ownerOf(media, limits, database.salt());
    const known = await taskOfKey(key, owner);
    if (known) return restored(media, known);
    const row = await database.create(key);
    if (!row) throw notStored();
    if (row.owner !== owner) throw notOwned(row);
    if (!isRepeatable(row)) throw notRepeatable(row);
    const left = remaining(limits, start);
    return send(row, { media, limits: left, onProgress, isNew: false });
  }

  /**
   * Works on a create while no other tab does.
   *
   * @param outcome - The outcome of the create if the wait ends.
   */
  function exclusively(
    key: string,
    limits: CallOptions,
    outcome: Outcome,
    work: (limits: CallOptions) => Promise<StoredTask>,
  ): Promise<StoredTask> {
    const start = Date.now();
    return withLock(`${lockPrefix}${key}`, limits, outcome, () =>
      work(remaining(limits, start)),
    );
  }

  function unfinished(client: Media, row: CreateRow): UnfinishedCreate {
    const resume = async (options?: ResumeOptions) => {
      const outcome = row.sentAt === undefined ? "not_sent" : "unknown";
      const limits = client.scope().check(options, "resume", { outcome });
      const onProgress = options?.onProgress;
      // If the wait ends, another tab works on the create, and its outcome is not known here.
      return exclusively(row.key, limits, "unknown", (left) =>
        repeat(row.key, { media: client, limits: left, onProgress }),
      );
    };
    const create: UnfinishedCreate = {
      idempotencyKey: row.key,
      capability: row.capability,
      input: inputOf(row),
      createdAt: new Date(row.at).toISOString(),
      mayBeCharged: row.sentAt !== undefined,
      resumable: isRepeatable(row),
      resume: async (options) => {
        const work = running.get(row.key);
        if (!work) return track(row.key, resume(options));
        const limits = client.scope().check(options, "resume", UNKNOWN);
        return within(limits, work).catch((error) => {
          throw isMediagateError(error) && error.outcome === undefined
            ? Object.assign(error, UNKNOWN)
            : error;
        });
      },
    };
    return marked(create, row.key, row.metadata);
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
        const { onProgress } = createOptions;
        const created = ownerOf(media, limits, lastSalt())
          .catch((error) => {
            throw isMediagateError(error)
              ? Object.assign(error, NOT_SENT)
              : error;
          })
          .then((owner) =>
            exclusively(key, remaining(limits, start), "not_sent", (left) =>
              sendNew({ ...row, owner }, { media, limits: left, onProgress }),
            ),
          );
        return track(key, created);
      };
      return Object.create(media, {
        create: { value: create },
        storing: { value: () => ({ client: media, store }) },
      } satisfies Record<"create" | keyof StoringMember, PropertyDescriptor>);
    },
    async tasks(media) {
      const owner = await ownerOf(clientOf(media), {}, database.salt());
      const rows = await database.tasks(owner);
      return rows.map((row) => restored(media, row));
    },
    async creates(media) {
      const client = clientOf(media);
      const owner = await ownerOf(client, {}, database.salt());
      const rows = await database.creates(owner);
      const held = await heldLocks(lockPrefix);
      return rows
        .filter((row) => !running.has(row.key) && !held.has(row.key))
        .map((row) => unfinished(client, row));
    },
    async find(media, key) {
      const client = clientOf(media);
      const owner = await ownerOf(client, {}, database.salt());
      const row = await database.create(key);
      if (row?.owner === owner) return unfinished(client, row);
      const task = await taskOfKey(key, owner);
      return task && restored(media, task);
    },
    async sync(media, options) {
      const client = clientOf(media);
      const owner = await ownerOf(
        client,
        client.scope().check(options),
        database.salt(),
      );
      const found: HistoryEntry[] = [];
      for await (const entry of media.tasks.list({ ...options, limit: 100 })) {
        // The entries are sorted by their dates.
        const at = Date.parse(entry.createdAt);
        if (at < oldest()) break;
        if (Number.isNaN(at)) continue;
        // If the response to a create was lost, there may be no task.
        if (entry.outcome === undefined) found.push(entry);
      }
      await database.addTasks(found, owner);
    },
    async forget(item) {
      const key = await keyOf(database, item);
      if (key !== undefined) await database.forget(key);
    },
    subscribe: (listener) => database.subscribe(listener),
    close: () => database.close(),
  };
  return store;
}

function clientOf(media: Media | StoringMedia): Media {
  return storingOf(media)?.client ?? (media as Media);
}

function restored(media: Media | StoringMedia, row: TaskRow): StoredTask {
  return marked(media.tasks.restore(row.saved), row.key, row.metadata);
}

/** Gives a task or a create its key and its metadata, which a console and JSON do not show. */
function marked<Item extends object>(
  item: Item,
  key: TaskKey,
  metadata: unknown,
): Item & { readonly metadata?: unknown } {
  return Object.defineProperties(item, {
    [KEY]: { value: key, configurable: true },
    metadata: { value: metadata, configurable: true },
  });
}

async function keyOf(
  database: Database,
  item: Task | SavedTask | UnfinishedCreate,
): Promise<TaskKey | undefined> {
  const { [KEY]: key, id } = item as { [KEY]?: TaskKey; id?: string };
  const own = key ?? id;
  // The id of a result that came without a task is empty.
  if (own) return own;
  const text = JSON.stringify(item);
  const tasks = await database.tasks();
  return tasks.find((task) => JSON.stringify(task.saved) === text)?.key;
}
