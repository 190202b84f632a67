import { copyInput, isEqual } from "../equal.js";
import { MediagateError } from "../error.js";
import type {
  Capabilities,
  CapabilityName,
} from "../generated/capabilities.js";
import type { Media } from "../media.js";
import { checkKey } from "../options.js";
import { storingOf } from "../storing.js";
import type { Task } from "../task.js";
import type { CreateOptions, UploadProgress } from "../types/calls.js";
import type {
  StoredTask,
  StoringMedia,
  UnfinishedCreate,
} from "../types/store.js";
import type { Eta, Output, TaskSnapshot, TaskState } from "../types/task.js";
import { within } from "../waiting.js";
import { type MediaSource, Source } from "./connection.js";
import type { View } from "./follow.js";
import { type Observer, Subject } from "./observer.js";
import {
  forgetKey,
  type LastKey,
  lastKey,
  mayRepeat,
  openedSoon,
  rememberKey,
  type StoreOption,
  storeFor,
} from "./restoring.js";
import { watch } from "./view.js";

/**
 * The status of a generation:
 *
 * | Status | Meaning | What to show |
 * | --- | --- | --- |
 * | `connecting` | There is no client yet. | The form, without its button. |
 * | `idle` | Nothing was created, or it was reset. | The form. |
 * | `restoring` | The create before a reload is being found, or repeated with its key. | That it goes on. |
 * | `creating` | Files are uploaded (`upload`), and the task is created. | The progress, and `cancel`. |
 * | `running` | The task runs. | `progress` and `eta`, and `cancel`. |
 * | `succeeded` | The task is done. | The `outputs`. |
 * | `failed` | There is an `error`. | Its message, and `retry`. |
 * | `cancelled` | Somebody has cancelled it. A task that ran goes on at the media service. | The form, and the `error` if a create may have been charged. |
 */
export type GenerationStatus =
  | "connecting"
  | "idle"
  | "restoring"
  | "creating"
  | "running"
  | "succeeded"
  | "failed"
  | "cancelled";

export interface GenerationState {
  readonly status: GenerationStatus;
  /** The media service's state of the task; `undefined` before the first one. */
  readonly state: TaskState | undefined;
  /** The progress of the task from 0 to 1, if it is known. */
  readonly progress: number | undefined;
  /** The time that the task is likely to run on, if it is known. */
  readonly eta: Eta | undefined;
  /** The results; empty until there are some. */
  readonly outputs: readonly Output[];
  /** The progress of the input's files while they are uploaded. */
  readonly upload: UploadProgress | undefined;
  /** The last snapshot of the task, once it is created. It can be an input of another create. */
  readonly snapshot: TaskSnapshot | undefined;
  /** The `metadata` of `run`, also after a reload. */
  readonly metadata: unknown;
  /** The failure after which the task is read again; `undefined` while its updates arrive. */
  readonly reconnecting: MediagateError | undefined;
  /**
   * The reason of `failed`, or why a task that may still run is no longer read, or that a cancelled
   * create may have been charged (`outcome`).
   */
  readonly error: MediagateError | undefined;
}

export interface GenerationActions<Name extends CapabilityName> {
  /**
   * Creates a task, and follows it instead of the last one, which goes on. Until a task of this page
   * has ended, a call with an equal input returns it, so that a double click costs once; after an
   * unknown outcome, it repeats that create with its key. Never rejects: an error is in the state.
   *
   * @returns The task, once it is created; `undefined` if there is none.
   */
  run(
    input: Capabilities[Name],
    options?: RunOptions,
  ): Promise<Task | undefined>;
  /**
   * Ends the create or the wait. A task that exists, or a create that was sent (its `error` has the
   * outcome `unknown`), goes on at the media service, and may be charged.
   */
  cancel(): void;
  /** Cancels, and forgets what was shown, also for the next reload. */
  reset(): void;
  /**
   * Tries again after an error: reads the task, or repeats the create, with its key if the first
   * one may have been charged. After a reload, a task that failed can only be read: its input is not
   * known any more, so `run` it with what your `metadata` has.
   */
  retry(): void;
}

