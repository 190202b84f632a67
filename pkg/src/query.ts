/**
 * `mediagate/query` has the options of queries and mutations for TanStack Query v5, version 5.66 or
 * newer. They are plain objects for any of its adapters, such as `useQuery` and `queryOptions` of
 * React, and for the methods of a `QueryClient`. This entry imports nothing of TanStack.
 *
 * The cache has plain data, which can be persisted and sent from a server. Components get it with
 * the methods of outputs, such as `download`.
 *
 * A client is of one user. The keys contain a random text for the client, so that users of one cache
 * see only their own data. Pass the option `key` if the cache outlives the page.
 *
 * TanStack does not retry by default here, since the client has already retried.
 *
 * @module query
 */

import type { Connection } from "./connection.js";
import { hasEnded } from "./ended.js";
import { copyInput, isEqual } from "./equal.js";
import { MediagateError } from "./error.js";
import type { Following } from "./followed.js";
import type { Capabilities, CapabilityName } from "./generated/capabilities.js";
import { copyOf } from "./json.js";
import type { Media } from "./media.js";
import { checkId, checkKey } from "./options.js";
import { outputWith } from "./output.js";
import type { Task } from "./task.js";
import type {
  CreateOptions,
  UploadOptions,
  UploadSource,
} from "./types/calls.js";
import type { HistoryEntry, TaskPage } from "./types/history.js";
import type { ModelCatalogue, Offers } from "./types/models.js";
import type {
  PipelineReference,
  PipelineSnapshot,
  StepSnapshot,
} from "./types/pipeline.js";
import type { StoringMedia } from "./types/store.js";
import type { Output, SavedTask, TaskSnapshot } from "./types/task.js";

/** A client of a user, or `undefined` while there is none. */
export type QueryMedia = Media | StoringMedia | undefined;

/** An output without its methods. */
export type PlainOutput = Omit<Output, "blob" | "download">;

/** The same members, with outputs that have no methods. */
export type WithPlainOutputs<Members> = Omit<Members, "outputs"> & {
  readonly outputs: readonly PlainOutput[];
};

/** The data of a task in the cache. */
export type TaskData = WithPlainOutputs<TaskSnapshot>;

/** The data of a pipeline in the cache. */
export type PipelineData = WithPlainOutputs<
  Omit<PipelineSnapshot, "steps"> & {
    readonly steps: readonly WithPlainOutputs<StepSnapshot>[];
  }
>;

/** The data of a page of the history in the cache. */
export type HistoryData = Omit<TaskPage, "tasks"> & {
  readonly tasks: readonly WithPlainOutputs<HistoryEntry>[];
};

/** The pages of an infinite query, as TanStack stores them. */
export interface QueryPages<Page> {
  pages: Page[];
  pageParams: (string | undefined)[];
}

/** The members of TanStack's `QueryClient` that a query function uses. */
export interface QueryCacheClient {
  getQueryData(queryKey: readonly unknown[]): unknown;
  setQueryData(queryKey: readonly unknown[], data: unknown): unknown;
  getQueryCache(): {
    find(filters: {
      queryKey: readonly unknown[];
      exact: boolean;
    }): { isActive(): boolean } | undefined;
  };
}

/** The members of TanStack's context that a query function uses. */
export interface QueryContext {
  readonly client: QueryCacheClient;
  readonly queryKey: readonly unknown[];
  readonly signal: AbortSignal;
}

/** The members of TanStack's query that an option uses. */
export interface CachedQuery<Data> {
  readonly state: {
    readonly data: Data | undefined;
    readonly status: string;
    readonly fetchStatus: string;
  };
}

/** The options that all queries and mutations have. */
export interface ClientOptions {
  /** The client has already retried. */
  retry: false;
  /** Always absent. TanStack infers the type of errors from this member. */
  throwOnError?: (error: MediagateError) => boolean;
}

/** The options of a query. */
export interface ReadQuery<Data, Key extends readonly unknown[]>
  extends ClientOptions {
  queryKey: Key;
  /** False while there is no client. */
  enabled: boolean;
  queryFn: (context: QueryContext) => Promise<Data>;
  /** The time in milliseconds for which the data counts as new. */
  staleTime: number;
}

