/**
 * `mediagate/query` has the options of queries and mutations for TanStack Query v5, version 5.66 or
 * newer. They are plain objects for any of its adapters, such as `useQuery` and `queryOptions` of
 * React, and for the methods of a `QueryClient`. This entry imports nothing of TanStack.
 *
 * The cache has plain data, which can be persisted and sent from a server. Components get it with
 * the methods of outputs, such as `download`.
 *
 * A client is of one user. Keys of the history, models, capabilities and mutations contain a random
 * text for the client, so that users of one cache see only their own data. Pass the option `key` if
 * the cache outlives the page. A task or a pipeline has its id in the key, which is valid for one
 * user only.
 *
 * TanStack does not retry by default here, since the client has already retried.
 *
 * @module query
 */

import type { Connection } from "./connection.js";
import { isMediagateError, MediagateError } from "./error.js";
import type { Following } from "./followed.js";
import type { Capabilities, CapabilityName } from "./generated/capabilities.js";
import type { Media } from "./media.js";
import { checkId, checkKey } from "./options.js";
import { outputWith } from "./output.js";
import type { StoringMedia } from "./store.js";
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
    }): { getObserversCount(): number } | undefined;
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
  readonly state: { readonly data: Data | undefined };
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
  refetchOnMount: (query: CachedQuery<Data>) => boolean | "always";
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
 *
 * @param task - A task, its saved form, its snapshot or its entry in the history; `undefined` while
 * there is none.
 */
export function taskQuery(
  media: QueryMedia,
  task: Task | SavedTask | undefined,
): FollowingQuery<
  TaskData,
  TaskSnapshot,
  readonly ["mediagate", "task", string | SavedTask | undefined]