export interface RunOptions {
  /** Anything of yours, stored beside the task: any value that `structuredClone` copies. */
  metadata?: unknown;
}

export interface GenerationOptions {
  /**
   * The store of the creates, by which a reload restores them; `null` for none. Open it once,
   * outside of components. Of several observers of one generation, the first decides.
   *
   * @defaultValue the store of `source` if that is a storing client, or else the one that
   * `openStore()` opens, if the platform has IndexedDB
   */
  store?: StoreOption;
  /**
   * The name among the generations of this capability. Components with one name show the same
   * generation, also in a tab that this one has opened.
   *
   * @defaultValue an empty name
   */
  name?: string | undefined;
}

export type GenerationObserver<Name extends CapabilityName> =
  Observer<GenerationState> & GenerationActions<Name>;

const NOTHING = {
  state: undefined,
  progress: undefined,
  eta: undefined,
  outputs: [],
  upload: undefined,
  snapshot: undefined,
  metadata: undefined,
  reconnecting: undefined,
  error: undefined,
} as const satisfies Omit<GenerationState, "status">;

const CONNECTING: GenerationState = { status: "connecting", ...NOTHING };

/**
 * Creates tasks of a capability, one at a time, and follows each. After a reload of the tab, it
 * finds the last one again, and goes on with a create that was interrupted. A create goes on
 * without subscribers; following the task needs one.
 *
 * @param source - The client.
 * @param capability - The name of the capability, such as `image_to_video`.
 */
export function observeGeneration<Name extends CapabilityName>(
  source: MediaSource,
  capability: Name,
  options: GenerationOptions = {},
): GenerationObserver<Name> {
  const client = new Source(source);
  const subject = new Subject(CONNECTING, (end) => {
    client.follow(end, ({ media, error }, signal) => {
      if (!media)
        return subject.change(
          error ? { ...NOTHING, status: "failed", error } : CONNECTING,
        );
      const generation = generationOf(media, capability, options);
      const show = () => subject.change(generation.getSnapshot());
      signal.addEventListener("abort", generation.subscribe(show));
      show();
    });
  });
  const current = () => {
    const { media } = client.state;
    return media && generationOf(media, capability, options);
  };
  /** Ends the calls of `run` that wait for the client. */
  let waiting = new AbortController();
  const stopWaiting = () => {
    waiting.abort();
    waiting = new AbortController();
  };
  const { subscribe, getSnapshot } = subject;
  return {
    subscribe,
    getSnapshot,
    run: async (input, runOptions = {}) => {
      const own = copyInput({ input, options: runOptions });
      const { signal } = waiting;
      try {
        const media = await client.media(signal);
        const generation = generationOf(media, capability, options);
        return await generation.run(own.input, own.options, signal);
      } catch (failure) {
        const error = failure as MediagateError;
        if (!signal.aborted)
          subject.change({ ...NOTHING, status: "failed", error });
        return undefined;
      }
    },
    cancel: () => {
      stopWaiting();
      current()?.cancel();
    },
    reset: () => {
      stopWaiting();
      current()?.reset();
    },
    retry: () => {
      const { error } = getSnapshot();
      const isLost = !client.state.media || error?.code === "crashed";
      if (isLost) client.retry();
      else current()?.retry();
    },
  };
}

/** The generations by their clients and names, so that several components share one. */
const generations = new WeakMap<object, Map<string, Generation>>();

function generationOf(
  media: Media | StoringMedia,
  capability: CapabilityName,
  { store, name = "" }: GenerationOptions,
): Generation {
  const { connection } = (media as Media).scope();
  const known = generations.get(connection) ?? new Map<string, Generation>();
  generations.set(connection, known);
  const place = `${capability}.${name}`;
  const generation =
    known.get(place) ?? new Generation(media, capability, place, store);
  known.set(place, generation);
  return generation;
}

interface Create {
  readonly key: string;
  readonly input: unknown;
  readonly options: RunOptions;
}

