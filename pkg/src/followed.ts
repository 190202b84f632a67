import type { Scope } from "./connection.js";
import type { CallOptions } from "./types/calls.js";
import { updatesOf } from "./updates.js";
import type * as wasm from "./wasm/mediagate.js";

/** The method that Node's console calls to show an object. */
const inspect = Symbol.for("nodejs.util.inspect.custom");

/** A task or a pipeline of the wasm, behind the caller's object for it. @internal */
export class Followed<Snapshot> {
  /** The snapshot that was read last. */
  last: Snapshot;

  constructor(
    readonly scope: Scope,
    private readonly handle: wasm.Task,
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

  /** Calls a method of the handle that returns a snapshot. */
  request(
    method: "refresh" | "resume" | "cancel" | "done",
    options: CallOptions | undefined,
  ): Promise<Snapshot> {
    const scope = method === "done" ? this.scope.waits : this.scope;
    return scope.call(
      options,
      (_, limits) =>
        // Only a pipeline is resumed or cancelled.
        (this.handle as wasm.Pipeline)[method](limits) as Promise<Snapshot>,
    );
  }

  /** Iterates the snapshots. */
  updates(
    options: CallOptions | undefined,
  ): AsyncGenerator<Snapshot, void, undefined> {
    return updatesOf(this.scope.waits, this.handle, options);
  }

  private read(): Snapshot {
    const { instance } = this.scope.connection;
    return instance.run(() => this.handle.snapshot) as Snapshot;
  }
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
   * @param options - The limits of the call.
   * @returns The snapshot, also if the task or the pipeline failed.
   * @throws {MediagateError} `invalid_input` with the `reason` `unknown_task` or `unknown_pipeline`
   * if there is none of this id; any code of a read.
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

  /** Iterates the snapshots. */
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

/** The `inspect` of Node's `util`. */
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