/** The options of a query that follows a task or a pipeline. */
export interface FollowingQuery<Data, Shown, Key extends readonly unknown[]>
  extends Omit<ReadQuery<Data, Key>, "staleTime"> {
  /** Gives the outputs their methods. */
  select: (data: Data) => Shown;
  /** TanStack would copy the outputs without their methods. */
  structuralSharing: false;
  staleTime: (query: CachedQuery<Data>) => number;
  refetchInterval: (query: CachedQuery<Data>) => number | false;
  refetchOnWindowFocus: (query: CachedQuery<Data>) => boolean;
  refetchOnReconnect: (query: CachedQuery<Data>) => boolean;
}

/** The options of an infinite query of the history. */
export interface HistoryQuery extends ClientOptions {
  queryKey: readonly unknown[];
  /** False while there is no client. */
  enabled: boolean;
  queryFn: (context: {
    readonly pageParam: string | undefined;
    readonly signal: AbortSignal;
  }) => Promise<HistoryData>;
  initialPageParam: string | undefined;
  getNextPageParam: (page: HistoryData) => string | undefined;
  /** Gives the outputs their methods. */
  select: (data: QueryPages<HistoryData>) => QueryPages<TaskPage>;
  /** TanStack would copy the outputs without their methods. */
  structuralSharing: false;
}

/** The options of a mutation. */
export interface Mutation<Data, Variables> extends ClientOptions {
  mutationKey: readonly unknown[];
  mutationFn: (variables: Variables) => Promise<Data>;
}

/** The options of a query whose data is of one user. */
export interface UserQueryOptions {
  /**
   * The text that stands for the user in the key of the query, such as the user's id. Give it if
   * the cache is persisted, or comes from a server.
   *
   * @defaultValue a random text for the client
   */
  key?: string | undefined;
}

export interface HistoryQueryOptions extends UserQueryOptions {
  /**
   * The most entries of a page, 1 to 100.
   *
   * @defaultValue 50
   */
  limit?: number | undefined;
}

/**
 * The time in milliseconds after which an ended task is read again when a component mounts, since
 * the addresses of its outputs may expire. Nothing documents how long they are valid.
 */
const OUTPUTS_STALE_MS = 5 * 60_000;

/** The time in milliseconds for which lists of models count as new. */
const MODELS_STALE_MS = 5 * 60_000;

/**
 * Returns the options of a query that follows a task: its data is the last snapshot. A task that
 * failed is data, too, and an error is that of `task.updates`.
 *
 * The task is followed while a component uses the query, and `fetchStatus` is `fetching` until it
 * ends. Without a component, as by `prefetchQuery` in a loader or on a server, it is read once. An
 * ended task is read again when a component mounts after five minutes, unless the gateway keeps its
 * results: other addresses may expire. The address does not change under a component that shows it.
 * `invalidateQueries` waits for what it reads again, so give it a key: a running task ends late.
 *
 * @param task - A task, its saved form, its snapshot or its entry in the history; `undefined` while
 * there is none.
 */
export function taskQuery(
  media: QueryMedia,
  task: Task | SavedTask | undefined,
  { key }: UserQueryOptions = {},
): FollowingQuery<
  TaskData,
  TaskSnapshot,
  readonly [
    ...["mediagate", "task", string | undefined],
    string | SavedTask | undefined,
  ]
> {
  const saved = task && savedOf(task);
  return {
    // A result that came without a task has no id.
    queryKey: ["mediagate", "task", userKey(media, key), saved?.id || saved],
    enabled: media !== undefined && saved !== undefined,
    retry: false,
    queryFn: async (context) => {
      const task = checkMedia(media).tasks.restore(saved as SavedTask);
      return follow(task, context);
    },
    select: shownTask,
    ...REFETCHING,
  };
}

/**
 * Returns the options of a query that follows a pipeline, as {@link taskQuery} does for a task.
 *
 * @param pipeline - A pipeline, its saved form, its snapshot, its entry in the history or its id;
 * `undefined` while there is none.
 */
export function pipelineQuery(
  media: QueryMedia,
  pipeline: PipelineReference | string | undefined,
  { key }: UserQueryOptions = {},
): FollowingQuery<
  PipelineData,
  PipelineSnapshot,
  readonly ["mediagate", "pipeline", string | undefined, string | undefined]
> {
  const id =
    pipeline === undefined
      ? undefined
      : checkId(pipeline, "give a pipeline, or its entry or id");
  return {
    queryKey: ["mediagate", "pipeline", userKey(media, key), id],
    enabled: media !== undefined && id !== undefined,
    retry: false,
    queryFn: async (context) => {
      const pipeline = checkMedia(media).pipelines.restore(id as string);
      return follow(pipeline, context);
    },
    select: shownPipeline,
    ...REFETCHING,
  };
}