class Generation {
  private readonly opened = () => storeFor(this.media, this.store);
  private readonly subject = new Subject<GenerationState>(
    { status: "idle", ...NOTHING },
    (signal) => this.start(signal),
  );
  readonly subscribe = this.subject.subscribe;
  readonly getSnapshot = this.subject.getSnapshot;
  /** The last create of this page, and its task once there is one. */
  private last: Create | undefined;
  private task: StoredTask | undefined;
  /** The work that leads to the task, while it is under way. */
  private creating: Promise<Task | undefined> | undefined;
  /** The search for the last create of this tab. */
  private finding: Promise<unknown> | undefined;
  private controller = new AbortController();

  constructor(
    private readonly media: Media | StoringMedia,
    private readonly capability: CapabilityName,
    private readonly place: string,
    private readonly store: StoreOption,
  ) {}

  /** @param signal - Aborted if it is cancelled before it begins. */
  async run(
    input: unknown,
    options: RunOptions,
    signal?: AbortSignal,
  ): Promise<Task | undefined> {
    // The input of a restored create is known once the create is found.
    await this.finding?.catch(() => {});
    if (signal?.aborted) return undefined;
    const { last, task, creating } = this;
    const { error } = this.getSnapshot();
    const isSame = last !== undefined && isEqual(last.input, input);
    if (isSame && creating) return creating;
    if (isSame && this.isFollowing()) return task;
    // A create that may have been charged, or waits in the store, is repeated with its key and its
    // own input: an equal data URI would become another file.
    const isOpen =
      error?.outcome === "unknown" || error?.outcome === "not_sent";
    if (isSame && isOpen) return this.create({ ...last, options });
    return this.create({ key: checkKey(undefined), input, options });
  }

  cancel(): void {
    if (this.creating) this.controller.abort();
    else if (this.isFollowing()) this.end("cancelled");
  }

  reset(): void {
    this.controller.abort();
    this.end("idle");
  }

  retry(): void {
    const { error, reconnecting } = this.getSnapshot();
    const failure = error ?? reconnecting;
    if (this.creating || !failure) return;
    if (this.task && this.getSnapshot().status !== "failed") {
      this.subject.change({ reconnecting: failure, error: undefined });
      this.subject.restart();
    } else if (this.last) void this.run(this.last.input, this.last.options);
    else this.restore(lastKey(this.place), true);
  }

  /** Returns true while the end of the task is awaited. It is `restoring` until it is read. */
  private isFollowing(): boolean {
    const { status } = this.getSnapshot();
    return this.task !== undefined && /running|restoring/.test(status);
  }

  /** Begins what the state needs: to follow the task, or to find it again. */
  private start(signal: AbortSignal): void {
    // Loaded before it is needed, since the page may be offline or replaced then.
    this.opened().catch(() => {});
    const key = lastKey(this.place);
    if (this.task) void this.follow(this.task, signal);
    else if (this.getSnapshot().status === "idle" && key)
      this.restore(key, mayRepeat(key));
  }

  private create(create: Create): Promise<Task | undefined> {
    const { key, input, options } = create;
    this.last = create;
    rememberKey(this.place, key);
    return this.showWork("creating", key, options.metadata, async (limits) => {
      const store = await openedSoon(this.opened());
      const { capability } = this;
      const media = storingOf(this.media)?.client ?? this.media;
      const storing = store?.keep(media) ?? media;
      const metadata = store && { metadata: options.metadata };
      return storing.create(capability, input as never, {
        ...limits,
        ...metadata,
        idempotencyKey: key,
      });
    });
  }

  /** Finds the last create of this tab. With `mayRepeat`, it is sent again if it is unfinished. */
  private restore(last: LastKey | undefined, mayRepeat: boolean): void {
    if (!last) return;
    const key = last.key;
    void this.showWork("restoring", key, undefined, async (limits, change) => {
      const finding = within(limits, this.find(key));
      this.finding = finding;
      const found = await finding;
      if (!found || !("resume" in found)) return found;
      const { input, metadata } = found;
      change({ metadata });
      this.last = { key, input, options: { metadata } };
      if (mayRepeat) return found.resume(limits);
      throw new MediagateError({
        code: "aborted",
        message: "the page was left before the task was created",
        hint: "retry() goes on with it",
        outcome: found.mayBeCharged ? "unknown" : "not_sent",
        idempotencyKey: key,
      });
    });
  }