> {
  const saved = task && savedOf(task);
  return {
    // A result that came without a task has no id.
    queryKey: ["mediagate", "task", saved?.id || saved],
    enabled: media !== undefined && saved !== undefined,
    retry: false,
    queryFn: async (context) => {
      const task = checkMedia(media).tasks.restore(saved as SavedTask);
      return follow(task, context, plainTask, hasTaskEnded);
    },
    select: shownTask,
    ...refetching(hasTaskEnded),
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
): FollowingQuery<
  PipelineData,
  PipelineSnapshot,
  readonly ["mediagate", "pipeline", string | undefined]
> {
  const id =
    pipeline === undefined
      ? undefined
      : checkId(pipeline, "give a pipeline, or its entry or id");
  return {
    queryKey: ["mediagate", "pipeline", id],
    enabled: media !== undefined && id !== undefined,
    retry: false,
    queryFn: async (context) => {
      const pipeline = checkMedia(media).pipelines.restore(id as string);
      return follow(pipeline, context, plainPipeline, hasPipelineEnded);
    },
    select: shownPipeline,
    ...refetching(hasPipelineEnded),
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
      plainPage(await checkMedia(media).tasks.list({ limit, cursor, signal })),
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
 * object. A reload forgets the key, but not if the client is of `mediagate/store`.
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

/** What is known of a connection, which clients of the same options share. */
interface UserState {
  readonly key: string;
  /** The keys of creates whose outcome is unknown, by what was created. */
  readonly unknown: Map<string, string>;
}

const users = new WeakMap<Connection, UserState>();

function userOf(media: Media | StoringMedia): UserState {
  const { connection } = media.scope();
  let user = users.get(connection);
  if (!user) {
    // Not a number, which another user of a persisted cache would have as well.
    user = { key: checkKey(undefined), unknown: new Map() };
    users.set(connection, user);
  }
  return user;
}

function userKey(media: QueryMedia, key?: string): string | undefined {
  return key ?? (media && userOf(media).key);
}

/** Follows a task or a pipeline while a component uses its query; otherwise reads it once. */
async function follow<Snapshot extends { readonly id: string }, Data>(
  source: Following<Snapshot>,
  { client, queryKey, signal }: QueryContext,
  plain: (snapshot: Snapshot) => Data,
  hasEnded: (data: Data | undefined) => boolean,
): Promise<Data> {
  const query = () => client.getQueryCache().find({ queryKey, exact: true });
  // The updates of an ended task are what the client knows, whose addresses may have expired.
  if (source.id && hasEnded(client.getQueryData(queryKey) as Data | undefined))
    await source.refresh({ signal });
  for await (const snapshot of source.updates({ signal })) {
    client.setQueryData(queryKey, plain(snapshot));
    if (!query()?.getObserversCount()) return plain(snapshot);
  }
  // Called if the gateway keeps the files, some seconds after the end.
  const unsubscribe = source.followed().subscribe(() => {
    unsubscribe();
    // The query may have been removed.
    if (query()) client.setQueryData(queryKey, plain(source.snapshot));
  });
  return plain(source.snapshot);
}

/** Returns the options that decide when a task or a pipeline is read again. */
function refetching<Data extends { readonly outputs: readonly PlainOutput[] }>(
  hasEnded: (data: Data | undefined) => boolean,
): Pick<
  FollowingQuery<Data, unknown, []>,
  | "structuralSharing"
  | "staleTime"
  | "refetchOnMount"
  | "refetchOnWindowFocus"
  | "refetchOnReconnect"
> {
  const isRunning = ({ state }: CachedQuery<Data>) => !hasEnded(state.data);
  return {
    structuralSharing: false,
    staleTime: ({ state: { data } }) => {
      if (!data || !hasEnded(data)) return 0;
      const isLasting = data.outputs.every(({ url, kept }) => !url || kept);
      return isLasting ? Infinity : OUTPUTS_STALE_MS;
    },
    // With Suspense, a component mounts after the read, when TanStack counts the data as new.
    refetchOnMount: (query) => (isRunning(query) ? "always" : true),
    // The new address of a video would interrupt it.
    refetchOnWindowFocus: isRunning,
    refetchOnReconnect: isRunning,
  };
}

const TASK_ENDS = ["SUCCEEDED", "FAILED", "EXPIRED"];

function hasTaskEnded(task: TaskData | undefined): boolean {
  return TASK_ENDS.includes(task?.state ?? "");
}

const PIPELINE_ENDS = ["SUCCEEDED", "FAILED", "CANCELLED"];

function hasPipelineEnded(pipeline: PipelineData | undefined): boolean {
  return PIPELINE_ENDS.includes(pipeline?.state ?? "");
}

const plainOutput = (output: PlainOutput): PlainOutput => ({ ...output });

function plainTask<Members extends { readonly outputs: readonly Output[] }>(
  task: Members,
): WithPlainOutputs<Members> {
  return { ...task, outputs: task.outputs.map(plainOutput) };
}

function shownTask<Shown extends { readonly outputs: readonly Output[] }>(
  task: WithPlainOutputs<Shown>,
): Shown {
  return { ...task, outputs: task.outputs.map(outputWith) } as unknown as Shown;
}

function plainPipeline(pipeline: PipelineSnapshot): PipelineData {
  return { ...plainTask(pipeline), steps: pipeline.steps.map(plainTask) };
}

function shownPipeline(pipeline: PipelineData): PipelineSnapshot {
  const steps = pipeline.steps.map((step) => shownTask<StepSnapshot>(step));
  return { ...pipeline, steps, outputs: pipeline.outputs.map(outputWith) };
}

function plainPage(page: TaskPage): HistoryData {
  return { ...page, tasks: page.tasks.map(plainTask) };
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
  const content = () => contentOf(capability, input);
  const idempotencyKey = unknown.size ? unknown.get(content()) : undefined;
  try {
    const task = await media.create(capability, input, {
      ...options,
      idempotencyKey,
    });
    if (idempotencyKey) unknown.delete(content());
    return task;
  } catch (error) {
    if (!isMediagateError(error)) throw error;
    const { outcome, reason } = error;
    if (outcome === "unknown" && error.idempotencyKey)
      unknown.set(content(), error.idempotencyKey);
    // A repetition that was not sent leaves the outcome of the first attempt unknown.
    const isKnown =
      outcome === "rejected" || reason === "idempotency_key_reused";
    if (idempotencyKey && isKnown) unknown.delete(content());
    throw error;
  }
}

/** The numbers of files, and of other objects that are no plain data. */
const numbers = new WeakMap<object, number>();
let lastNumber = 0;

/** Returns a text that is equal for creates of the same capability with equal inputs. */
function contentOf(capability: CapabilityName, input: unknown): string {
  return JSON.stringify([capability, input], (_, value: unknown) => {
    if (typeof value !== "object" || value === null || isPlain(value))
      return value;
    const number = numbers.get(value) ?? ++lastNumber;
    numbers.set(value, number);
    return { number };
  });
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return (
    Array.isArray(value) || prototype === Object.prototype || prototype === null
  );
}