/**
 * Returns the options of an infinite query of the user's history, newest first. Invalidating the
 * `queryKey` without a `limit`, such as after a create, invalidates it for every `limit`.
 */
export function historyQuery(
  media: QueryMedia,
  { limit, key }: HistoryQueryOptions = {},
): HistoryQuery {
  const queryKey = ["mediagate", "history", userKey(media, key)];
  return {
    queryKey: limit === undefined ? queryKey : [...queryKey, { limit }],
    enabled: media !== undefined,
    retry: false,
    queryFn: async ({ pageParam: cursor, signal }) =>
      plain(await checkMedia(media).tasks.list({ limit, cursor, signal })),
    initialPageParam: undefined,
    getNextPageParam: (page) => page.cursor,
    select: shownPages,
    structuralSharing: false,
  };
}

/** Returns the options of a query of the models, which are read again after five minutes. */
export function modelsQuery(
  media: QueryMedia,
  { key }: UserQueryOptions = {},
): ReadQuery<
  ModelCatalogue,
  readonly ["mediagate", "models", string | undefined]
> {
  return {
    queryKey: ["mediagate", "models", userKey(media, key)],
    enabled: media !== undefined,
    retry: false,
    queryFn: async ({ signal }) => checkMedia(media).models({ signal }),
    staleTime: MODELS_STALE_MS,
  };
}

/**
 * Returns the options of a query of the capabilities that the gateway offers, which are read again
 * after five minutes.
 */
export function capabilitiesQuery(
  media: QueryMedia,
  { key }: UserQueryOptions = {},
): ReadQuery<
  Offers,
  readonly ["mediagate", "capabilities", string | undefined]
> {
  return {
    queryKey: ["mediagate", "capabilities", userKey(media, key)],
    enabled: media !== undefined,
    retry: false,
    queryFn: async ({ signal }) => checkMedia(media).capabilities({ signal }),
    staleTime: MODELS_STALE_MS,
  };
}

/**
 * Returns the options of a mutation that creates a task: `mutate(input)`. Its data is the task, for
 * {@link taskQuery}.
 *
 * If a create fails with the `outcome` `unknown`, the next create with an equal input repeats it by
 * its idempotency key, so that it makes no second task. Files are equal if they are the same
 * object. A reload forgets the key: with a client of `mediagate/store`, `store.creates` has the
 * create then, and its `resume` repeats it.
 *
 * @param options - The options of the create, such as `onProgress` for its files.
 */
export function createMutation<Name extends CapabilityName>(
  media: QueryMedia,
  capability: Name,
  options?: Omit<CreateOptions, "idempotencyKey">,
): Mutation<Task, Capabilities[Name]> {
  return {
    mutationKey: ["mediagate", "create", userKey(media), capability],
    mutationFn: async (input) =>
      create(checkMedia(media), capability, input, options),
    retry: false,
  };
}

/**
 * Returns the options of a mutation that uploads a file: `mutate(file)`. Its data is the id of the
 * file.
 *
 * @param options - The options of the upload, such as `onProgress`.
 */
export function uploadMutation(
  media: QueryMedia,
  options?: UploadOptions,
): Mutation<string, UploadSource> {
  return {
    mutationKey: ["mediagate", "upload", userKey(media)],
    mutationFn: async (file) => checkMedia(media).upload(file, options),
    retry: false,
  };
}

function checkMedia(media: QueryMedia): Media {
  if (media) return media as Media;
  throw new MediagateError({
    code: "not_loaded",
    message: "there is no connection to the gateway yet",
    hint: "give the options the result of connect",
  });
}

function savedOf(task: Task | SavedTask): SavedTask {
  if ("toJSON" in task) return task.toJSON();
  const { id, capability, result } = task;
  return id ? { id, capability } : { id, capability, result };
}

interface Attempt {
  readonly capability: CapabilityName;
  readonly input: unknown;
  readonly key: string;
}

/** The state of a user. Clients with the same options share it. */
interface UserState {
  readonly key: string;
  /** The creates whose outcome is unknown. */
  readonly unknown: Set<Attempt>;
}

const users = new WeakMap<Connection, UserState>();

function userOf(media: Media | StoringMedia): UserState {
  const { connection } = media.scope();
  let user = users.get(connection);
  if (!user) {
    // Not a number, which another user of a persisted cache would have as well.
    user = { key: checkKey(undefined), unknown: new Set() };
    users.set(connection, user);
  }
  return user;
}