  private async find(
    key: string,
  ): Promise<StoredTask | UnfinishedCreate | undefined> {
    // Without a store, there is nothing to restore.
    const store = await this.opened().catch(() => undefined);
    return store?.find(this.media, key);
  }

  /** Shows work that makes or finds a task, and its end. */
  private showWork(
    status: "creating" | "restoring",
    key: string,
    metadata: unknown,
    work: (
      limits: Required<Pick<CreateOptions, "signal" | "onProgress">>,
      change: (changes: Partial<GenerationState>) => void,
    ) => Promise<StoredTask | undefined>,
  ): Promise<Task | undefined> {
    const { task: before } = this;
    this.task = undefined;
    this.controller = new AbortController();
    const { controller } = this;
    const { signal } = controller;
    const isCurrent = () => this.controller === controller;
    const change = (changes: Partial<GenerationState>) => {
      if (isCurrent()) this.subject.change(changes);
    };
    const onProgress = (upload: UploadProgress) => change({ upload });
    const created = (task: StoredTask | undefined) => {
      if (!isCurrent()) return task;
      this.creating = undefined;
      this.task = task;
      if (!task) change({ ...NOTHING, status: "idle" });
      else {
        // A restored task may show what an earlier page has read. One without an id is not read again.
        const isRead = status === "creating" || !task.id;
        change({ upload: undefined, metadata: task.metadata ?? metadata });
        this.show(task.snapshot, isRead ? "running" : status);
        this.subject.restart();
      }
      return task;
    };
    const failed = (failure: unknown) => {
      const error = failure as MediagateError;
      const isUnknown = error.outcome === "unknown";
      // After a failed search, or one that may pass, the task or the create is still stored.
      const isOver =
        error.outcome === "rejected" ||
        (status === "creating" && error.outcome === "not_sent");
      if (signal.aborted || isOver) forgetKey(this.place, key);
      if (isCurrent()) this.creating = undefined;
      if (!signal.aborted) change({ status: "failed", error });
      else change({ status: "cancelled", ...(isUnknown && { error }) });
      return undefined;
    };
    this.subject.change({ ...NOTHING, status, metadata });
    // Ends the updates of the task before.
    if (before) this.subject.restart();
    const limits = { signal, onProgress };
    this.creating = work(limits, change).then(created, failed);
    return this.creating;
  }

  /** Follows the task until its end, or until the last subscription ends. */
  private async follow(task: StoredTask, signal: AbortSignal): Promise<void> {
    const isCurrent = () => this.task === task && !signal.aborted;
    const hasFailed = this.getSnapshot().reconnecting !== undefined;
    const show = ({ snapshot, reconnecting, error }: View<TaskSnapshot>) => {
      if (!isCurrent()) return;
      // A task that has ended may be shown again, with its error.
      if (this.isFollowing()) this.subject.change({ reconnecting, error });
      if (snapshot) this.show(snapshot);
    };
    // A result that came without a task has no id, and no updates.
    if (task.id) await watch(task, signal, show, hasFailed);
    if (!isCurrent() || this.getSnapshot().error) return;
    try {
      const snapshot = await task.done({ signal });
      if (isCurrent()) this.show(snapshot, "succeeded");
    } catch (error) {
      if (isCurrent())
        this.subject.change({
          status: "failed",
          error: error as MediagateError,
        });
    }
  }

  private show(snapshot: TaskSnapshot, status = this.statusOf(snapshot)): void {
    const { state, progress, eta, outputs } = snapshot;
    this.subject.change({ snapshot, status, state, progress, eta, outputs });
  }

  private statusOf({ state }: TaskSnapshot): GenerationStatus {
    const { status } = this.getSnapshot();
    // The state of a task that was found again is not known until it is read.
    if (status === "restoring" && state !== undefined) return "running";
    return status;
  }

  /** Leaves the task or the create, which go on. */
  private end(status: "idle" | "cancelled"): void {
    forgetKey(this.place, lastKey(this.place)?.key);
    this.controller = new AbortController();
    this.creating = undefined;
    this.task = undefined;
    if (status === "idle") this.last = undefined;
    this.subject.change({ ...NOTHING, status });
    this.subject.restart();
  }
}
