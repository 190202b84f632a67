import type { Scope } from "./connection.js";
import type { CallOptions } from "./types/calls.js";
import type { Output } from "./types/task.js";
import { updatesOf } from "./updates.js";
import type * as wasm from "./wasm/mediagate.js";

const inspect = Symbol.for("nodejs.util.inspect.custom");

/**
 * The times in milliseconds after which an ended task is read again while the gateway moves its
 * files into the bucket.
 */
const KEPT_WAITS = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000];

/** A task or a pipeline of the wasm, behind the caller's object for it. @internal */
export class Followed<Snapshot> {
  last: Snapshot;
  /** Called with each snapshot that is read, also with an equal one. */
  received: ((snapshot: Snapshot) => void) | undefined;
  /** A snapshot that another page has read, and the own one that it replaces. */
  private other: { snapshot: Snapshot; own: Snapshot } | undefined;
  /** The functions to call after a change that no iteration yields. */
  private readonly listeners = new Set<() => void>();
  private isReadAgain = false;

  constructor(
    readonly scope: Scope,
    private readonly handle: wasm.Task | wasm.Pipeline,
  ) {
    this.last = this.read();
  }

  /**
   * The last snapshot. The object stays the same until the snapshot changes, and stays readable
   * after a crash.
   */
  get snapshot(): Snapshot {
    if (!this.scope.connection.instance.hasCrashed) this.last = this.read();
    return this.last;
  }

  /** Shows a snapshot that another page has read, until this page reads the next one. */
  show(snapshot: Snapshot): void {
    if (this.scope.connection.instance.hasCrashed) return;
    this.other = { snapshot, own: this.readOwn() };
  }

  async request(
    method: "refresh" | "resume" | "cancel" | "done",
    options: CallOptions | undefined,
  ): Promise<Snapshot> {
    const scope = method === "done" ? this.scope.waits : this.scope;
    const snapshot = await scope
      .call(
        scope.check(options),
        (_, limits) =>
          // Only a pipeline is resumed or cancelled.
          (this.handle as wasm.Pipeline)[method](limits) as Promise<Snapshot>,
      )
      // A wait for a task rejects if the task has failed.
      .finally(() => this.received?.(this.snapshot));
    void this.readUntilKept();
    return snapshot;
  }

  updates(
    options: CallOptions | undefined,
  ): AsyncGenerator<Snapshot, void, undefined> {
    const end = () => void this.readUntilKept();
    const received = (snapshot: Snapshot) => this.received?.(snapshot);
    return updatesOf(this.scope.waits, this.handle, options, received, end);
  }

  /**
   * Calls a function after each change that no iteration yields. Returns a function that ends the
   * calls.
   */
  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /**
   * Reads the task again until the gateway keeps its files, so that the snapshot has their lasting
   * addresses. The gateway moves them after the end of the task, which is the last update.
   */
  private async readUntilKept(): Promise<void> {
    if (this.isReadAgain || !isBeingKept(this.snapshot)) return;
    this.isReadAgain = true;
    for (const milliseconds of KEPT_WAITS) {
      await new Promise((resolve) => {
        const timer: unknown = setTimeout(resolve, milliseconds);
        // A program of Node must not wait for it.
        (timer as { unref?: () => void }).unref?.();
      });
      try {
        await this.scope.call<unknown>({ maxRetries: 0 }, (_, limits) =>
          this.handle.refresh(limits),
        );
      } catch {
        // The next attempt may succeed.
        continue;
      }
      if (!isBeingKept(this.snapshot)) break;
    }
    this.isReadAgain = false;
    this.received?.(this.snapshot);
    for (const listener of [...this.listeners]) listener();
  }

  private read(): Snapshot {
    const own = this.readOwn();
    if (this.other?.own === own) return this.other.snapshot;
    this.other = undefined;
    return own;
  }

  private readOwn(): Snapshot {
    const { instance } = this.scope.connection;
    return instance.run(() => this.handle.snapshot) as Snapshot;
  }
}

export function isBeingKept(snapshot: unknown): boolean {
  const { outputs = [] } = snapshot as { outputs?: readonly Output[] };
  return outputs.some((output) => output.kept === false && !output.notKept);
}

/**
 * The caller's object for a task or a pipeline, with its last snapshot. Its updates come from a
 * stream that all subscribers in the page share. If there is no stream, it is polled.
 *
 * Iterating it yields the current snapshot, then each change of the state, and the newest snapshot
 * of each state. The last snapshot has the last state, also if that is `FAILED`. Leaving the loop
 * closes the stream and stops the polls. The task or the pipeline itself goes on.
 */
export abstract class Following<Snapshot extends { readonly id: string }>
  implements AsyncIterable<Snapshot>
{
  /**
   * The id, valid only for the user who created the task or started the pipeline. Empty for a
   * result that came without a task, which is already done.
   */
  readonly id: string;
  /** @internal */
  declare readonly followed: () => Followed<Snapshot>;

  /** @internal */
  constructor(followed: Followed<Snapshot>) {
    this.id = followed.last.id;
    setHidden(this, "followed", () => followed);
  }

  /** The last snapshot. The object stays the same until the snapshot changes. */
  get snapshot(): Snapshot {
    return this.followed().snapshot;
  }

  /**
   * Reads the task or the pipeline once.
   *
   * @returns The snapshot, also if the task or the pipeline failed.
   * @throws {MediagateError} `invalid_input` with the `reason` `unknown_task` or `unknown_pipeline`
   * if there is none of this id.
   */
  async refresh(options?: CallOptions): Promise<Snapshot> {
    return this.followed().request("refresh", options);
  }

  /**
   * Iterates the snapshots, as iterating the object itself does.
   *
   * @param options - `signal`, `timeout` in milliseconds for each step of the iteration,
   * `maxRetries` and `onRetry`.
   * @returns A generator of snapshots, which ends after the last state. Its `return()` ends a wait
   * at once.
   * @throws {MediagateError} Those of `refresh`, in the step in which they occur.
   */
  updates(options?: CallOptions): AsyncGenerator<Snapshot, void, undefined> {
    return this.followed().updates(options);
  }

  [Symbol.asyncIterator](): AsyncGenerator<Snapshot, void, undefined> {
    return this.updates();
  }

  /** @internal */
  [inspect](_depth: number, options: unknown, show: Inspect): string {
    // The name of the class, which a bundler may have shortened.
    const name = "capability" in this ? "Task" : "Pipeline";
    return `${name} ${show({ ...this.snapshot }, options)}`;
  }
}

type Inspect = (value: unknown, options: unknown) => string;

/**
 * Sets a member that a console does not show. It is not private, because a framework may put a
 * proxy around the object. Proxies reach into members that are objects, but not into functions.
 */
export function setHidden(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, {
    value,
    writable: true,
    configurable: true,
  });
}