function userKey(media: QueryMedia, key?: string): string | undefined {
  return key ?? (media && userOf(media).key);
}

/** Returns data that can be persisted: a copy without the methods of outputs. */
function plain<Data>(data: Data): Data {
  return copyOf(data) as Data;
}

/** Follows a task or a pipeline while a component uses its query; otherwise reads it once. */
async function follow<Snapshot extends FollowedData & { readonly id: string }>(
  source: Following<Snapshot>,
  { client, queryKey, signal }: QueryContext,
): Promise<Snapshot> {
  const query = () => client.getQueryCache().find({ queryKey, exact: true });
  // The updates of an ended task are what the client knows, whose addresses may have expired.
  if (
    source.id &&
    hasEnded((client.getQueryData(queryKey) as FollowedData | undefined)?.state)
  )
    await source.refresh({ signal });
  for await (const snapshot of source.updates({ signal })) {
    // TanStack would make a removed query again.
    signal.throwIfAborted();
    client.setQueryData(queryKey, plain(snapshot));
    if (!query()?.isActive()) return plain(snapshot);
  }
  // Called if the gateway keeps the files, some seconds after the end.
  const unsubscribe = source.followed().subscribe(() => {
    unsubscribe();
    // The query may have been removed.
    if (query()) client.setQueryData(queryKey, plain(source.snapshot));
  });
  return plain(source.snapshot);
}

/** The members of the data of a task or a pipeline that the options use. */
interface FollowedData {
  readonly state?: string | undefined;
  readonly outputs: readonly PlainOutput[];
}

const isRunning = ({ state }: CachedQuery<FollowedData>) =>
  !hasEnded(state.data?.state);

/** The options that decide when a task or a pipeline is read again. */
const REFETCHING = {
  structuralSharing: false as const,
  staleTime: ({ state: { data } }: CachedQuery<FollowedData>) => {
    if (!data || !hasEnded(data.state)) return 0;
    const isLasting = data.outputs.every(({ url, kept }) => !url || kept);
    return isLasting ? Infinity : OUTPUTS_STALE_MS;
  },
  // After a read without a component, such as with Suspense or by a server.
  refetchInterval: (query: CachedQuery<FollowedData>) => {
    const { status, fetchStatus } = query.state;
    const isIdle = status === "success" && fetchStatus === "idle";
    return isIdle && isRunning(query) && 1_000;
  },
  // The new address of a video would interrupt it.
  refetchOnWindowFocus: isRunning,
  refetchOnReconnect: isRunning,
};

function shownTask<Shown extends { readonly outputs: readonly Output[] }>(
  task: WithPlainOutputs<Shown>,
): Shown {
  return { ...task, outputs: task.outputs.map(outputWith) } as unknown as Shown;
}

function shownPipeline(pipeline: PipelineData): PipelineSnapshot {
  const steps = pipeline.steps.map((step) => shownTask<StepSnapshot>(step));
  return { ...pipeline, steps, outputs: pipeline.outputs.map(outputWith) };
}

function shownPages(data: QueryPages<HistoryData>): QueryPages<TaskPage> {
  const pages = data.pages.map((page) => ({
    ...page,
    tasks: page.tasks.map((entry) => shownTask<HistoryEntry>(entry)),
  }));
  return { ...data, pages };
}

/** Creates a task, by the key of an equal create whose outcome is unknown if there is one. */
async function create<Name extends CapabilityName>(
  media: Media,
  capability: Name,
  input: Capabilities[Name],
  options: Omit<CreateOptions, "idempotencyKey"> | undefined,
): Promise<Task> {
  const { unknown } = userOf(media);
  const known = [...unknown].find(
    (other) => other.capability === capability && isEqual(other.input, input),
  );
  // A form may change its object while the create runs.
  const attempt = known ?? {
    capability,
    input: copyInput(input),
    key: checkKey(undefined),
  };
  try {
    const task = await media.create(capability, input, {
      ...options,
      idempotencyKey: attempt.key,
    });
    unknown.delete(attempt);
    return task;
  } catch (error) {
    const { outcome, reason } = error as MediagateError;
    if (outcome === "unknown") unknown.add(attempt);
    // A repetition that was not sent leaves the outcome of the first attempt unknown.
    if (outcome === "rejected" || reason === "idempotency_key_reused")
      unknown.delete(attempt);
    throw error;
  }
}
